//! `failing-lookup`: a call of `lookup()` or `hiera…()` in code fails whatever its default: its key cannot be split, leads into a
//! value without members, or has values that its merge does not accept.
//!
//! The rule does not decide whether Puppet reaches the call. Plans have their own hierarchy and are ignored.

use crate::code::file::language_of;
use crate::data::Value;
use crate::engine::{Answer, Caller};
use crate::ide::code::lookup_call::LookupCall;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::shared::failing_nodes::{Case, certainly_fails, words_about_call};
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
    let Ok(LookupCall { request, default_code, open, .. }) = LookupCall::of(&code.file, call)
    else {
        return;
    };
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
    let so: Vec<bool> = failures.iter().map(Option::is_some).collect();
    // In the other cases, it may fail in another way.
    let is_here = || !request.names.iter().any(|it| code.may_be_elsewhere(it));
    let needs_data = default_code.is_none() && is_here();
    let certainly_fails = |(_, it): &Case<'_>| certainly_fails(it, needs_data);
    let fails: Vec<bool> =
        cases.iter().zip(&so).map(|(case, so)| *so || certainly_fails(case)).collect();
    let Some(nodes) = words_about_call(&answer, (&cases, &fails, &so), &sets) else { return };
    let range = TextRange::new(first.range.start, last.range.end);
    report.add(&RULE, range, format!("{words}\n{nodes}"));
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
    fn calls_that_may_succeed() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup(['s', 's.x'])\nlookup('h.a')\nlookup('l', Array, 'unique')\nhiera_hash('h')\nhiera_array('port')\nhiera_array('none')\nhiera_array('h')\nlookup('h', Hash, 'hash')\n\
             lookup('s.x', {{ 'override' => {{ 's.x' => 1 }} }})\nlookup('s.x', $options)\n"
        ));
    }

    /// Puppet refuses all of these calls for every node, with a default those with a wrong value.
    #[test]
    fn all_nodes_for_which_a_call_fails_are_named() {
        let got = "Data Provider type mismatch: Got String when a hash-like object was expected to access value using";
        let files = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: r, path: '%{role}.yaml'}, {name: c, path: common.yaml}]\n\
                     #- /data/db.yaml\nh: text\n#- /data/common.yaml\nh: {a: 1}\nt: text\n#- /data/web.yaml\nt: {a: 1}\n";
        check(&format!(
            "{files}#- /manifests/site.pp\n\
             lookup('h.b')\n\
             #      ^^^^^ warning[failing-lookup]: {got} 'b' from key 'h.b' The call fails for every node, with this message for nodes where role is db.\n\
             hiera('t.b')\n\
             #     ^^^^^ warning[failing-lookup]: {got} 'b' from key 't.b' The call fails for every node, with this message for every node, unless role is web.\n\
             lookup('h.b', Any, 'first', 1)\n\
             #      ^^^^^ warning[failing-lookup]: {got} 'b' from key 'h.b' The call fails for nodes where role is db.\n\
             lookup('h.a')\n\
             #      ^^^^^ warning[failing-lookup]: {got} 'a' from key 'h.a' The call fails for nodes where role is db.\n\
             lookup('h.b') |$k| {{ $x }}\n\
             #      ^^^^^ warning[failing-lookup]: {got} 'b' from key 'h.b' The call fails for nodes where role is db.\n"
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
