//! Converts a call of `lookup()` or `hiera…()` in Puppet code to a request for the engine, with all forms of arguments.
//!
//! Code is not evaluated: parts that are not constant are named, never guessed.

use crate::code::CodeFile;
use crate::code::literal::value_of;
use crate::data::{Hash, Located, Value};
use crate::engine::Request;
use crate::syntax::puppet::{Call, Constant, Written, WrittenShape};
use crate::text::TextRange;

/// A lookup call.
#[derive(Debug, Default)]
pub(crate) struct LookupCall {
    /// The request, as far as it is constant.
    pub(crate) request: Request,
    /// Where its merge is written, if it is an argument or an option.
    pub(crate) merge_range: Option<TextRange>,
    /// The code of a default that is not constant.
    pub(crate) open_default: Option<String>,
    /// Other parts that are not constant but matter, each as a part of a sentence in Markdown.
    pub(crate) open: Vec<String>,
}

/// Puppet does not accept the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused;

type Accepted = Result<(), Refused>;

impl LookupCall {
    /// Interprets the arguments of `call`, which is a lookup in `file`.
    pub(crate) fn of(file: &CodeFile, call: &Call) -> Result<Self, Refused> {
        let mut reader = CallReader { file, asked: Self::default() };
        match call.function {
            "lookup" => reader.lookup(call)?,
            function => reader.hiera(function, call)?,
        }
        // The lambda computes the default, and hiera-ls does not evaluate code.
        if call.has_lambda {
            reader.asked.request.default = None;
            reader.asked.open_default = Some("|…| { … }".to_owned());
        }
        Ok(reader.asked)
    }
}

struct CallReader<'a> {
    file: &'a CodeFile,
    asked: LookupCall,
}

impl CallReader<'_> {
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
                    self.leave_open("the options are", second);
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
            [name, value_type, merge, default] if !call.has_lambda => {
                self.name(name)?;
                if !is_undef(value_type) {
                    self.value_type(value_type)?;
                }
                if !is_undef(merge) {
                    self.merge(merge)?;
                }
                self.default(default);
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    /// The function determines the merge strategy, whatever lookup_options say; the second argument is a default, and further
    /// arguments are ignored.
    fn hiera(&mut self, function: &str, call: &Call) -> Accepted {
        let [name, rest @ ..] = &call.written[..] else { return Err(Refused) };
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
        self.asked.request.merge = Some(Value::string(merge));
        if let Some(default) = rest.first() {
            self.default(default);
        }
        Ok(())
    }

    /// A hash of options; `name` is one of them unless an argument gave it.
    fn options(&mut self, options: &Written, has_name: bool) -> Accepted {
        let WrittenShape::Hash(pairs) = &options.shape else { return Err(Refused) };
        let mut has_name = has_name;
        for (option, value) in pairs {
            match option.text() {
                Some("name") if !has_name => {
                    has_name = true;
                    self.name(value)?;
                }
                Some("value_type") if !is_undef(value) => self.value_type(value)?,
                Some("merge") if !is_undef(value) => self.merge(value)?,
                // An option that is undef counts as not given.
                Some("value_type" | "merge") => {}
                Some("default_value") => self.default(value),
                Some("override") => self.asked.request.overrides = self.hash("override", value)?,
                Some("default_values_hash") => {
                    self.asked.request.default_values = self.hash("default_values_hash", value)?;
                }
                None if option.shape == WrittenShape::Unknown => {
                    self.leave_open("an option is", option);
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
            (_, Some(text)) => self.asked.request.names.push(text.into()),
            (WrittenShape::Unknown, None) => self.leave_open("one of the keys is", name),
            _ => return Err(Refused),
        }
        Ok(())
    }

    fn value_type(&mut self, written: &Written) -> Accepted {
        match written.shape {
            WrittenShape::Type => {
                self.asked.request.value_type = Some(self.slice(written));
                Ok(())
            }
            WrittenShape::Unknown => {
                self.leave_open("the type is", written);
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
                        self.asked.request.merge = Some(merge);
                        self.asked.merge_range = Some(written.range);
                    }
                    None => self.leave_open("the merge is", written),
                }
                Ok(())
            }
            WrittenShape::Unknown => {
                self.leave_open("the merge is", written);
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    fn default(&mut self, written: &Written) {
        match constant_value(written) {
            Some(value) => self.asked.request.default = Some(Located::new(value, None)),
            None => self.asked.open_default = Some(self.slice(written)),
        }
    }

    fn hash(&mut self, option: &str, written: &Written) -> Result<Hash, Refused> {
        if is_undef(written) {
            return Ok(Hash::default());
        }
        match (&written.shape, constant_value(written)) {
            (WrittenShape::Hash(_), Some(Value::Hash(hash))) => Ok((*hash).clone()),
            (WrittenShape::Hash(_) | WrittenShape::Unknown, _) => {
                self.leave_open(&format!("`{option}` is"), written);
                Ok(Hash::default())
            }
            _ => Err(Refused),
        }
    }

    fn leave_open(&mut self, what: &str, written: &Written) {
        let code = crate::ide::class_parameter::code(self.file.slice(written.range));
        self.asked.open.push(format!("{what} {code}"));
    }

    fn slice(&self, written: &Written) -> String {
        self.file.slice(written.range).to_owned()
    }
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
    use crate::data::inspect;

    /// `expected`: names, type, merge, default, overrides and default values, as far as they exist.
    #[track_caller]
    fn check(code: &str, expected: &str) {
        let file = CodeFile::of_text("/a.pp", format!("$r = {code}\n"));
        let call = file.manifest.calls.first().expect("there is a call");
        let shown = match LookupCall::of(&file, call) {
            Err(Refused) => "refused".to_owned(),
            Ok(asked) => show(&asked),
        };
        assert_eq!(shown, expected, "{code}");
    }

    fn show(asked: &LookupCall) -> String {
        let request = &asked.request;
        let hash = |it: &Hash| inspect::inspect(&Value::hash(it.clone()));
        let mut parts = vec![request.names.join("|")];
        parts.extend(request.value_type.iter().map(|it| format!("type {it}")));
        parts.extend(request.merge.iter().map(|it| format!("merge {}", inspect::inspect(it))));
        let default = request.default.iter();
        parts.extend(default.map(|it| format!("default {}", inspect::inspect(&it.value))));
        if !request.overrides.is_empty() {
            parts.push(format!("override {}", hash(&request.overrides)));
        }
        if !request.default_values.is_empty() {
            parts.push(format!("values {}", hash(&request.default_values)));
        }
        parts.extend(asked.open_default.iter().map(|it| format!("open default {it}")));
        parts.extend(asked.open.iter().map(|it| format!("open: {it}")));
        parts.join("; ")
    }

    #[test]
    fn arguments_by_their_place() {
        check("lookup('k')", "k");
        check("'k'.lookup", "k");
        check("lookup(k, Array[String])", "k; type Array[String]");
        check("lookup(['a', \"b\"], Any, 'deep')", "a|b; type Any; merge \"deep\"");
        check("lookup('k', undef, undef, [1])", "k; default [1]");
        check("lookup('k', Any, {strategy => deep}, undef)", {
            "k; type Any; merge {\"strategy\"=>\"deep\"}; default nil"
        });
        check("lookup('k') |$k| { $k }", "k; open default |…| { … }");
    }

    #[test]
    fn options() {
        check(
            "lookup('k', {merge => unique, 'default_value' => 1, value_type => Any})",
            "k; type Any; merge \"unique\"; default 1",
        );
        check("lookup({name => ['a', 'b'], merge => undef})", "a|b");
        check(
            "lookup(k, override => {k => 5}, default_values_hash => {'x' => {y => 1}})",
            "k; override {\"k\"=>5}; values {\"x\"=>{\"y\"=>1}}",
        );
    }

    #[test]
    fn what_is_not_constant_is_named() {
        check("lookup('k', Any, $m)", "k; type Any; open: the merge is `$m`");
        check("lookup('k', $o)", "k; open: the options are `$o`");
        check("lookup([$x, 'k'])", "k; open: one of the keys is `$x`");
        check("lookup('k', {override => {k => $x}})", "k; open: `override` is `{k => $x}`");
        check("lookup('k', Any, first, $x)", "k; type Any; merge \"first\"; open default $x");
        check("hiera('k', $facts['a'])", "k; merge \"first\"; open default $facts['a']");
    }

    #[test]
    fn the_older_functions_have_merges_of_their_own() {
        check("hiera('k', String, 'level')", "k; merge \"first\"; open default String");
        check("hiera_array('k', [])", "k; merge \"unique\"; default []");
        check("hiera_hash('k')", "k; merge \"hash\"");
        check("hiera_include('k', 'c')", "k; merge \"unique\"; default \"c\"");
        check("hiera(['k'])", "refused");
    }

    /// Puppet 7 refused each of these.
    #[test]
    fn what_puppet_refuses() {
        for code in [
            "lookup('k', 'default')",
            "lookup('k', undef)",
            "lookup('k', undef, undef)",
            "lookup('k', Any, undef)",
            "lookup('k', undef, {strategy => deep})",
            "lookup('k', {default => 1})",
            "lookup('k', {name => 'o'})",
            "lookup({merge => unique, x => 'k', name2 => k})",
            "lookup('k', Any, first, 1) |$k| { 1 }",
            "lookup('k', Any, first, 1, 2)",
        ] {
            check(code, "refused");
        }
    }
}
