//! `unused-ignore`: a comment that suppresses nothing. It would suppress the next mistake.

use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::suppression::baseline::Stale;
use crate::ide::diagnostics::suppression::ignored::{Ignore, nearest_rule};
use crate::ide::diagnostics::{Report, Rule, Severity, Tag, rule};
use crate::ide::pair_edits::whole_lines;
use crate::settings::Preset;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "unused-ignore",
    name: "Ignore comment without effect",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A comment, or the baseline, silences a rule that reports nothing there.",
    page: include_str!("../../../../docs/rules/unused-ignore.md"),
    tag: Some(Tag::Unnecessary),
    ..Rule::USUAL
};

/// Whether comments can silence the rule. This rule runs after the comments, so none suppresses it.
pub(crate) fn heeds_comments(code: &str) -> bool {
    code != RULE.code
}

/// Checks the comments of `text`. `is_on` says whether a rule is on in this file, and `is_certain` whether a rule that reports
/// nothing about a part of the text has nothing to report there.
pub(crate) fn check(
    text: &str,
    ignores: &[Ignore<'_>],
    is_on: impl Fn(&str) -> bool,
    is_certain: impl Fn(Option<&Rule>, &str) -> bool,
    report: &mut Report,
) {
    for ignore in ignores {
        if ignore.is_misread {
            let message = "hiera-ls does not read this comment\nWrite `# hiera-ls: ignore[rule]`, and the reason after it.";
            report.add(&RULE, ignore.range, message);
            continue;
        }
        let rules = ignore.codes.iter().enumerate().filter(|(number, _)| !ignore.used[*number]);
        for (number, (code, range)) in rules {
            let known = rule(code);
            let is_silent = |it| is_on(code) && is_certain(Some(it), ignore.subject(text));
            // A comment that names this rule never counts as used.
            if !heeds_comments(code) || known.is_some_and(|it| !is_silent(it)) {
                continue;
            }
            let message = match (known, nearest_rule(code)) {
                (Some(_), _) => {
                    format!("`{code}` reports nothing here\nRemove it from the comment.")
                }
                (None, Some(near)) => {
                    format!("there is no rule `{code}`\nDid you mean `{near}`?")
                }
                (None, None) => format!("there is no rule `{code}`"),
            };
            let finding = report.add(&RULE, *range, message);
            if let Some(meant) = ignore.meant[number] {
                let edits = vec![TextEdit::replace(*range, meant)];
                finding.with_fix(Fix::safe(format!("Write `{meant}`"), edits));
                continue;
            }
            let edit = if ignore.codes.len() == 1 {
                without_comment(text, ignore)
            } else {
                without_code(text, *range)
            };
            finding.with_fix(Fix::safe(format!("Remove `{code}` from the comment"), vec![edit]));
        }
        if ignore.codes.is_empty() && !ignore.used[0] && is_certain(None, ignore.subject(text)) {
            let message = "no rule reports anything here\nRemove the comment.";
            let edits = vec![without_comment(text, ignore)];
            let finding = report.add(&RULE, ignore.range, message);
            finding.with_fix(Fix::safe("Remove the comment", edits));
        }
    }
    report.findings.sort_by_key(|it| (it.range.start, it.range.end));
}

/// Reports known findings in the baseline that no longer exist, once for the file: many are gone when old findings were mended.
pub(crate) fn check_baseline<'b>(
    stale: impl Iterator<Item = &'b Stale<'b>>,
    (severity, preset): (Severity, Preset),
    report: &mut Report,
) {
    // The baseline may name rules of another version, of which nothing is known here.
    let stale: Vec<&Stale<'_>> = stale.filter(|it| rule(it.code).is_some()).collect();
    let Some(Stale { code, key, range, .. }) = stale.iter().min_by_key(|it| it.range.start) else {
        return;
    };
    let subject = if key.is_empty() { "this file".to_owned() } else { format!("`{key}`") };
    let all = stale.iter().map(|it| it.count).fold(0, u64::saturating_add);
    let findings = if all == 1 { "finding that is gone" } else { "findings that are gone" };
    let such = if stale.len() == 1 { ":" } else { ", such as" };
    // Without this preset, the findings of many rules would be missing in the new baseline.
    let preset = if preset == Preset::Strict { " --preset strict" } else { "" };
    let message = format!(
        "the baseline lists {all} {findings}{such} `{code}` of {subject}\n\
         Write it again: `hiera-ls check{preset} --write-baseline`."
    );
    report.add_as(&RULE, severity, *range, message);
}

/// The comment with its line, or with the spaces before it.
fn without_comment(text: &str, ignore: &Ignore<'_>) -> TextEdit {
    if ignore.stands_alone
        && let Some(line) = whole_lines(text, ignore.range)
    {
        return TextEdit::delete(line);
    }
    let start = text[..ignore.range.start as usize].trim_end_matches([' ', '\t']).len();
    TextEdit::delete(TextRange::new(start as u32, ignore.range.end))
}

/// One rule of several, with its comma.
fn without_code(text: &str, code: TextRange) -> TextEdit {
    let after = &text[code.end as usize..];
    let rest = after.trim_start_matches([' ', '\t']);
    if let Some(rest) = rest.strip_prefix(',') {
        let next = rest.trim_start_matches([' ', '\t']);
        let end = text.len() - next.len();
        return TextEdit::delete(TextRange::new(code.start, end as u32));
    }
    let before = text[..code.start as usize].trim_end_matches([' ', '\t', ',']);
    TextEdit::delete(TextRange::new(before.len() as u32, code.end))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::diagnostics::shared::fix::Fix;
    use crate::ide::diagnostics::testing::{check, check_fix};
    use crate::ide::fixture::Fixture;

    #[test]
    fn what_is_used_or_off_is_not_reported() {
        check(
            r#"
a: yes # hiera-ls: ignore[yaml-1.1-boolean]
b: "%{x}" # hiera-ls: ignore[unscoped-variable]
c: true # hiera-ls: ignore
#       ^^^^^^^^^^^^^^^^^^ information[unused-ignore]: no rule reports anything here…
d: true # hiera-ls: ignore[octl-number]
#                          ^^^^^^^^^^^ information[unused-ignore]: there is no rule `octl-number` Did you mean `octal-number`?
# hiera-ls: ignore-file[comma-number, octal-number]
#                       ^^^^^^^^^^^^ information[unused-ignore]: `comma-number` reports nothing here…
e: 0644
f: 0644
"#,
        );
    }

    #[test]
    fn comments_that_are_none() {
        check(
            r#"
a: 0644 # we know. hiera-ls: ignore[octal-number]
#  ^^^^ warning[octal-number]
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[unused-ignore]: hiera-ls does not read this comment…
# hiera-ls: disable[octal-number]
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[unused-ignore]
b: 0644
#  ^^^^ warning[octal-number]
c: "x # known. hiera-ls: ignore[octal-number]"
# hiera-ls: see [octal-number]
# HIERA-LS: ignore[octal-number]
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[unused-ignore]: hiera-ls does not read this comment…
# Hiera-LS: Ignore[octal-number]
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[unused-ignore]
"#,
        );
    }

    #[test]
    fn what_is_of_no_use_goes() {
        let title = "Remove `octal-number` from the comment";
        check_fix(
            "a: yes # hiera-ls: ignore[yaml-1.1-boolean, octal-number] why\n",
            title,
            "a: yes # hiera-ls: ignore[yaml-1.1-boolean] why\n",
        );
        check_fix(
            "a: yes # hiera-ls: ignore[octal-number, yaml-1.1-boolean]\n",
            title,
            "a: yes # hiera-ls: ignore[yaml-1.1-boolean]\n",
        );
        check_fix("a: 1  # hiera-ls: ignore[octal-number] why\nb: 1\n", title, "a: 1\nb: 1\n");
        check_fix("a:\n  # hiera-ls: ignore\n  b: 1\n", "Remove the comment", "a:\n  b: 1\n");
    }

    /// The comment is meant, and so is the value.
    #[test]
    fn a_misspelt_rule() {
        for written in ["octal-numer", "OCTAL-NUMBER", "octal_number"] {
            let text = format!("a: 010 # hiera-ls: ignore[{written}] the device wants it\n");
            let meant = text.replace(written, "octal-number");
            check_fix(&text, "Write `octal-number`", &meant);
            let fixture = Fixture::parse_without_marks(&text);
            let findings = diagnostics(&fixture.world(), &fixture.files[0].world_path());
            let octal = findings.iter().find(|it| it.code == "octal-number");
            let fixes = octal.map_or(&[][..], |it| &it.fixes);
            assert!(!fixes.is_empty() && fixes.iter().all(Fix::is_by_hand), "{text}");
        }
        let title = "Remove `no-such-rule` from the comment";
        check_fix("a: 1 # hiera-ls: ignore[no-such-rule]\n", title, "a: 1\n");
    }

    #[test]
    fn rules_that_are_off_may_be_named() {
        check(
            r"
#- /.hiera-ls.yaml
diagnostics: {severity: {octal-number: 'off'}}
#- /data/common.yaml
a: 1 # hiera-ls: ignore[octal-number]
b: 1 # hiera-ls: ignore[unused-key]
c: 1 # hiera-ls: ignore[unused-ignore]
",
        );
    }
}
