//! `failing-lookup`: a call of `lookup()` or `hiera…()` in code fails whatever its default: its key cannot be split, leads into a
//! value without members, or has values that its merge does not accept.
//!
//! The rule does not decide whether Puppet reaches the call. Plans have their own hierarchy and are ignored.

use crate::code::file::language_of;
use crate::code::lookup_arguments::{self, LookupDefault};
use crate::data::Value;
use crate::engine::{Answer, Caller};
use crate::ide::code::lookup_call::LookupCall;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::shared::failing_nodes::{Case, failing_nodes, may_be_set_to_succeed};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::puppet::{Call, Language};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "failing-lookup",
    name: "Lookup in code that fails",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "Puppet code looks up a key that leads into a value without members, or whose values its merge does not accept.",
    page: include_str!("../../../../docs/rules/failing-lookup.md"),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Parts of the messages of Puppet and Ruby for failures that the call itself causes. Other failures concern every lookup, and rules
/// about data explain them.
const WORDS: [&str; 4] = [
    "Syntax error in key",
    "Data Provider type mismatch",
    "undefined method `include?'",
    " element of the merge has wrong type",
];

/// The functions that always merge.
const MERGING: [&str; 3] = ["hiera_array", "hiera_hash", "hiera_include"];

/// Checks the calls of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    let may_fail = |it: &&Call| {
        it.is_lookup()
            && !it.is_dynamic
            && (it.written.len() > 1
                // They merge without an argument that says so.
                || MERGING.contains(&it.function)
                || !it.options.is_empty()
                || it.names.iter().any(|name| name.text.contains(['.', '\'', '"'])))
    };
    let mut calls = code.file.manifest.calls.iter().filter(may_fail).peekable();
    let is_plan = language_of(code.path) == Language::Plan;
    // Assumptions about variables are not true for all nodes.
    if calls.peek().is_none() || is_plan || code.has_no_data() || !code.world.assumed().is_empty() {
        return;
    }
    for call in calls {
        check_call(code, call, report);
    }
}

fn check_call(code: &CodeContext<'_>, call: &Call, report: &mut Report) {
    let Ok(LookupCall { request, open, .. }) = LookupCall::of(&code.file, call) else { return };
    let (Some(first), Some(last)) = (call.names.first(), call.names.last()) else { return };
    // Values in the call itself may replace those of the data.
    let has_more = !request.overrides.is_empty() || !request.default_values.is_empty();
    if has_more || !open.is_empty() {
        return;
    }
    let sets = code.variables_around(call.position);
    let caller = Caller { sets: &sets, ..code.caller_at(call.position) };
    let answer = code.evaluator().call_from(caller, &request);
    let cases: Vec<Case<'_>> = match answer.cases.as_slice() {
        [] => vec![(&[], &answer)],
        cases => cases.iter().map(|it| (it.conditions.as_slice(), &it.answer)).collect(),
    };
    let failures: Vec<_> = cases.iter().map(|it| failure(call.function, it.1)).collect();
    let Some(words) = failures.iter().flatten().next() else { return };
    // Without a default, the call fails for the other nodes, too, if they have no data.
    let has_default = lookup_arguments::default_of(call) != LookupDefault::Missing;
    let finds_nothing = |it: &Answer| {
        matches!(it.outcome, Ok(None)) && it.opaque.is_empty() && it.broken.is_empty()
    };
    let fails: Vec<bool> = { failures.iter().zip(&cases) }
        .map(|(failure, (_, case))| failure.is_some() || !has_default && finds_nothing(case))
        .collect();
    if may_be_set_to_succeed(&answer, &fails, &sets) {
        return;
    }
    let nodes = failing_nodes(&cases, &fails, answer.left_out.is_empty());
    let range = TextRange::new(first.range.start, last.range.end);
    report.add(&RULE, range, format!("{words}\nThe call fails for {nodes}."));
}

/// Puppet's message, if the call of a function certainly fails in one of the ways of this rule.
fn failure<'a>(function: &str, answer: &'a Answer) -> Option<&'a str> {
    if !answer.opaque.is_empty() {
        return None;
    }
    match &answer.outcome {
        Ok(Some(found)) if function == "hiera_include" && has_undef(&found.value) => {
            Some("Cannot use undef as a class name")
        }
        Ok(_) => None,
        Err(error) => {
            let message = &*error.message;
            WORDS.iter().any(|words| message.contains(words)).then_some(message)
        }
    }
}

/// Whether a value is `undef`, or a list that contains it at any depth.
fn has_undef(value: &Value) -> bool {
    match value {
        Value::Undef => true,
        Value::Array(items) => items.iter().any(|it| has_undef(&it.value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    const DATA: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: r, path: '%{role}.yaml'}\n- {name: c, paths: [all.yaml, common.yaml]}\n\
                        #- /data/all.yaml\nl: [b]\nm: {a: 1}\n\
                        #- /data/db.yaml\nport: {a: 1}\n\
                        #- /data/common.yaml\ns: text\nh: {a: 1}\nl: [a]\nport: 80\nm: {b: 1}\nnone: ~\n";

    #[test]
    fn calls_that_fail() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup('h..a')\n\
             #      ^^^^^^ warning[failing-lookup]: Syntax error in key: 'h..a' The call fails for every node.\n\
             lookup('s.x', Any, 'first', 'd')\n\
             #      ^^^^^ warning[failing-lookup]: Data Provider type mismatch: Got String when a hash-like object was expected to access value using 'x' from key 's.x' The call fails for every node.\n\
             hiera('s.x')\n\
             #     ^^^^^ warning[failing-lookup]\n\
             lookup('l', Hash, 'hash')\n\
             #      ^^^ warning[failing-lookup]: The first element of the merge has wrong type, expects a Hash value, got Tuple The call fails for every node.\n\
             hiera_hash('l')\n\
             #          ^^^ warning[failing-lookup]: The first element of the merge has wrong type, expects a Hash value, got Tuple The call fails for every node.\n\
             hiera_array('m')\n\
             #           ^^^ warning[failing-lookup]: The second element of the merge has wrong type, expects a value of type Scalar or Array, got Struct The call fails for every node.\n\
             hiera_include('m')\n\
             #             ^^^ warning[failing-lookup]\n\
             hiera_include('none')\n\
             #             ^^^^^^ warning[failing-lookup]: Cannot use undef as a class name The call fails for every node.\n\
             lookup('port.a')\n\
             #      ^^^^^^^^ warning[failing-lookup]: undefined method `include?' for 80:Integer…\n"
        ));
    }

    #[test]
    fn calls_that_find_nothing_where_they_do_not_fail_otherwise() {
        check(&format!(
            "{DATA}#- /data/web.yaml\nh: {{}}\n#- /data/mail.yaml\nl: text\n#- /manifests/site.pp\n\
             lookup('l.9')\n\
             #      ^^^^^ warning[failing-lookup]: Data Provider type mismatch: Got String when a hash-like object was expected to access value using '9' from key 'l.9' The call fails for every node.\n\
             lookup('l.9', Any, 'first', 'd')\n\
             #      ^^^^^ warning[failing-lookup]: Data Provider type mismatch: Got String when a hash-like object was expected to access value using '9' from key 'l.9' The call fails for nodes where role is mail.\n\
             lookup('h.a.x')\n\
             #      ^^^^^^^ warning[failing-lookup]: undefined method `include?' for 1:Integer The call fails for every node.\n"
        ));
    }

    #[test]
    fn calls_that_may_succeed() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup(['s', 's.x'])\nlookup('h.a')\nlookup('l', Array, 'unique')\nhiera_hash('h')\nhiera_array('port')\nhiera_array('none')\nhiera_array('h')\nlookup('h', Hash, 'hash')\n\
             lookup('s.x', {{ 'override' => {{ 's.x' => 1 }} }})\nlookup('s.x', $options)\n"
        ));
    }

    /// Another rule explains it.
    #[test]
    fn failures_of_every_lookup() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: common.yaml}]\n\
             #- /data/common.yaml\na: [1\n#  ^^ error[yaml-syntax]\n#- /manifests/site.pp\nlookup('a.b', Any, 'first', 1)\n",
        );
    }
}
