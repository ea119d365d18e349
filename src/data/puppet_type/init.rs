//! `Init[Integer]`: the values that `Integer.new` accepts.

use std::sync::{Arc, OnceLock};

use super::argument::Argument;
use super::guard::Guard;
use super::infer::type_set_of;
use super::interpret;
use super::{IntegerRange, Type, Wrapper};
use crate::data::value::Value;

/// Describes what can be converted to a value of a type.
#[derive(Debug)]
pub struct Init {
    /// The target type.
    pub wanted: Type,
    /// The further arguments of `new`.
    pub(super) arguments: Vec<Argument>,
    accepted: OnceLock<Result<Accepted, String>>,
}

/// The arguments that a type's `new` accepts.
#[derive(Debug, Clone)]
struct Accepted {
    /// A single argument.
    single: Vec<Type>,
    /// Several arguments, as tuples.
    several: Vec<Type>,
}

/// Ruby's message when Puppet creates an `Init` with too few arguments.
pub(super) const NOT_GENERAL: &str = "wrong number of arguments (given 1, expected 2)";

const FLOAT: &str =
    r"(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+)";
const INTEGER: &str = r"(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+)";

impl Init {
    /// `Init[wanted, arguments…]`
    pub(super) fn of(wanted: Type, arguments: Vec<Argument>) -> Type {
        Type::Init(Some(Arc::new(Self { wanted, arguments, accepted: OnceLock::new() })))
    }

    /// Whether Puppet fails to generalize the type, because that would change an `Init` inside it.
    pub(super) fn cannot_be_generalized(it: &Type) -> bool {
        let changes =
            matches!(it, Type::Init(Some(init)) if init.wanted.generalized() != init.wanted);
        changes || it.children().any(Self::cannot_be_generalized)
    }

    /// Whether the value is of the type or can be converted to it.
    pub(super) fn takes(&self, value: &Value, guard: &mut Guard) -> bool {
        if self.wanted.has_instance(value, guard) {
            return true;
        }
        self.with_accepted(guard, |accepted, guard| {
            let is_single = |value: &Value, types: &[Type], guard: &mut Guard| {
                types.iter().any(|it| it.has_instance(value, guard))
            };
            is_single(value, &accepted.single, guard)
                || is_single(value, &accepted.several, guard)
                || takes_one_of_several(&accepted.several)
                    && is_single(
                        &Value::array(vec![value.clone().into()]),
                        &accepted.several,
                        guard,
                    )
        })
    }

    /// Whether all values of the type `other` can be converted to this one.
    pub(super) fn takes_type(&self, other: &Type, guard: &mut Guard) -> bool {
        if let Type::Init(theirs) = other {
            let theirs = theirs.as_ref().map_or(&Type::Any, |it| &it.wanted);
            return self.wanted.assignable(theirs, guard);
        }
        self.wanted.assignable(other, guard)
            || self.with_accepted(guard, |accepted, guard| {
                let tuple = Type::Tuple(vec![other.clone()], None);
                accepted.single.iter().any(|it| it.assignable(other, guard))
                    || accepted.several.iter().any(|it| it.assignable(other, guard))
                    || takes_one_of_several(&accepted.several)
                        && accepted.several.iter().any(|it| it.assignable(&tuple, guard))
            })
    }

    fn with_accepted(
        &self,
        guard: &mut Guard,
        look: impl FnOnce(&Accepted, &mut Guard) -> bool,
    ) -> bool {
        match self.accepted.get_or_init(|| self.accepted()) {
            Ok(accepted) => guard.step(|guard| look(accepted, guard)),
            Err(message) => {
                guard.fail(message.clone());
                false
            }
        }
    }

    fn accepted(&self) -> Result<Accepted, String> {
        let wanted = &self.wanted;
        let parameters = parameters_of_new(wanted).ok_or_else(|| {
            format!("Creation of new instance of type '{wanted}' is not supported")
        })?;
        let tuples = parameters.iter().map(|it| interpret::parse(it).expect("a correct type"));
        let is_single = |it: &Type| it.size_range() == Some(IntegerRange::exactly(1));
        let first = |it: Type| match it {
            Type::Tuple(types, _) => types.into_iter().next(),
            _ => None,
        };
        if self.arguments.is_empty() {
            let (single, several): (Vec<Type>, Vec<Type>) = tuples.partition(is_single);
            return Ok(Accepted {
                single: single.into_iter().filter_map(first).collect(),
                several,
            });
        }
        let arguments: Vec<Type> =
            self.arguments.iter().map(|it| type_set_of(&it.to_value())).collect();
        let fits = |it: &Type| {
            let Type::Tuple(types, _) = it else { return false };
            let given: Vec<Type> = types.iter().take(1).chain(&arguments).cloned().collect();
            it.is_assignable(&Type::Tuple(given, None))
        };
        let single: Vec<Type> = tuples.filter(fits).filter_map(first).collect();
        if single.is_empty() {
            let whole = Type::Init(Some(Arc::new(self.clone_parameters())));
            let name = wanted.generalized().name().to_owned();
            return Err(format!(
                "The type '{whole}' does not represent a valid set of parameters for {name}.new()"
            ));
        }
        Ok(Accepted { single, several: Vec::new() })
    }

    fn clone_parameters(&self) -> Self {
        let (wanted, arguments) = (self.wanted.clone(), self.arguments.clone());
        Self { wanted, arguments, accepted: OnceLock::new() }
    }
}

impl PartialEq for Init {
    fn eq(&self, other: &Self) -> bool {
        self.wanted == other.wanted && self.arguments == other.arguments
    }
}

/// Whether a single argument is enough although several are possible.
fn takes_one_of_several(several: &[Type]) -> bool {
    several
        .iter()
        .any(|it| it.size_range().is_some_and(|it| it.from == Some(1) || it.to == Some(1)))
}

/// The parameters of the type's `new` as tuples; `None` if the type has no such function.
fn parameters_of_new(wanted: &Type) -> Option<Vec<String>> {
    let texts = |texts: &[&str]| Some(texts.iter().map(|it| format!("Tuple[{it}]")).collect());
    let number = |pattern: &str, more: &str| {
        let convertible = format!(
            r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:{pattern})\z/], Timespan, Timestamp]"
        );
        let named = format!("Struct[{{from => {convertible}, {more}Optional[abs] => Boolean}}]");
        (convertible, named)
    };
    match wanted {
        Type::Integer(_) => {
            let radix =
                "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]";
            let (convertible, named) = number(INTEGER, &format!("Optional[radix] => {radix}, "));
            texts(&[&format!("{convertible}, {radix}, Boolean, 1, 3"), &named])
        }
        Type::Float { .. } | Type::Numeric => {
            let (convertible, named) = number(FLOAT, "");
            texts(&[&format!("{convertible}, Boolean, 1, 2"), &named])
        }
        Type::String(_) => texts(&["Any, Variant[Default, String[1], Hash[Type, Any]], 1, 2"]),
        Type::Boolean(_) => texts(&[
            "Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]]",
        ]),
        Type::Regexp(_) => texts(&["String, Boolean, 1, 2"]),
        Type::Array(..) | Type::Tuple(..) => texts(&[
            "Variant[Array,Hash,Binary,Iterable], Boolean[false], 1, 2",
            "Any, Boolean[true]",
        ]),
        Type::Hash(..) | Type::Struct(_) => texts(&[
            "Array[Tuple[Array,Any],1], Enum[tree, hash_tree], 1, 2",
            "Array[Tuple[Any,Any],1]",
            "Any",
        ]),
        Type::Binary => texts(&[
            r"String, Enum['%b', '%u', '%B', '%s', '%r'], 1, 2",
            "Array[Integer[0,255]]",
            r"Variant[Struct[{value => String, 'format' => Optional[Enum['%b', '%u', '%B', '%s', '%r']]}], Struct[{value => Array[Integer[0,255]]}]]",
        ]),
        Type::Timestamp(_) => texts(&[
            "0, 0",
            "Variant[Integer,Float]",
            "String[1], Variant[String[2],Array[String[2], 1]], String[1], 1, 3",
            "Struct[{string => String[1], Optional[format] => Variant[String[2],Array[String[2], 1]], Optional[timezone] => String[1]}]",
        ]),
        Type::Timespan(_) => texts(&[
            "Variant[Integer,Float]",
            "String[1], Variant[String[2],Array[String[2], 1]], 1, 2",
            "Integer, Integer, Integer, Integer, Integer, Integer, Integer, 4, 7",
            "Struct[{string => String[1], Optional[format] => Variant[String[2],Array[String[2], 1]]}]",
            "Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}]",
        ]),
        Type::SemVer(_) | Type::SemVerRange | Type::Uri(_) => parameters_of_new_object(wanted),
        Type::Wrapped(Wrapper::Type, _) => texts(&["String[1]"]),
        Type::Wrapped(Wrapper::Sensitive, _) => texts(&["Sensitive", "Any"]),
        Type::Unit => texts(&["Any"]),
        Type::Alias(alias) => parameters_of_new(alias.resolved()),
        Type::Named(named) => named.with_resolved(parameters_of_new),
        _ => None,
    }
}

fn parameters_of_new_object(wanted: &Type) -> Option<Vec<String>> {
    let texts = |texts: &[&str]| Some(texts.iter().map(|it| format!("Tuple[{it}]")).collect());
    match wanted {
        Type::SemVer(_) => texts(&[
            r"Pattern[/\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z/]",
            r"Integer[0], Integer[0], Integer[0], Pattern[/\A[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\Z/], Pattern[/\A[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\Z/], 3, 5",
            r"Struct[{major=>Integer[0],minor=>Integer[0],patch=>Integer[0],Optional[prerelease]=>Pattern[/\A[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\Z/],Optional[build]=>Pattern[/\A[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*\Z/]}]",
        ]),
        Type::SemVerRange => texts(&[
            "String[1]",
            "Variant[Default,SemVer], Variant[Default,SemVer], Boolean, 2, 3",
            "Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],Optional[exclude_max]=>Boolean}]",
        ]),
        Type::Uri(_) => texts(&[
            "String[1]",
            "Struct[{Optional[scheme]=>String[1],Optional[userinfo]=>String[1],Optional[host]=>String[1],Optional[port]=>Integer[0],Optional[path]=>String[1],Optional[query]=>String[1],Optional[fragment]=>String[1],Optional[opaque]=>String[1]}]",
        ]),
        _ => None,
    }
}
