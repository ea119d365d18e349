//! `yml-extension-trap`: `x.yml` where the hierarchy reads `x.yaml`, or the other way round.

use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::file::UnreadContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::text::TextRange;
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "yml-extension-trap",
    name: "File extension that no level reads",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "No level loads this file: it ends in `.yml` where the hierarchy expects `.yaml`, or the other way round.",
    page: include_str!("../../../../docs/rules/yml-extension-trap.md"),
    explains: Some(Subject::UnreadFile),
    checks: &[Check::Unread(check)],
    may_quote: |_| false,
    ..Rule::USUAL
};

/// Checks a file that no level reads.
pub(crate) fn check(file: &UnreadContext<'_>, report: &mut Report) {
    let UnreadContext { world, path } = *file;
    let other = match paths::extension(path) {
        "yml" => "yaml",
        "yaml" => "yml",
        _ => return,
    };
    let Some(environment) = world.environment_of(path) else { return };
    let twin = format!("{}{other}", &path[..path.len() - paths::extension(path).len()]);
    // If no level expects the other extension, another rule reports the file.
    if !world.reach(&environment).reaches(&twin) || world.kind(path) != PathKind::File {
        return;
    }
    let Ok(text) = world.text(path) else { return };
    let message = format!(
        "no level of the hierarchy loads this file: hiera.yaml expects `{}`\n\
         Rename the file, or add its path to the hierarchy.",
        paths::file_name(&twin)
    );
    report.add(&RULE, TextRange::first_line(&text), message);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn both_ways() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: nodes, path: "nodes/%{trusted.certname}.yaml"}
  - {name: common, path: common.yml}
#          ^^^^^^ hint[level-never-matches]
#- /data/nodes/one.yml
a: 1
#^^^ warning[yml-extension-trap]: no level of the hierarchy loads this file: hiera.yaml expects `one.yaml`…
#- /data/nodes/two.yaml
a: 1
#- /data/common.yaml
a: 1
#^^^ warning[yml-extension-trap]
#- /data/other.yml
a: 1
#^^^ hint[orphan-file]
"#,
        );
    }
}
