//! What comments in a file say shall not be reported: `# hiera-ls: ignore[rule]`.
//!
//! The comment counts for its own line, and for the next one if it stands alone. `ignore-file` counts for the whole
//! file. Without brackets all rules are meant, with brackets those between them.

use memchr::memmem;

use super::Diagnostic;
use crate::text::LineIndex;

const MARK: &str = "hiera-ls:";

/// One comment.
#[derive(Debug, PartialEq, Eq)]
struct Ignore<'t> {
    /// The line that it is for, from 0; `None` for the whole file.
    line: Option<u32>,
    /// The rules; none means all of them.
    codes: Vec<&'t str>,
}

/// Takes out what the comments of `text` say.
pub(super) fn leave_out(text: &str, findings: &mut Vec<Diagnostic>) {
    if findings.is_empty() || memmem::find(text.as_bytes(), MARK.as_bytes()).is_none() {
        return;
    }
    let ignores = ignores(text);
    let index = LineIndex::new(text);
    findings.retain(|finding| {
        let line = index.line_of(finding.range.start);
        !ignores.iter().any(|ignore| {
            ignore.line.is_none_or(|it| it == line)
                && (ignore.codes.is_empty() || ignore.codes.contains(&finding.code))
        })
    });
}

fn ignores(text: &str) -> Vec<Ignore<'_>> {
    let mut ignores = Vec::new();
    for (number, line) in (0..).zip(text.split('\n')) {
        let Some(at) = line.find(MARK) else { continue };
        let before = line[..at].trim_end();
        let Some(before) = before.strip_suffix('#').or_else(|| before.strip_suffix("//")) else {
            continue;
        };
        let Some((is_file, codes)) = command(&line[at + MARK.len()..]) else { continue };
        let stands_alone = before.trim().is_empty();
        let line = if stands_alone { number + 1 } else { number };
        ignores.push(Ignore { line: (!is_file).then_some(line), codes });
    }
    ignores
}

/// `ignore`, `ignore[a, b]`, `ignore-file[a]`; what stands behind is a reason for people.
fn command(text: &str) -> Option<(bool, Vec<&str>)> {
    let rest = text.trim_start().strip_prefix("ignore")?;
    let (is_file, rest) = match rest.strip_prefix("-file") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    match rest.chars().next() {
        Some('[') => {
            let codes = rest[1..].split_once(']')?.0.split(',').map(str::trim);
            Some((is_file, codes.filter(|code| !code.is_empty()).collect()))
        }
        Some(c) if !c.is_whitespace() && c != ':' => None,
        _ => Some((is_file, Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn on_the_line_and_on_the_line_above() {
        check(
            r#"
a: "%{lookup('')}" # hiera-ls: ignore[malformed-token]
# hiera-ls: ignore[malformed-token, unknown-function] because
b: "%{lookup('')}"
c: "%{lookup('')}"
#   ^^^^^^^^^^^^^ error[malformed-token]
d: "%{lookup('')}" # hiera-ls: ignore
e: "%{lookup('')}" # hiera-ls: ignore[unknown-function]
#   ^^^^^^^^^^^^^ error[malformed-token]
"#,
        );
    }

    #[test]
    fn in_the_whole_file() {
        check(
            r#"
# hiera-ls: ignore-file[malformed-token]
a: "%{lookup('')}"

b: "%{lokup('a')}"
#   ^^^^^^^^^^^^^ error[unknown-function]
"#,
        );
    }

    #[test]
    fn words_that_only_look_like_it() {
        check(
            r#"
a: "%{lookup('')}" # hiera-ls: ignored
#   ^^^^^^^^^^^^^ error[malformed-token]
b: "%{lookup('')} hiera-ls: ignore"
#   ^^^^^^^^^^^^^ error[malformed-token]
"#,
        );
    }
}
