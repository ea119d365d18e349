//! The arguments of a call of `lookup()` or `hiera…()` in Puppet code, in all of their forms.
//!
//! Code is not evaluated: parts that are not constant are named, never guessed.

use std::collections::HashSet;
use std::sync::Arc;

use super::literal::value_of;
use crate::data::{Hash, Value, puppet_type};
use crate::syntax::puppet::{Call, Constant, Lambda, Written, WrittenShape};
use crate::text::TextRange;

/// What a call says, as far as it is constant.
#[derive(Debug, Default)]
pub struct LookupArguments {
    /// The keys, of which the first that is found wins.
    pub names: Vec<Arc<str>>,
    /// Where the type is written.
    pub value_type: Option<TextRange>,
    /// The merge: the name of a strategy, or a hash.
    pub merge: Option<Value>,
    /// Where the merge is written, if it is an argument or an option.
    pub merge_range: Option<TextRange>,
    /// Where the default is written.
    pub default: Option<TextRange>,
    /// The default, if it is constant.
    pub default_value: Option<Value>,
    /// The option `override`.
    pub overrides: Hash,
    /// The option `default_values_hash`.
    pub default_values: Hash,
    /// The other parts that are not constant but matter.
    pub open: Vec<(OpenPart, TextRange)>,
}

/// A part of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenPart {
    /// The argument with all options.
    Options,
    /// The name of an option.
    OptionName,
    /// One of the keys.
    Key,
    /// The type.
    Type,
    /// The merge.
    Merge,
    /// The option `override`.
    Override,
    /// The option `default_values_hash`.
    DefaultValues,
}

/// Puppet does not accept the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

/// The result of a lookup that finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupDefault {
    /// Nothing: the call fails.
    Missing,
    /// The expression in this range.
    Written(TextRange),
    /// The call itself has values for its keys, or its options are not constant, or Puppet refuses it.
    Unknown,
}

/// The default of a call.
pub fn default_of(call: &Call) -> LookupDefault {
    // The lambda computes the default.
    let Some(said) = LookupArguments::of(call).ok().filter(|_| call.lambda.is_none()) else {
        return LookupDefault::Unknown;
    };
    let may_bring_values = |(part, _): &(OpenPart, TextRange)| {
        matches!(
            part,
            OpenPart::Options | OpenPart::OptionName | OpenPart::Override | OpenPart::DefaultValues
        )
    };
    let has_open_names = said.open.iter().any(|(part, _)| *part == OpenPart::Key);
    let brings = |values: &Hash| {
        let has = |name: &Arc<str>| values.get(name).is_some();
        !values.is_empty() && (has_open_names || said.names.iter().any(has))
    };
    if brings(&said.overrides)
        || brings(&said.default_values)
        || said.open.iter().any(may_bring_values)
    {
        return LookupDefault::Unknown;
    }
    said.default.map_or(LookupDefault::Missing, LookupDefault::Written)
}

type Accepted = Result<(), Refused>;

impl LookupArguments {
    /// Interprets the arguments of a lookup.
    ///
    /// # Errors
    /// Puppet refuses the call.
    pub fn of(call: &Call) -> Result<Self, Refused> {
        let mut said = Self::default();
        match call.function {
            "lookup" => said.lookup(call)?,
            function => said.hiera(function, call)?,
        }
        let fits = |it: &Lambda| it.takes_one && (call.function != "lookup" || takes_names(it));
        if call.lambda.as_ref().is_none_or(fits) { Ok(said) } else { Err(Refused) }
    }

    fn lookup(&mut self, call: &Call) -> Accepted {
        let is_hash = |it: &Written| matches!(it.shape, WrittenShape::Hash(_));
        match &call.written[..] {
            [options] if is_hash(options) => self.options(options, false),
            [name] => self.name(name),
            [name, options] if is_hash(options) => {
                self.name(name)?;
                self.options(options, true)
            }
            [name, second] => {
                self.name(name)?;
                if second.shape == WrittenShape::Unknown {
                    self.leave_open(OpenPart::Options, second);
                    return Ok(());
                }
                self.value_type(second)
            }
            // Only the form with four arguments accepts `undef` as the type or the merge.
            [name, value_type, merge] => {
                self.name(name)?;
                self.value_type(value_type)?;
                self.merge(merge)
            }
            // Puppet refuses a default together with a lambda.
            [name, value_type, merge, default] if call.lambda.is_none() => {
                self.name(name)?;
                if !is_undef(value_type) {
                    self.value_type(value_type)?;
                }
                if !is_undef(merge) {
                    self.merge(merge)?;
                }
                self.set_default(default);
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    /// The function determines the merge strategy, whatever lookup_options say. The second argument is a default, unless a
    /// lambda computes it, and the last one is the name of a level, which Hiera 5 ignores.
    fn hiera(&mut self, function: &str, call: &Call) -> Accepted {
        let [name, rest @ ..] = &call.written[..] else { return Err(Refused) };
        let most = if call.lambda.is_some() { 1 } else { 2 };
        if rest.len() > most {
            return Err(Refused);
        }
        // Unlike lookup(), these functions accept only one key.
        if !matches!(name.shape, WrittenShape::Constant(Constant::Text(_)) | WrittenShape::Unknown)
        {
            return Err(Refused);
        }
        self.name(name)?;
        let merge = match function {
            "hiera_array" | "hiera_include" => "unique",
            "hiera_hash" => "hash",
            _ => "first",
        };
        self.merge = Some(Value::string(merge));
        if let Some(default) = rest.first().filter(|_| call.lambda.is_none()) {
            self.set_default(default);
        }
        Ok(())
    }

    /// A hash of options; `name` is one of them unless an argument gave it.
    fn options(&mut self, options: &Written, has_name: bool) -> Accepted {
        let WrittenShape::Hash(pairs) = &options.shape else { return Err(Refused) };
        let mut has_name = has_name;
        let mut later = HashSet::new();
        // Of an option that is written twice, a hash has the last value.
        let counts: Vec<bool> = pairs
            .iter()
            .rev()
            .map(|(option, _)| option.text().is_none_or(|it| later.insert(it)))
            .collect();
        let pairs = pairs.iter().zip(counts.iter().rev()).filter(|(_, counts)| **counts);
        for ((option, value), _) in pairs {
            match option.text() {
                Some("name") if !has_name => {
                    has_name = true;
                    self.name(value)?;
                }
                Some("value_type") if !is_undef(value) => self.value_type(value)?,
                Some("merge") if !is_undef(value) => self.merge(value)?,
                // An option that is undef counts as not given.
                Some("value_type" | "merge") => {}
                Some("default_value") => self.set_default(value),
                Some("override") => self.overrides = self.hash(OpenPart::Override, value)?,
                Some("default_values_hash") => {
                    self.default_values = self.hash(OpenPart::DefaultValues, value)?;
                }
                None if option.shape == WrittenShape::Unknown => {
                    self.leave_open(OpenPart::OptionName, option);
                }
                _ => return Err(Refused),
            }
        }
        if has_name { Ok(()) } else { Err(Refused) }
    }

    /// One key, or several of which the first that is found wins.
    fn name(&mut self, name: &Written) -> Accepted {
        match &name.shape {
            WrittenShape::List(items) => {
                for item in items {
                    self.single_name(item)?;
                }
                Ok(())
            }
            _ => self.single_name(name),
        }
    }

    fn single_name(&mut self, name: &Written) -> Accepted {
        match (&name.shape, name.text()) {
            (_, Some(text)) => self.names.push(text.into()),
            (WrittenShape::Unknown, None) => self.leave_open(OpenPart::Key, name),
            _ => return Err(Refused),
        }
        Ok(())
    }

    fn value_type(&mut self, written: &Written) -> Accepted {
        match written.shape {
            WrittenShape::Type => {
                self.value_type = Some(written.range);
                Ok(())
            }
            WrittenShape::Unknown => {
                self.leave_open(OpenPart::Type, written);
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    fn merge(&mut self, written: &Written) -> Accepted {
        match &written.shape {
            WrittenShape::Constant(Constant::Text(_)) | WrittenShape::Hash(_) => {
                match constant_value(written) {
                    Some(merge) => {
                        self.merge = Some(merge);
                        self.merge_range = Some(written.range);
                    }
                    None => self.leave_open(OpenPart::Merge, written),
                }
                Ok(())
            }
            WrittenShape::Unknown => {
                self.leave_open(OpenPart::Merge, written);
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    fn set_default(&mut self, written: &Written) {
        self.default = Some(written.range);
        self.default_value = constant_value(written);
    }

    fn hash(&mut self, part: OpenPart, written: &Written) -> Result<Hash, Refused> {
        if is_undef(written) {
            return Ok(Hash::default());
        }
        match (&written.shape, constant_value(written)) {
            (WrittenShape::Hash(_), Some(Value::Hash(hash))) => Ok((*hash).clone()),
            (WrittenShape::Hash(_) | WrittenShape::Unknown, _) => {
                self.leave_open(part, written);
                Ok(Hash::default())
            }
            _ => Err(Refused),
        }
    }

    fn leave_open(&mut self, part: OpenPart, written: &Written) {
        self.open.push((part, written.range));
    }
}

/// Whether a lambda takes what `lookup()` passes: a name, or a list of names (`NameType`). A type that is not known here counts.
fn takes_names(lambda: &Lambda) -> bool {
    let Some(written) = &lambda.first_type else { return true };
    let names = puppet_type::parse("Variant[String, Array[String]]").expect("a type of Puppet");
    // A type of a module may be an alias.
    written.contains("::")
        || puppet_type::parse(written).map_or(true, |it| it.is_assignable(&names))
}

fn is_undef(written: &Written) -> bool {
    written.shape == WrittenShape::Constant(Constant::Undef)
}

fn constant_value(written: &Written) -> Option<Value> {
    value_of(&written.constant()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeFile;

    /// As Puppet decides; each lookup passes one argument to its lambda.
    #[test]
    fn lambdas_and_options_that_puppet_refuses() {
        let is_refused = |text: &str| {
            let file = CodeFile::of_text("/a.pp", text);
            LookupArguments::of(&file.manifest.calls[0]).is_err()
        };
        for call in [
            "lookup('k') |$k, $j| { 5 }",
            "lookup('k') || { 5 }",
            "lookup('k') |String $k| { 5 }",
            "lookup('k') |Integer *$k| { 5 }",
            "lookup('k') |Optional[String] $k| { 5 }",
            "lookup('k', String, 'first') |$k, $j| { 5 }",
            "lookup({name => 'k'}) |Array[String] $k| { 5 }",
            "hiera('k') |$k, $j| { 5 }",
            "hiera('k', 'd', 'level', 'x')",
            "hiera_array('k', [], 'level', 3)",
            "hiera('k', 'level', 'x') |$k| { 5 }",
            "lookup({ name => 'k', name => 5 })",
            "lookup('k', { name => 'k' })",
        ] {
            assert!(is_refused(call), "{call}");
        }
        for call in [
            "lookup('k') |$k| { 5 }",
            "lookup('k') |Any $k| { 5 }",
            "lookup('k') |My::Type $k| { 5 }",
            "lookup('k') |$k = 1| { 5 }",
            "lookup('k') |*$k| { 5 }",
            "lookup('k') |$k, $j = 1| { 5 }",
            "lookup('k') |$k, *$j| { 5 }",
            "hiera('k') |Integer $k| { 5 }",
            "hiera('k', 'd', 'level')",
            "hiera('k', 'level') |$k| { 5 }",
            "lookup({ name => '', 'merge' => 'deep', name => 'k' })",
            "lookup({ name => 5, name => 'k' })",
            "lookup('k', { merge => 5, merge => 'deep' })",
        ] {
            assert!(!is_refused(call), "{call}");
        }
    }

    /// `expected`: the default as it is written.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let file = CodeFile::of_text("/a.pp", text);
        let found = match default_of(&file.manifest.calls[0]) {
            LookupDefault::Missing => "missing",
            LookupDefault::Written(range) => file.slice(range),
            LookupDefault::Unknown => "unknown",
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn all_forms_of_a_lookup() {
        for call in [
            "lookup('k')",
            "lookup(['k', 'l'])",
            "'k'.lookup",
            "'k'.lookup(String)",
            "lookup('k', Hash[String, Integer], 'deep')",
            "lookup('k', { merge => 'deep' })",
            "lookup({ name => 'k', value_type => String })",
            "lookup('k', { default_values_hash => { other => 1 }, override => { other => 1 } })",
            "hiera('k')",
            "hiera_include('k')",
        ] {
            check(call, "missing");
        }
        check("lookup('k', String, 'first', 'x')", "'x'");
        check("lookup('k', undef, undef, undef)", "undef");
        check("lookup('k', { default_value => [1] })", "[1]");
        check("lookup({ 'name' => 'k', 'default_value' => f($x) })", "f($x)");
        check("hiera('k', 'x')", "'x'");
        check("hiera_array('k', [], 'level')", "[]");
        for call in [
            "lookup('k') |$key| { 1 }",
            "lookup('k', $options)",
            "lookup('k', 'refused')",
            "lookup('k', undef)",
            "lookup('k', { default_value => 1, override => { k => 2 } })",
            "lookup('k', { 'default_values_hash' => { k => 1 } })",
            "lookup('k', undef, { strategy => 'deep' })",
            "lookup('k', 'refused', 'first', 'x')",
            "lookup('k', { $x => 1 })",
            "lookup('k') |$key, $more| { 1 }",
        ] {
            check(call, "unknown");
        }
    }
}
