//! `hiera-yaml-version`: a `hiera.yaml` has a version that Puppet does not use at this place.
//!
//! Version 3 is only for the global layer. In an environment or a module, Puppet 7 ignores it, and Puppet 8 refuses it. A
//! file without `version` has version 3.

use std::sync::Arc;

use crate::config::HieraYaml;
use crate::config::hiera_yaml::{ConfigProblem, LayerKind, ProblemSubject};
use crate::data::{FileId, Files as _};
use crate::ide::diagnostics::config::ConfigTextContext;
use crate::ide::diagnostics::config::{version_four, version_three};
use crate::ide::diagnostics::file::UnreadContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::{pairs_of, text_of};
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::ide::pair_edits::line_end;
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::{TextEdit, TextRange, apply_edits};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "hiera-yaml-version",
    name: "Version of hiera.yaml",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A `hiera.yaml` is of a version that Puppet ignores or refuses here.",
    page: include_str!("../../../../docs/rules/hiera-yaml-version.md"),
    explains: Some(Subject::UnreadFile),
    checks: &[Check::ConfigText(check), Check::Unread(check_data)],
    may_quote: |_| false,
    ..Rule::USUAL
};

const AS_VERSION_FIVE: &str = "Convert to version 5";

/// Whether a problem belongs to this rule.
pub(crate) fn is_of_version(problem: &ConfigProblem) -> bool {
    matches!(problem.subject, ProblemSubject::Version | ProblemSubject::VersionThree)
}

pub(crate) fn check(file: &ConfigTextContext<'_>, report: &mut Report) {
    let ConfigTextContext { text, layer, is_global_too, problems, root, .. } = *file;
    let mut words: Vec<String> = Vec::new();
    let mut severity = Severity::Warning;
    let mut range = TextRange::empty(0);
    for problem in problems.iter().filter(|problem| is_of_version(problem)) {
        if problem.is_error() {
            severity = Severity::Error;
        }
        for detail in &problem.details {
            if let Some(place) = detail.place.or(problem.place) {
                range = place.range;
            }
            // Puppet's message starts with the path, which the position already shows.
            let start = detail.message.find("Use of '").unwrap_or(0);
            words.push(detail.message[start..].to_owned());
        }
    }
    if words.is_empty() {
        return;
    }
    let is_hash = root.is_some_and(|root| matches!(root.kind, NodeKind::Mapping(_)));
    if !is_hash {
        // There is nothing to convert.
        words.push("Write `version: 5`, and a `hierarchy` below it.".to_owned());
        report.add_as(&RULE, severity, TextRange::first_line(text), words.join("\n"));
        return;
    }
    if let Some(fix) = root.and_then(|root| with_version(file, root)) {
        let advice = "Everything else has the form of version 5: only `version: 5` is missing.";
        words.push(advice.to_owned());
        let finding = report.add_as(&RULE, severity, range, words.join("\n"));
        finding.fixes.push(fix);
        return;
    }
    words.push("Convert it to version 5.".to_owned());
    // Puppet 8 refuses it in an environment even if it is the global one as well.
    let may_be_global = severity == Severity::Warning && is_of_version_three(problems);
    if layer == LayerKind::Environment && !is_global_too && may_be_global {
        words.push(
            "If a server uses it as its global hiera.yaml, write `globalHieraYaml: hiera.yaml` in .hiera-ls.yaml."
                .to_owned(),
        );
    }
    let finding = report.add_as(&RULE, severity, range, words.join("\n"));
    finding.fixes.extend(as_version_five(text, layer));
}

/// Checks a data file that no level reads: the `hiera.yaml` beside it may be the reason. In `hiera.yaml`, the finding is an
/// error; here it is a hint, because there can be many data files.
pub(crate) fn check_data(file: &UnreadContext<'_>, report: &mut Report) {
    let UnreadContext { world, path } = *file;
    // An error in the `hiera.yaml` is reported there, and while it is typed, it would be in all data files.
    let unused = world.unused_config_of(path).filter(|it| it.is_of_other_version);
    let Some(unused) = unused else { return };
    let Ok(text) = world.text(path) else { return };
    let why = unused.in_words(paths::file_name(&unused.path));
    let message = format!("no level reads this file\n{why}.");
    report.add_as(&RULE, Severity::Hint, TextRange::first_line(&text), message);
}

fn is_of_version_three(problems: &[ConfigProblem]) -> bool {
    problems.iter().any(|it| it.subject == ProblemSubject::VersionThree)
}

/// The fix that adds the version, if the file has none and Puppet then reads it.
fn with_version(file: &ConfigTextContext<'_>, root: &Node) -> Option<Fix> {
    let ConfigTextContext { text, layer, puppet, problems, .. } = *file;
    let start = root.range.start;
    let is_block = text[..start as usize].chars().next_back().is_none_or(|it| it == '\n');
    let is_version = |it: &Pair| text_of(&it.key).is_some_and(|it| it.ends_with("version"));
    if !is_block || text[start as usize..].starts_with('{') || pairs_of(root).iter().any(is_version)
    {
        return None;
    }
    let edits = vec![TextEdit::insert(start, format!("version: 5{}", line_end(text)))];
    let fixed: Arc<str> = apply_edits(text, &edits).into();
    let (config, refused) = HieraYaml::read("hiera.yaml", FileId(0), Some(&fixed), layer, puppet);
    // An empty file is of no form.
    if !refused.is_empty() || config.is_none_or(|it| it.hierarchy.is_empty()) {
        return None;
    }
    // While Puppet only ignores the file, its keys get values by this.
    let make = if problems.iter().any(ConfigProblem::is_error) { Fix::safe } else { Fix::changing };
    Some(make("Add `version: 5`", edits))
}

fn as_version_five(text: &str, layer: LayerKind) -> Option<Fix> {
    if layer != LayerKind::Global
        && let Some(edits) = version_four::conversion(text)
    {
        return Some(Fix::safe(AS_VERSION_FIVE, edits));
    }
    // Version 5 cannot express everything of version 3, for example `merge_behavior`, so values may change.
    let new = version_three::converted(text, layer)?;
    let whole = TextRange::new(0, u32::try_from(text.len()).ok()?);
    Some(Fix::changing(AS_VERSION_FIVE, vec![TextEdit::replace(whole, new)]))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn an_empty_file_has_nothing_to_convert() {
        let refused = "error[hiera-yaml-version]: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5 \
                       hiera.yaml version 3 cannot be used in an environment Write `version: 5`, and a `hierarchy` below it.";
        check(&format!(
            "#- /hiera.yaml\n# none\n#^^^^^ {refused}\n#^^^^^ warning[hiera-yaml-schema]\n"
        ));
    }

    #[test]
    fn where_only_the_version_is_missing() {
        let rest = "defaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n  - name: x\n    path: common.yaml\n";
        check_fix(
            &format!("#- /hiera.yaml\n--- # a\n{rest}#- /data/common.yaml\na: 1\n"),
            "Add `version: 5`",
            &format!("--- # a\nversion: 5\n{rest}"),
        );
        check(
            "#- /hiera.yaml\nhierarchy:\n\
             #^^^^^^^^ error[hiera-yaml-version]: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5 \
             hiera.yaml version 3 cannot be used in an environment Everything else has the form of version 5: only `version: 5` is missing.\n  \
             - {name: x, path: common.yaml}\n\
             #   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[hiera-yaml-schema]\n\
             # ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[hiera-yaml-schema]\n",
        );
    }

    #[test]
    fn of_an_environment() {
        check(
            r"
#- /hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ error[hiera-yaml-version]
#- /hieradata/common.yaml
a: 1
#^^^ hint[hiera-yaml-version]
",
        );
        check(
            r"
#- /hiera.yaml
version: 4
#        ^ warning[hiera-yaml-version]
#- /data/common.yaml
a: 0644
#  ^^^^ warning[octal-number]
",
        );
        check("#- /hiera.yaml\nversion: 5\n");
    }

    /// Puppet 8 fails every lookup then, and Puppet 7 finds no key.
    #[test]
    fn data_beside_it() {
        check(
            r#"
#- /hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ error[hiera-yaml-version]
#- /hieradata/common.yaml
a: 0644
#^^^^^^ hint[hiera-yaml-version]: no level reads this file Puppet does not use hiera.yaml: hiera.yaml version 3 cannot be used in an environment.
#  ^^^^ warning[octal-number]
bb: 1
bb: 2
#^ warning[duplicate-key]
c: "%{lookup('nowhere')}"
"#,
        );
        check(
            r"
#- /hiera.yaml
version: 5
#- /modules/m/hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ error[hiera-yaml-version]
#- /modules/m/hieradata/common.yaml
m::a: [1, 2
#^^^^^^^^^^ hint[hiera-yaml-version]
#     ^^^^^ error[yaml-syntax]
m::b: 1
",
        );
    }

    #[test]
    fn an_error_says_nothing_of_the_version() {
        check(
            r"
#- /hiera.yaml
version: 5: x
#         ^^^ error[hiera-yaml-schema]: mapping values are not allowed in this context…
#- /data/common.yaml
a: 1
",
        );
    }

    /// Puppet 8 refuses the file in the environment, so a setting would not help.
    #[test]
    fn version_three_of_an_environment_of_puppet_8() {
        check(
            r"
#- /hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ error[hiera-yaml-version]: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5 hiera.yaml version 3 cannot be used in an environment Convert it to version 5.
#- /hieradata/common.yaml
a: 1
#^^^ hint[hiera-yaml-version]
",
        );
    }

    /// Some repositories contain the server's own file at their root.
    #[test]
    fn version_three_may_be_the_servers_own() {
        check(
            r"
#- /.hiera-ls.yaml
puppetVersion: 7
#- /hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ warning[hiera-yaml-version]: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5 hiera.yaml version 3 found at the environment root was ignored Convert it to version 5. If a server uses it as its global hiera.yaml, write `globalHieraYaml: hiera.yaml` in .hiera-ls.yaml.
:yaml:
  :datadir: /etc/puppet/environments/%{environment}/hieradata
#- /hieradata/common.yaml
a: 1
#^^^ hint[hiera-yaml-version]
",
        );
        check(
            r"
#- /.hiera-ls.yaml
puppetVersion: 7
globalHieraYaml: hiera.yaml
#- /hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ warning[hiera-yaml-version]: Use of 'hiera.yaml' version 3 is deprecated. It should be converted to version 5 hiera.yaml version 3 found at the environment root was ignored Convert it to version 5.
:yaml:
  :datadir: /etc/puppet/environments/%{environment}/hieradata
#- /hieradata/common.yaml
a: 0644
#  ^^^^ warning[octal-number]
#- /hieradata/README.txt
Example: not: data
",
        );
    }

    #[test]
    fn version_four_gives_the_same_values_as_version_five() {
        check_fix(
            "#- /hiera.yaml\nversion: 4\ndatadir: hieradata\nhierarchy:\n  - {name: common, backend: yaml}\n\
             #- /hieradata/common.yaml\na: 1\n",
            "Convert to version 5",
            "version: 5\ndefaults:\n  datadir: hieradata\n  data_hash: yaml_data\nhierarchy:\n  \
             - {name: common, path: common.yaml, data_hash: yaml_data}\n",
        );
    }

    #[test]
    fn puppet_7_ignores_version_three() {
        check(
            r"
#- /.hiera-ls.yaml
puppetVersion: 7
#- /hiera.yaml
:hierarchy: [common]
#^^^^^^^^^ warning[hiera-yaml-version]
#- /hieradata/common.yaml
a: 1
#^^^ hint[hiera-yaml-version]
",
        );
    }

    #[test]
    fn of_modules_and_of_the_global_layer() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 3
#        ^ error[hiera-yaml-version]
#- /modules/m/hieradata/common.yaml
m::a: 1
#^^^^^^ hint[hiera-yaml-version]
#- /modules/m/hieradata/nodes/one.yaml
m::a: 2
#^^^^^^ hint[hiera-yaml-version]
#- /modules/n/hiera.yaml
version: 4
#        ^ warning[hiera-yaml-version]
#- /modules/n/data/common.yaml
n::a: 1
",
        );
        check(
            r"
#- /.hiera-ls.yaml
globalHieraYaml: global.yaml
#- /global.yaml
version: 4
#        ^ error[hiera-yaml-version]: Use of 'hiera.yaml' version 4 is deprecated. It should be converted to version 5 hiera.yaml version 4 cannot be used in the global layer…
#- /data/common.yaml
a: 1
",
        );
    }

    #[test]
    fn versions_that_nobody_knows() {
        check(
            r"
#- /hiera.yaml
version: 6
#        ^ error[hiera-yaml-version]
",
        );
    }

    /// Puppet does not read any of these.
    #[test]
    fn files_of_tests() {
        check(
            r"
#- /hiera.yaml
version: 5
#- /tests/hiera.yaml
:hierarchy: [common]
#- /spec/fixtures/hiera.yaml
:hierarchy: [common]
#- /modules/m/spec/fixtures/hiera.yaml
:hierarchy: [common]
",
        );
    }
}
