//! Converts a call of `lookup()` or `hiera…()` in Puppet code to a request for the engine.

use crate::code::CodeFile;
use crate::code::lookup_arguments::{LookupArguments, OpenPart, Refused};
use crate::data::Located;
use crate::engine::Request;
use crate::ide::class_parameter;
use crate::syntax::puppet::Call;
use crate::text::TextRange;

/// Stands for the code of a default that the block of a call computes.
pub(crate) const BLOCK: &str = "|…| { … }";

/// A lookup call.
#[derive(Debug)]
pub(crate) struct LookupCall {
    /// The request, as far as it is constant.
    pub(crate) request: Request,
    /// Where its merge is written, if it is an argument or an option.
    pub(crate) merge_range: Option<TextRange>,
    /// The code of the default.
    pub(crate) default_code: Option<String>,
    /// Other parts that are not constant but matter, each as a part of a sentence in Markdown.
    pub(crate) open: Vec<String>,
}

impl LookupCall {
    /// Interprets the arguments of `call`, which is a lookup in `file`.
    pub(crate) fn of(file: &CodeFile, call: &Call) -> Result<Self, Refused> {
        let said = LookupArguments::of(call)?;
        let code = |range: TextRange| file.slice(range).to_owned();
        let open = said.open.iter().map(|(part, range)| {
            format!("{} {}", in_words(*part), class_parameter::code(file.slice(*range)))
        });
        // The lambda computes the default, and hiera-ls does not evaluate code.
        let block = call.lambda.is_some().then(|| BLOCK.to_owned());
        let default = said.default_value.filter(|_| block.is_none());
        Ok(Self {
            open: open.collect(),
            merge_range: said.merge_range,
            default_code: block.or_else(|| said.default.map(code)),
            request: Request {
                names: said.names,
                value_type: said.value_type.map(code),
                merge: said.merge,
                default: default.map(|it| Located::new(it, None)),
                overrides: said.overrides,
                default_values: said.default_values,
                ..Request::default()
            },
        })
    }
}

fn in_words(part: OpenPart) -> &'static str {
    match part {
        OpenPart::Options => "the options are",
        OpenPart::OptionName => "an option is",
        OpenPart::Key => "one of the keys is",
        OpenPart::Type => "the type is",
        OpenPart::Merge => "the merge is",
        OpenPart::Override => "`override` is",
        OpenPart::DefaultValues => "`default_values_hash` is",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Hash, Value, inspect};

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
        let open = asked.default_code.iter().filter(|_| request.default.is_none());
        parts.extend(open.map(|it| format!("open default {it}")));
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
