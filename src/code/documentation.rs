//! Comments about parameters: the `@param` tags above a declaration, as Puppet Strings reads them.

use super::CodeFile;
use crate::syntax::puppet::Declaration;
use crate::text::TextRange;

/// The text about the parameter `name` in the comment directly above `declaration`: Markdown, in lines as they are written, without
/// their common indentation.
pub fn of_parameter(file: &CodeFile, declaration: &Declaration, name: &str) -> Option<String> {
    let mut first = None;
    let mut others: Vec<&str> = Vec::new();
    let mut is_wanted = false;
    for line in comment_above(file, declaration) {
        if line.trim_start().starts_with('@') {
            let rest = line.trim().strip_prefix("@param");
            let rest = rest.and_then(|it| it.strip_prefix([' ', '\t']));
            let of_name = rest.map(without_type).and_then(|it| {
                let (first, more) = it.split_once(char::is_whitespace).unwrap_or((it, ""));
                (first == name).then_some(more)
            });
            // Of two tags for a parameter, the first one counts.
            is_wanted = of_name.is_some() && first.is_none();
            first = first.or(of_name);
        } else if is_wanted {
            others.push(line.trim_end());
        }
    }
    let indentation = |line: &&str| line.len() - line.trim_start().len();
    let common = others.iter().filter(|line| !line.is_empty()).map(indentation).min();
    let without = |line: &&str| {
        line.get(common.unwrap_or(0)..).unwrap_or_else(|| line.trim_start()).to_owned()
    };
    let lines: Vec<String> =
        [first?.trim().to_owned()].into_iter().chain(others.iter().map(without)).collect();
    // The type may also be written after the name: `@param name [Type] text`.
    let text = without_type(lines.join("\n").trim()).to_owned();
    (!text.is_empty()).then_some(text)
}

/// Where the comment directly above `declaration` names the parameter `name` in a `@param` tag.
pub fn tag_of_parameter(
    file: &CodeFile,
    declaration: &Declaration,
    name: &str,
) -> Option<TextRange> {
    comment_above(file, declaration).into_iter().find_map(|line| {
        let rest = line.trim_start().strip_prefix("@param")?;
        let rest = without_type(rest.strip_prefix([' ', '\t'])?);
        let is_it = rest.split(char::is_whitespace).next() == Some(name);
        // `rest` is a part of the file's text, so the difference of the addresses is its position.
        let start = rest.as_ptr() as usize - file.text.as_ptr() as usize;
        is_it.then(|| TextRange::new(start as u32, (start + name.len()) as u32))
    })
}

/// The lines of the comment that ends directly above a declaration, without their `#`.
fn comment_above<'a>(file: &'a CodeFile, declaration: &Declaration) -> Vec<&'a str> {
    let before = &file.text[..declaration.range.start as usize];
    // Only the indentation of the declaration is removed. An empty line separates a comment from the declaration.
    let lines = before.trim_end_matches([' ', '\t']).lines().rev();
    let comments = lines.map_while(|line| line.trim_start().strip_prefix('#'));
    let mut comments: Vec<_> = comments.collect();
    comments.reverse();
    comments
}

/// Skips a type in brackets before the name or before the text.
fn without_type(text: &str) -> &str {
    let text = text.trim_start();
    let Some(inner) = text.strip_prefix('[') else { return text };
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        if depth == 0 {
            return inner[at + 1..].trim_start();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(comment: &str, expected: Option<&str>) {
        let file = CodeFile::of_text("/a.pp", format!("{comment}class a($p, $q) {{ }}\n"));
        let found = of_parameter(&file, &file.manifest.declarations[0], "p");
        assert_eq!(found.as_deref(), expected, "{comment}");
    }

    #[test]
    fn tags_of_the_comment_directly_above() {
        check(
            "# A class.\n#\n# @param p The\n#   port.\n#\n# @param q Other.\n",
            Some("The\nport."),
        );
        check(
            "# @param p One of:\n#   * `a`:\n#     first\n#\n#   ```\n#   x\n#   ```\n#\n# @param q\n",
            Some("One of:\n* `a`:\n  first\n\n```\nx\n```"),
        );
        check("# @param p\n#\tA\n#  b\n# @param p Again.\n", Some("A\n b"));
        check("# @param [Optional[Integer]] p The port.\n", Some("The port."));
        check("# @param p [Integer[1,2]] The port.\n", Some("The port."));
        check("# @param pp Another.\n# @param p\n", None);
        check("# @param p The port.\n\n", None);
        check("# @param p\n#   The port.\n# @example\n#   x\n", Some("The port."));
        check("", None);
        let file = CodeFile::of_text("/a.pp", "# @param [A[B]] p x\nclass a($p) { }");
        let range = tag_of_parameter(&file, &file.manifest.declarations[0], "p");
        assert_eq!(range, Some(TextRange::new(16, 17)));
    }
}
