//! `not-a-hash`: a data file is not a hash. Another rule reports empty YAML files: `empty-file`.

use crate::data::{Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "not-a-hash",
    name: "Not a hash",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "The root of a data file is not a hash.",
    page: include_str!("../../../../docs/rules/not-a-hash.md"),
    checks: &[Check::File(check)],
    may_quote: |_| false,
    ..Rule::USUAL
};

/// The root of a file.
pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let FileContext { text, format, verdict, version, .. } = file;
    let range = first_line_with_content(text);
    match (verdict, format) {
        (Verdict::NotAHash { .. }, Format::Yaml) => {
            let message =
                "file does not contain a valid yaml hash\nThe root must be `key: value` pairs.";
            // Puppet 7 warns and treats the file as empty. With Puppet 8's strictness, lookups fail.
            let severity = if version.is_strict() { RULE.severity } else { Severity::Warning };
            report.add_as(&RULE, severity, range, message);
        }
        (Verdict::Empty | Verdict::NotAHash { .. }, Format::Json | Format::Hocon) => {
            let message = "expects a Hash value\nThe root must be an object of keys and values.";
            report.add(&RULE, range, message);
        }
        _ => {}
    }
}

fn first_line_with_content(text: &str) -> TextRange {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') && content != "---" {
            let at = start + (line.len() - line.trim_start().len()) as u32;
            return TextRange::new(at, at + content.len() as u32);
        }
        start += line.len() as u32;
    }
    TextRange::empty(0)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn roots() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    globs: ['*.yaml']
#- /data/list.yaml
---
- a
#^^ error[not-a-hash]: file does not contain a valid yaml hash…
#- /data/hash.yaml
a: 1
",
        );
    }

    #[test]
    fn puppet_7_goes_on_without_the_file() {
        check(
            r"
#- /.hiera-ls.yaml
puppetVersion: 7
#- /data/common.yaml
- a
#^^ warning[not-a-hash]
",
        );
    }

    #[test]
    fn puppet_7_refuses_other_formats_too() {
        check(
            "#- /.hiera-ls.yaml\npuppetVersion: 7\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: x, data_hash: json_data, path: common.json}]\n\
             #- /data/common.json\n[1]\n#^^ error[not-a-hash]: expects a Hash value…\n",
        );
    }
}
