//! The places that a hover names, for editors that can turn them into links.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::data::{Files as _, PathKind};
use crate::world::{World, paths};

/// `data/common.yaml:5` as code, optionally followed by a pattern of `lookup_options`.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"`(?<path>[^`\n]+?):(?<line>[0-9]{1,9})(?: [^`\n]*)?`")
        .expect("the pattern is valid")
});

/// A place that a hover names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlace {
    /// Bytes of the hover's text, code marks included.
    pub span: Range<usize>,
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
}

/// The places that `markdown`, a hover of the file at `path`, names outside of values. Only existing files are included.
pub fn named_places(world: &World, path: &str, markdown: &str) -> Vec<NamedPlace> {
    let Some(environment) = world.environment_of(path) else { return Vec::new() };
    let place = |(start, captures): (usize, regex::Captures<'_>)| {
        let span = captures.get(0)?.range();
        let path = paths::join(environment.directory(), &captures["path"]);
        let line = captures["line"].parse().ok()?;
        let span = span.start + start..span.end + start;
        (world.kind(&path) == PathKind::File).then_some(NamedPlace { span, path, line })
    };
    let lines = lines_outside_of_fences(markdown);
    let all = lines.flat_map(|(start, line)| PLACE.captures_iter(line).map(move |it| (start, it)));
    all.filter_map(place).collect()
}

/// The lines of Markdown with their first bytes, without blocks of code: a value may contain text that looks like a place.
fn lines_outside_of_fences(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    // The backticks that end the block.
    let mut open: Option<&str> = None;
    markdown.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let text = line.trim_start_matches(' ');
        let fence = &text[..text.len() - text.trim_start_matches('`').len()];
        match open {
            Some(end) => {
                if text.trim_end() == end {
                    open = None;
                }
                None
            }
            None if fence.len() >= 3 => {
                open = Some(fence);
                None
            }
            None => Some((at, line)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::CancelToken;
    use crate::ide::fixture::Fixture;
    use crate::ide::hover::hover;

    #[track_caller]
    fn check(files: &str, expected: &[(&str, &str, u32)]) {
        let hierarchy =
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: Common, path: common.yaml}]\n";
        let fixture = Fixture::parse(&format!("{hierarchy}{files}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let (world, path) = (fixture.world(), file.world_path());
        let markdown =
            hover(&world, &path, offset, &CancelToken::default()).expect("a hover").markdown;
        let places = named_places(&world, &path, &markdown);
        let shown: Vec<_> = places
            .iter()
            .map(|it| {
                (&markdown[it.span.clone()], it.path.rsplit('/').next().unwrap_or(""), it.line)
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn levels_and_what_sets_the_merge() {
        check(
            "#- /data/common.yaml\nlookup_options: {'^a': {merge: unique}}\na$0: [1]\n",
            &[
                ("`data/common.yaml:1 ^a`", "common.yaml", 1),
                ("`data/common.yaml:2`", "common.yaml", 2),
            ],
        );
    }

    #[test]
    fn cases_between_values() {
        let files = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: r, path: '%{role}.yaml'}\n- {name: c, path: common.yaml}\n\
                     #- /data/a.yaml\nk: {b: '`data/a.yaml:1`', c: 2}\n#- /data/d.yaml\nk: 1\n#- /data/e.yaml\nk: {f: 1, g: 2}\n\
                     #- /data/common.yaml\nk$0: {b: 1}\n";
        let of = |name: &'static str| (name, name.trim_matches('`').trim_start_matches("data/"));
        let expected =
            ["`data/a.yaml:1`", "`data/d.yaml:1`", "`data/e.yaml:1`", "`data/common.yaml:1`"];
        let expected = expected.map(of).map(|(span, file)| (span, file.trim_end_matches(":1"), 1));
        check(files, &expected);
    }

    #[test]
    fn no_text_of_the_value() {
        check(
            "#- /data/common.yaml\na$0: '`data/common.yaml:1`'\n",
            &[("`data/common.yaml:1`", "common.yaml", 1)],
        );
    }
}
