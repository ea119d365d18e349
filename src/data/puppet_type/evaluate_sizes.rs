//! Types with bounds in manifests: `Integer[1, 5]`, `Array[String, 1]`.

use super::argument::{Argument, float_range, range_of_arguments};
use super::evaluate::Access;
use super::expression::Parsed;
use super::interpret::TypeProblem;
use super::{IntegerRange, StringKind, Type};

pub(super) fn tuple(
    access: &Access<'_>,
    left: &Type,
    mut arguments: Vec<Argument>,
) -> Parsed<Type> {
    let bounds = arguments.iter().rev().take(2).take_while(|it| it.is_bound()).count();
    let bounds = arguments.split_off(arguments.len() - bounds);
    let size = match bounds.as_slice() {
        [] => None,
        some => Some(access.raised(range_of_arguments(some))?.to_size()),
    };
    access.check_types(left, &arguments)?;
    Ok(Type::Tuple(arguments.iter().map(Argument::as_type).collect(), size))
}

pub(super) fn string(access: &Access<'_>, arguments: &[Argument]) -> Parsed<Type> {
    match arguments.len() {
        1 | 2 => Ok(Type::String(StringKind::Sized(size(access, 0, arguments)?.to_size()))),
        given => {
            let message = format!("String supports [] with one or two arguments. Got {given}");
            Err(access.failure(access.start(), &message))
        }
    }
}

pub(super) fn integer(access: &Access<'_>, arguments: &[Argument]) -> Parsed<Type> {
    check_count(access, "Integer", arguments)?;
    let is_fine = |it: &Argument| matches!(it, Argument::Integer(_) | Argument::Default);
    if let Some(index) = arguments.iter().position(|it| !is_fine(it)) {
        return Err(wrong_bound(access, "Integer", "integers", index, &arguments[index]));
    }
    access.raised(range_of_arguments(arguments)).map(Type::Integer)
}

pub(super) fn float(access: &Access<'_>, arguments: &[Argument]) -> Parsed<Type> {
    check_count(access, "Float", arguments)?;
    let mut bounds = [f64::NEG_INFINITY, f64::INFINITY];
    for (index, argument) in arguments.iter().enumerate() {
        bounds[index] = match argument {
            Argument::Float(it) => *it,
            #[expect(clippy::cast_precision_loss, reason = "Ruby's Float() loses it as well")]
            Argument::Integer(it) => *it as f64,
            Argument::Default => continue,
            other => {
                return Err(wrong_bound(access, "Float", "floats, or integers", index, other));
            }
        };
    }
    access.raised(float_range(bounds[0], bounds[1]))
}

pub(super) fn collection(access: &Access<'_>, arguments: &[Argument]) -> Parsed<Type> {
    match arguments.len() {
        1 | 2 => Ok(Type::Collection(Some(size(access, 0, arguments)?.to_size()))),
        given => Err(access.wrong_count("Collection-Type", "1 to 2 arguments", given)),
    }
}

pub(super) fn array(access: &Access<'_>, arguments: &[Argument]) -> Parsed<Type> {
    match arguments {
        [Argument::Type(item)] => Ok(Type::array_of(item.clone(), None)),
        [Argument::Type(item), rest @ ..] if rest.len() <= 2 => {
            Ok(Type::array_of(item.clone(), Some(size(access, 1, rest)?)))
        }
        // `Array[1, 2]` has only bounds, but a single argument has to be a type: `Array[2]` is an error.
        [_, _] => Ok(Type::array_of(Type::Any, Some(size(access, 0, arguments)?))),
        [other] | [other, _, _] => Err(access.not_types("Array", 0, other)),
        _ => Err(access.wrong_count("Array-Type", "1 to 3 arguments", arguments.len())),
    }
}

pub(super) fn hash(access: &Access<'_>, arguments: &[Argument]) -> Parsed<Type> {
    if let [Argument::Integer(_), Argument::Integer(_)] = arguments {
        let size = access.raised(range_of_arguments(arguments))?;
        return Ok(Type::hash_of(Type::Any, Type::Any, Some(size)));
    }
    let is_type = |it: &Argument| matches!(it, Argument::Type(_));
    if let Some(index) = arguments.iter().take(2).position(|it| !is_type(it)) {
        return Err(access.not_types("Hash", index, &arguments[index]));
    }
    let [key, value, rest @ ..] = arguments else {
        return Err(access.wrong_count("Hash-Type", "2 to 4 arguments", arguments.len()));
    };
    let size = match rest {
        [] => None,
        [Argument::Type(Type::Integer(range))] => Some(*range),
        [from] if from.is_bound() => Some(access.raised(range_of_arguments(rest))?),
        [other] => {
            let class = other.ruby_class();
            let message = format!("comparison of {class} with Infinity failed");
            return access.raised(Err(message));
        }
        [_, _] => Some(size(access, 2, rest)?),
        _ => return Err(access.wrong_count("Hash-Type", "2 to 4 arguments", arguments.len())),
    };
    Ok(Type::hash_of(key.as_type(), value.as_type(), size))
}

/// The size that the arguments describe, as it is written; the first of them has the number `first` in messages.
fn size(access: &Access<'_>, first: usize, arguments: &[Argument]) -> Parsed<IntegerRange> {
    if let [Argument::Type(Type::Integer(range))] = arguments {
        return Ok(*range);
    }
    let is_fine = |it: &Argument| matches!(it, Argument::Integer(_) | Argument::Default);
    if let Some(index) = arguments.iter().position(|it| !is_fine(it)) {
        let got = match &arguments[index] {
            Argument::Type(it) => format!("{}-Type", it.name()),
            other => other.ruby_class(),
        };
        let message = format!(
            "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {} \
             {got}",
            super::mismatch::article(&got)
        );
        return Err(access.failure(access.key_start(first + index), &message));
    }
    access.raised(range_of_arguments(arguments))
}

fn check_count(access: &Access<'_>, name: &str, arguments: &[Argument]) -> Parsed<()> {
    match arguments.len() {
        1 | 2 => Ok(()),
        given => {
            let message = format!(
                "{name}-Type supports [] with one or two arguments (from, to). Got {given}"
            );
            Err(access.failure(access.start(), &message))
        }
    }
}

fn wrong_bound(
    access: &Access<'_>,
    name: &str,
    wanted: &str,
    index: usize,
    argument: &Argument,
) -> TypeProblem {
    let class = argument.ruby_class();
    let message =
        format!("{name}-Type [] requires all arguments to be {wanted} (or default). Got {class}");
    access.failure(access.key_start(index), &message)
}
