//! `convert-to-fails`: a value that its `convert_to` cannot convert. The message is Puppet's, from the engine.
//!
//! A type that nothing can be converted to is the matter of `convert-to-invalid`.

use crate::data::render;
use crate::engine::{Answer, Failure, Source, convert_to};
use crate::ide::context;
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::bound_values::conversion_of;
use crate::ide::diagnostics::shared::failing_nodes::failing_nodes_of;
use crate::ide::diagnostics::shared::option_keys::Conversion;
use crate::ide::diagnostics::shared::text_lookup::looks_up_missing_keys;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::key_path::Segment;

pub(crate) const RULE: Rule = Rule {
    code: "convert-to-fails",
    name: "Value that cannot be converted",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "The key's `convert_to` cannot convert this value, so the lookup fails.",
    page: include_str!("../../../../docs/rules/convert-to-fails.md"),
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

/// Checks the root key of an entry.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(perspective) = at.perspective else { return };
    let key = at.key();
    let demands = at.known().and_then(|known| known.demands(key));
    if demands.is_some_and(|it| it.conversion == Conversion::None) {
        return;
    }
    let evaluator = &perspective.evaluator;
    if evaluator.merge_for(key).convert_to().is_none() {
        return;
    }
    let asked = context::lookup_key([&Segment::Name(key.into())].into_iter());
    let Some(asked) = asked else { return };
    let answer = perspective.answer(&asked);
    let cases = answer.each_case();
    for (_, case) in &cases {
        let Some(failure) = refusal(&asked, case) else { continue };
        // Background work does not decrypt, so the text may be a valid one.
        let is_encrypted = |it: &Source| {
            it.interpolated.as_ref().is_some_and(|it| render::has_encrypted_text(&it.value))
        };
        if case.sources.iter().any(is_encrypted) {
            continue;
        }
        let blamed = blamed(&asked, case);
        let Some(source) = blamed.iter().find(|it| *it.path == *at.file.path) else { continue };
        let Some(place) = source.written.as_ref().and_then(|it| it.root_value.place) else {
            continue;
        };
        // If no file here has the key, the data may be stored elsewhere, as secrets often are.
        if looks_up_missing_keys(evaluator, at.entry.value.range.slice(at.entry.text)) {
            continue;
        }
        let severity = if answer.is_certain() { RULE.severity } else { Severity::Warning };
        let fails = cases.iter().filter(|(_, case)| refusal(&asked, case).is_some());
        let fails: Vec<_> = fails.map(|(conditions, _)| *conditions).collect();
        let is_in_all = fails.len() == cases.len() && answer.left_out.is_empty();
        let nodes = failing_nodes_of(evaluator.node(), &fails, is_in_all);
        let message = format!("{}\nThe lookup fails for {nodes}.", failure.message);
        let finding = report.add_as(&RULE, severity, place.range, message);
        finding.related.extend(conversion_of(&perspective.world, case).and_then(|it| it.place));
        return;
    }
}

/// Why a value cannot be converted, if it is the reason why the lookup fails.
fn refusal<'a>(key: &str, case: &'a Answer) -> Option<&'a Failure> {
    let failure = case.outcome.as_ref().err()?;
    convert_to::is_about_the_value(key, &failure.message).then_some(failure)
}

/// The sources whose values cannot be converted by themselves; all sources if only the merged value cannot.
fn blamed<'a>(key: &str, case: &'a Answer) -> Vec<&'a Source> {
    let counting: Vec<&Source> = case.sources.iter().filter(|it| it.counts()).collect();
    let Some(wanted) = case.merge.as_ref().and_then(|it| it.convert_to()) else { return counting };
    let is_wrong = |source: &&&Source| {
        let value = source.interpolated.clone();
        value.is_some_and(|value| convert_to::convert(key, wanted, value).is_err())
    };
    let wrong: Vec<&Source> = counting.iter().filter(is_wrong).copied().collect();
    if wrong.is_empty() { counting } else { wrong }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    const OPTIONS: &str = "lookup_options: {^.: {convert_to: Integer}}\n";

    #[test]
    fn values_of_all_kinds() {
        check(
            r#"
lookup_options:
  number: {convert_to: Integer}
  hex: {convert_to: [Integer, 16]}
  list: {convert_to: "Array[Integer]"}
  span: {convert_to: Timespan}
  truth: {convert_to: Boolean}
  nothing: {convert_to: Sensitive}
  type: {convert_to: 5}
#                    ^ error[convert-to-invalid]
  choice: {convert_to: "Enum[x]"}
#                      ^^^^^^^^^ warning[convert-to-invalid]
number: abc
#       ^^^ error[convert-to-fails]: The convert_to lookup_option for key 'number' raised error: 'new' The string 'abc' cannot be converted to Integer The lookup fails for any node.
hex: '0xff'
list: [a]
#     ^^^ error[convert-to-fails]: The convert_to lookup_option for key 'list' raised error: …
span: soon
#     ^^^^ error[convert-to-fails]
truth: maybe
#      ^^^^^ error[convert-to-fails]
nothing: ~
type: 1
choice: y
"#,
        );
    }

    #[test]
    fn the_file_with_the_value_has_the_finding() {
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: r, path: 'roles/%{{facts.role}}.yaml'}}\n\
             - {{name: c, path: common.yaml}}\n\
             #- /data/roles/web.yaml\na: x\n\
             #  ^ error[convert-to-fails]: The convert_to lookup_option for key 'a' raised error: 'new' The string 'x' cannot be converted to Integer The lookup fails for any node where role is web.\n\
             b: 1\nc: 1\n\
             #- /data/common.yaml\n{OPTIONS}a: 1\nb: y\n\
             #  ^ warning[convert-to-fails]: The convert_to lookup_option for key 'b' raised error: 'new' The string 'y' cannot be converted to Integer The lookup fails for any node, unless another level decides.\n\
             c: '3'\n"
        ));
    }

    #[test]
    fn the_wrong_part_of_a_merged_value_has_the_finding() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
k: [1]
#- /data/b.yaml
lookup_options: {k: {merge: unique, convert_to: 'Array[Integer]'}}
k: [x]
#  ^^^ error[convert-to-fails]
",
        );
    }

    #[test]
    fn what_is_not_known_is_left_alone() {
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
             - {{name: e, path: secret.yaml, lookup_key: eyaml_lookup_key}}\n- {{name: c, path: common.yaml}}\n\
             #- /data/secret.yaml\ncc: ENC[PKCS7,abc]\n\
             #   ^^^^^^^^^^^^^^ error[eyaml-blob]\n\
             #^ hint[encrypted-but-not-sensitive]\n\
             #- /data/common.yaml\n{OPTIONS}a: '%{{facts.x}}'\nb: \"%{{lookup('nowhere')}}\"\n\
             #   ^^^^^^^^^^^^^^^^^^^^ warning[missing-lookup-target]\n"
        ));
    }

    #[test]
    fn the_value_of_another_key() {
        check(
            "lookup_options: {a: {convert_to: Integer}}\n\
             a: \"%{alias('b')}\"\n\
             #  ^^^^^^^^^^^^^^^ error[convert-to-fails]\n\
             b: x\n",
        );
    }

    #[test]
    fn it_leads_to_the_options() {
        check_related(
            &format!("{OPTIONS}a: x\n"),
            "convert-to-fails",
            &["/data/common.yaml: ^.: these lookup options convert it"],
        );
    }
}
