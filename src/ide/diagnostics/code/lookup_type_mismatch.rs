//! `lookup-type-mismatch`: a call of `lookup()` in code names a type that the data does not fit.
//!
//! The rule does not decide whether Puppet reaches the call. Plans have their own hierarchy and are ignored.

use std::borrow::Cow;
use std::sync::Arc;

use crate::code::file::language_of;
use crate::data::puppet_type::{self, Type, TypeAliases};
use crate::data::{Files as _, Hash, Located, Value, render};
use crate::engine::{Answer, Caller, Request};
use crate::ide::changes::on_one_line;
use crate::ide::code::lookup_call::LookupCall;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::shared::failing_nodes::{Case, certainly_fails, words_about_call};
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::syntax::puppet::{Call, Language};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "lookup-type-mismatch",
    name: "Lookup in code with a type that the data do not fit",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Puppet code looks up a key with a type, and the data for it do not fit that type.",
    page: include_str!("../../../../docs/rules/lookup-type-mismatch.md"),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the calls of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    let mut calls = code.file.manifest.calls.iter().filter(|it| has_type(it)).peekable();
    let is_plan = language_of(code.path) == Language::Plan;
    // Assumptions about variables are not true for all nodes.
    if calls.peek().is_none() || is_plan || code.has_no_data() || !code.world.assumed().is_empty() {
        return;
    }
    let aliases = code.world.type_aliases(code.environment);
    for call in calls {
        check_call(code, &aliases, call, report);
    }
}

fn has_type(call: &Call) -> bool {
    call.function == "lookup"
        && !call.is_dynamic
        && !call.names.is_empty()
        && call.written.len() > 1
        || call.function == "lookup" && !call.options.is_empty()
}

fn check_call(code: &CodeContext<'_>, aliases: &TypeAliases, call: &Call, report: &mut Report) {
    let Ok(LookupCall { request, default_code, open, .. }) = LookupCall::of(&code.file, call)
    else {
        return;
    };
    let (Some(first), Some(last)) = (call.names.first(), call.names.last()) else { return };
    let range = TextRange::new(first.range.start, last.range.end);
    let written = request.value_type.as_deref();
    let wanted = written.and_then(|it| puppet_type::evaluate(it, aliases).ok());
    let Some(wanted) = wanted.filter(|_| open.is_empty()) else { return };
    let overriding = request.names.iter().position(|it| request.overrides.get(it).is_some());
    if let Some(at) = overriding {
        // For a later name, the data of the names before it would decide.
        if at == 0 {
            check_override(&request, &wanted, range, report);
        }
        return;
    }
    let (default, of_default) = default_of(&request);
    // The value is looked up without its type, because a failed lookup has no value to explain.
    let default_values = Hash::default();
    let request = Request { value_type: None, default: None, default_values, ..request };
    let request = request.with_sources();
    let sets = code.variables_around(call.position);
    let caller = Caller { sets: &sets, ..code.caller_at(call.position) };
    let answer = code.evaluator().call_from(caller, &request);
    let cases: Vec<Case<'_>> = match answer.cases.as_slice() {
        [] => vec![(&[], &answer)],
        cases => cases.iter().map(|it| (it.conditions.as_slice(), &it.answer)).collect(),
    };
    let refused = |(_, answer): &Case<'_>| {
        let (found, subject) = match (&answer.outcome, &default) {
            (Ok(Some(found)), _) => (found.clone(), "Found value"),
            (Ok(None), Some(default)) => (default.clone(), &*of_default),
            _ => return None,
        };
        refusal(&wanted, &found, answer, subject).map(|words| (words, found))
    };
    let refusals: Vec<Option<(String, Located)>> = cases.iter().map(refused).collect();
    let Some((words, found)) = refusals.iter().flatten().next() else { return };
    let so: Vec<bool> = refusals.iter().map(Option::is_some).collect();
    // In the other cases, it may fail in another way.
    let is_here = || !request.names.iter().any(|it| code.may_be_elsewhere(it));
    let needs_data = default.is_none() && default_code.is_none() && is_here();
    let certainly_fails = |(_, it): &Case<'_>| certainly_fails(it, needs_data);
    let fails: Vec<bool> =
        cases.iter().zip(&so).map(|(case, so)| *so || certainly_fails(case)).collect();
    let Some(nodes) = words_about_call(&answer, (&cases, &fails, &so), &sets) else { return };
    let finding = report.add(&RULE, range, format!("{words}\n{nodes}"));
    finding.related.extend(found.place.map(|place| Related {
        path: Some(code.world.path(place.file)),
        range: place.range,
        message: "the value is here".to_owned(),
    }));
}

/// Checks the value that the option `override` has for the first name. Nothing else is looked up.
fn check_override(request: &Request, wanted: &Type, range: TextRange, report: &mut Report) {
    let Some(name) = request.names.first() else { return };
    let Some(value) = request.overrides.get(name) else { return };
    let subject = format!("Value found for key '{name}' in override hash");
    if let Some(words) = refusal_of(wanted, &value.value.value, &subject) {
        report.add(&RULE, range, format!("{words}\nThe call fails for every node."));
    }
}

/// What a lookup returns if it finds nothing, and what Puppet calls it.
fn default_of(request: &Request) -> (Option<Located>, Cow<'static, str>) {
    let of_name = |name: &Arc<str>| {
        let value = request.default_values.get(name)?.value.clone();
        Some((Some(value), format!("Value found for key '{name}' in default values hash").into()))
    };
    let by_name = request.names.iter().find_map(of_name);
    by_name.unwrap_or_else(|| (request.default.clone(), "Default value".into()))
}

/// Puppet's error message, if it certainly refuses the value.
fn refusal(wanted: &Type, found: &Located, answer: &Answer, subject: &str) -> Option<String> {
    // While Puppet refuses a file that it reads, the call fails in another way, and the file may be meant to have other values.
    if !answer.opaque.is_empty() || !answer.broken.is_empty() {
        return None;
    }
    let value = &found.value;
    let has_open_texts = !answer.open.is_empty() && value.has_tokens();
    if has_open_texts || render::has_encrypted_text(value) {
        let is_open = |text: &str| has_open_texts && text.contains("%{") || text.contains("ENC[");
        // An open text may become any string, so Puppet certainly refuses the value only if no string fits.
        if puppet_type::fit_of_open(wanted, value, &is_open) != Some(false) {
            return None;
        }
    }
    refusal_of(wanted, value, subject)
}

/// Puppet's error message, if it refuses the value as it is.
fn refusal_of(wanted: &Type, value: &Value, subject: &str) -> Option<String> {
    let fit = puppet_type::fit(wanted, value).ok()?;
    if fit.misfits.iter().any(puppet_type::Misfit::is_unresolved) {
        return None;
    }
    let lines = puppet_type::instance_problems(subject, wanted, value)?;
    if lines.is_empty() {
        // Puppet raises an error without a text.
        return Some(format!("{subject} has wrong type: Puppet refuses it and does not say why"));
    }
    // A message may quote a value with line ends.
    let lines = lines.iter().map(|it| on_one_line(it.trim()));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    const DATA: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: r, path: '%{role}.yaml'}\n- {name: c, path: common.yaml}\n\
                        #- /data/db.yaml\nport: '5432'\n\
                        #- /data/common.yaml\nport: 80\nservers: [a, 1]\nname: \"x%{other}\"\n\
                        #- /types/port.pp\ntype Port = Integer[1, 1024]\n";

    #[test]
    fn what_only_follows_from_a_broken_file_is_left_alone() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
             #- /data/common.yaml\nservers: \"%{alias('pool')}\"\npool: @\n\
             #     ^ error[yaml-syntax]\n\
             #- /manifests/site.pp\nlookup('servers', Array)\n",
        );
    }

    #[test]
    fn data_that_do_not_fit() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup('servers', Array[String])\n\
             #      ^^^^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, index 1 expects a String value, got Integer The call fails for every node.\n\
             lookup('port', Port)\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects a Port = Integer[1, 1024] value, got String The call fails for nodes where role is db.\n\
             lookup('port', String)\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects a String value, got Integer The call fails for every node, unless role is db.\n\
             lookup('port', Variant[Integer, String], 'first')\nlookup('port')\nlookup('name', String[1])\n\
             lookup('name', Pattern[/y/])\nlookup('name', Integer)\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects an Integer value, got String…\n\
             lookup('servers', {{ 'value_type' => Hash }})\n\
             #      ^^^^^^^^^ warning[lookup-type-mismatch]\n\
             lookup('servers', No::Such)\nlookup('servers', Hash, $merge)\n\
             lookup('none', Integer, 'first', 'x')\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Default value has wrong type, expects an Integer value, got String…\n\
             lookup('none', Integer, 'first', $x)\n\
             lookup(['nope', 'none'], {{ 'default_values_hash' => {{ 'none' => 1 }}, 'value_type' => String }})\n\
             #       ^^^^^^^^^^^^^^ warning[lookup-type-mismatch]: Value found for key 'none' in default values hash has wrong type, expects a String value, got Integer The call fails for every node.\n\
             lookup('none', {{ 'override' => {{ 'none' => [2] }}, 'value_type' => Integer }})\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Value found for key 'none' in override hash has wrong type, expects an Integer value, got Tuple The call fails for every node.\n\
             lookup('port', {{ 'override' => {{ 'port' => 1 }}, 'value_type' => Integer }})\n\
             lookup('port', {{ 'default_values_hash' => {{ 'port' => x }}, 'value_type' => Variant[Integer, String] }})\n"
        ));
    }

    /// Puppet 7.23 and 8.11 compile such code if the variable leads to a value that fits.
    #[test]
    fn variables_of_the_code_around_a_call() {
        let titles = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: t, path: '%{title}.yaml'}, {name: c, path: common.yaml}]\n\
                      #- /data/common.yaml\nk: 1\n#- /data/foo.yaml\nk: str\n";
        check(&format!(
            "{titles}#- /modules/m/manifests/d.pp\ndefine m::d {{ $y = lookup('k', String) }}\n\
             #- /modules/m/manifests/init.pp\nclass m {{ $y = lookup('k', String) }}\n\
             #                     ^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects a String value, got Integer The call fails for every node.\n"
        ));
        check(&format!(
            "{DATA}#- /modules/m/manifests/init.pp\nclass m {{ $role = 'db'  $y = lookup('port', String) }}\n\
             #- /modules/m/manifests/a.pp\nclass m::a($role) {{ $y = lookup('port', String) }}\n\
             #- /modules/m/manifests/b.pp\nclass m::b inherits m {{ $y = lookup('port', String) }}\n\
             #- /modules/m/manifests/c.pp\nclass m::c {{ $y = lookup('port', String) }}\n\
             #                        ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects a String value, got Integer The call fails for every node, unless role is db.\n"
        ));
    }

    #[test]
    fn all_cases_count() {
        let files = |common: &str, call: &str, nodes: &str| {
            format!(
                "{DATA}#- /data/web.yaml\nport: a\nname: 1\n#- /data/x.yaml\nport: b\n#- /data/common.yaml\n{common}\
                 #- /manifests/site.pp\nlookup({call})\n\
                 #      ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, {nodes}\n"
            )
        };
        let got = "expects an Integer value, got String The call fails for";
        check(&files("port: c\n", "'port', Integer", &format!("{got} every node.")));
        check(&files(
            "port: 80\n",
            "'port', Integer",
            &format!("{got} nodes where role is db, or role is web, or role is x."),
        ));
        check(&files(
            "name: x\n",
            "'name', Integer",
            &format!("{got} every node, unless role is web."),
        ));
        check(&files(
            "port: c\n",
            "'port', Pattern[/^[ab]/]",
            "expects a match for Pattern[/^[ab]/], got '5432' The call fails for every node, unless role is web, or role is x.",
        ));
    }

    #[test]
    fn nodes_for_which_the_call_finds_nothing_are_named() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: r, path: '%{role}.yaml'}]\n#- /data/db.yaml\nport: a\n\
             #- /manifests/site.pp\nlookup('port', Integer)\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects an Integer value, got String \
             The call fails for every node, with this message for nodes where role is db.\n\
             lookup('port', Integer, 'first', $x)\n\
             #      ^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects an Integer value, got String \
             The call fails for nodes where role is db.\n",
        );
    }

    #[test]
    fn several_problems_are_lines() {
        check(
            "#- /data/common.yaml\nh: {a: x}\n#- /manifests/site.pp\n\
             lookup('h', Struct[{a => Integer, b => Integer}])\n\
             #      ^^^ warning[lookup-type-mismatch]: Found value has wrong type, entry 'a' expects an Integer value, got String Found value has wrong type, expects a value for key 'b' The call fails for every node.\n",
        );
    }

    #[test]
    fn a_message_is_never_empty_and_values_stay_on_a_line() {
        check(
            "#- /data/common.yaml\nl: [1, 2, 3]\nt: \"a\\nb\"\n#- /manifests/site.pp\nlookup('l', Array[Any, 4])\n\
             #      ^^^ warning[lookup-type-mismatch]: Found value has wrong type: Puppet refuses it and does not say why The call fails for every node.\n\
             lookup('t', Enum['c'])\n\
             #      ^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects a match for Enum['c'], got 'a\\nb' The call fails for every node.\n",
        );
    }

    #[test]
    fn the_older_functions_have_no_types() {
        check(&format!("{DATA}#- /manifests/site.pp\nhiera('servers')\n"));
    }

    #[test]
    fn it_leads_to_the_value() {
        check_related(
            &format!("{DATA}#- /manifests/site.pp\nlookup('servers', Hash)\n"),
            "lookup-type-mismatch",
            &["/data/common.yaml: [a, 1]: the value is here"],
        );
    }
}
