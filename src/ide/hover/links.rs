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

/// The places after the value in `markdown`, a hover of the file at `path`. Only existing files are included.
pub fn named_places(world: &World, path: &str, markdown: &str) -> Vec<NamedPlace> {
    let Some(environment) = world.environment_of(path) else { return Vec::new() };
    // The value itself may contain text that looks like a place.
    let behind_value = markdown.rfind("```\n").map_or(0, |at| at + 4);
    let place = |captures: regex::Captures<'_>| {
        let span = captures.get(0)?.range();
        let path = paths::join(environment.directory(), &captures["path"]);
        let line = captures["line"].parse().ok()?;
        let span = span.start + behind_value..span.end + behind_value;
        (world.kind(&path) == PathKind::File).then_some(NamedPlace { span, path, line })
    };
    PLACE.captures_iter(&markdown[behind_value..]).filter_map(place).collect()
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
    fn no_text_of_the_value() {
        check(
            "#- /data/common.yaml\na$0: '`data/common.yaml:1`'\n",
            &[("`data/common.yaml:1`", "common.yaml", 1)],
        );
    }
}
