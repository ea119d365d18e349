//! Code lenses. Above each key that is overridden or merged, a lens says how many levels have it and which level wins.
//! Above class parameters, it says which levels set them. If the settings turn it on, a lens above a key names its class
//! parameter.

use std::sync::Arc;

use super::cases;
use super::class_parameter::ClassParameter;
use super::file_part::{FilePart, Known, Movable, joined, shifted};
use super::file_role::FileRole;
use super::overridden::SharedKey;
use super::perspective::Perspective;
use super::shared_keys::{EntryAnswers, FileLookups};
use crate::code::roots::is_code;
use crate::data::EntryTree;
use crate::engine::{CancelToken, UsedMerge};
use crate::syntax::key_path::Segment;
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;
use crate::world::World;

/// A line above a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLens {
    /// The key, in bytes of the file.
    pub range: TextRange,
    /// `3 levels · deep · overridden in nodes/web01.yaml`.
    pub title: String,
    /// The key as a lookup names it.
    pub key: String,
}

/// The lenses of the file at `path`; empty if the active node does not read it, or the request was cancelled.
pub fn code_lenses(world: &Arc<World>, path: &str, cancel: &CancelToken) -> Vec<CodeLens> {
    joined(lens_parts(world, path, &mut |_| false, cancel))
}

/// [`code_lenses`] by section.
pub fn lens_parts(
    world: &Arc<World>,
    path: &str,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Vec<FilePart<CodeLens>> {
    if is_code(path) {
        let found = super::code::code_lenses(world, path, cancel).unwrap_or_default();
        return vec![FilePart::unnumbered(0, found)];
    }
    find(world, path, known, cancel).unwrap_or_default()
}

fn find(
    world: &Arc<World>,
    path: &str,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Option<Vec<FilePart<CodeLens>>> {
    let FileRole::Data { format, .. } = FileRole::of(world, path)? else { return None };
    let settings = world.settings();
    if !settings.code_lens_enabled && !settings.class_parameters.lenses {
        return None;
    }
    let perspective = Perspective::shown(world, path)?;
    let file = world.file(path).ok()?;
    let mut lenses = Vec::new();
    let data = file.data(format);
    let answers = settings.code_lens_enabled.then(|| EntryAnswers::of(&perspective, data));
    let lookups = FileLookups { perspective: &perspective, path, cancel };
    for (number, section) in data.sections().enumerate() {
        if cancel.is_cancelled() {
            return None;
        }
        let answers = answers.as_ref().map(|it| it.section(number));
        // Classes may also have been edited.
        let id = match answers.filter(|_| !settings.class_parameters.lenses) {
            Some(answers) => answers.id(section, lookups)?,
            None => 0,
        };
        let start = section.range.start;
        let of_section = || {
            let mut found = Vec::new();
            for (number, entry) in section.trees().enumerate() {
                let answer = match answers {
                    Some(answers) => Some(answers.get(number, entry, lookups)?),
                    None => None,
                };
                let title = answer.as_ref().and_then(|it| it.title.as_deref());
                found.extend(shifted(of_entry(&perspective, entry, title), entry.start - start));
            }
            Some(found)
        };
        lenses.push(FilePart::of(id, start, known, of_section)?);
    }
    Some(lenses)
}

/// The lenses of an entry: one that names its class parameter, if the settings turn that on, and one with `title`.
fn of_entry(perspective: &Perspective, entry: EntryTree<'_>, title: Option<&str>) -> Vec<CodeLens> {
    let NodeKind::Scalar { text, .. } = &entry.key.kind else { return Vec::new() };
    let (world, environment) = (&perspective.world, perspective.evaluator.environment());
    let is_wanted = world.settings().class_parameters.lenses;
    let parameter = is_wanted.then(|| ClassParameter::of_key(world, environment, text)).flatten();
    let titles = parameter.map(|it| it.title()).into_iter().chain(title.map(str::to_owned));
    let key = || super::context::lookup_key([Segment::Name(text.clone())].iter());
    let lens = |title| CodeLens {
        range: entry.key.range,
        title,
        key: key().unwrap_or_else(|| text.to_string()),
    };
    titles.map(lens).collect()
}

impl Movable for CodeLens {
    fn shift(&mut self, by: u32) {
        self.range = self.range.shifted(by);
    }
}

/// The title for a key that several files have. `None` if the value in this file is used and no other level adds to it:
/// then there is nothing to say.
pub(crate) fn title(perspective: &Perspective, path: &str, shared: &SharedKey) -> Option<String> {
    let levels = match shared.levels() {
        1 => format!("{} files of one level", shared.sources.len()),
        levels => format!("{levels} levels"),
    };
    let strategy = shared.answer.merge.as_deref().map_or("first", UsedMerge::name);
    let part = match (cases::depends_text(&shared.answer), shared.winner_over(path)) {
        (Some(depends), _) => format!(" · {depends}"),
        (None, Some(winner)) => {
            format!(" · overridden in {}", perspective.shown_path(&winner.path))
        }
        // The value that counts is certainly in this file, so there is nothing to say.
        (None, None) if shared.takes_first() && shared.result().is_some() => return None,
        (None, None) => String::new(),
    };
    Some(format!("{levels} · {strategy}{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Others, paths: [extra.yaml, common.yaml]}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
";

    /// `expected`: the title of each key's lens.
    #[track_caller]
    fn check(files: &str, path: &str, expected: &[&str]) {
        let fixture = Fixture::parse_without_marks(&format!("{FILES}{files}"));
        let file = fixture.file(path).expect("the file is there");
        let lenses = code_lenses(&fixture.world(), &file.world_path(), &CancelToken::default());
        let shown =
            lenses.iter().map(|lens| format!("{}: {}", lens.range.slice(&file.text), lens.title));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_keys_with_several_sources_have_one() {
        let files = "#- /data/common.yaml\nlookup_options: {b: {merge: deep}}\na: 1\nb: {c: 1}\nd: 1\n#- /data/nodes/web01.yaml\na: 2\nb: {c: 2}\n";
        let overridden = "a: 2 levels · first · overridden in data/nodes/web01.yaml";
        check(files, "/data/common.yaml", &[overridden, "b: 2 levels · deep"]);
        check(files, "/data/nodes/web01.yaml", &["b: 2 levels · deep"]);
    }

    #[test]
    fn without_a_node_a_lens_speaks_for_all() {
        let hierarchy = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n  \
                         - {name: Roles, path: 'roles/%{role}.yaml'}\n  - {name: Common, path: common.yaml}\n#- /.hiera-ls.yaml\n\
                         nodes: {}\n";
        let files = "#- /data/common.yaml\na: 1\nb: 1\nc: 1\n#- /data/nodes/x.yaml\na: 2\n#- /data/nodes/y.yaml\na: 3\n\
                     #- /data/roles/web.yaml\nb: 2\nc: 1\n";
        let expected =
            ["a: 2 levels · first · 2 nodes override it", "b: 2 levels · first · depends on role"];
        check(&format!("{hierarchy}{files}"), "/data/common.yaml", &expected);
        let expected = [];
        check(&format!("{hierarchy}{files}"), "/data/roles/web.yaml", &expected);
    }

    #[test]
    fn half_typed_text_leaves_lenses_as_they_were() {
        let files = |end: &str| {
            format!(
                "#- /data/nodes/web01.yaml\na: [2]\n\
                 #- /data/common.yaml\nlookup_options: {{a: {{merge: unique}}}}\na: [1]\n{end}"
            )
        };
        let expected = ["a: 2 levels · unique"];
        check(&files(""), "/data/common.yaml", &expected);
        check(&files("x: \"\n"), "/data/common.yaml", &expected);
    }

    #[test]
    fn several_files_of_a_level() {
        let files = "#- /data/common.yaml\na: 1\n#- /data/extra.yaml\na: 2\n";
        let title = "a: 2 files of one level · first · overridden in data/extra.yaml";
        check(files, "/data/common.yaml", &[title]);
    }

    #[test]
    fn a_file_that_two_levels_lead_to_is_one_file() {
        let hierarchy = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: One, paths: [common.yaml, common.yaml]}\n  \
                         - {name: Two, path: common.yaml}\n";
        let files = "#- /data/common.yaml\nlookup_options: {a: {merge: unique}}\na: [1]\n";
        check(&format!("{hierarchy}{files}"), "/data/common.yaml", &[]);
    }

    #[test]
    fn broken_text_and_files_that_are_not_read() {
        let files =
            "#- /data/common.yaml\na: 1\nbroken: [\nb: 1\n#- /data/nodes/web01.yaml\na: 2\nb: 2\n";
        check(files, "/data/nodes/web01.yaml", &[]);
        let files = "#- /data/common.yaml\na: 1\n#- /data/nodes/db01.yaml\na: 2\n";
        check(files, "/data/nodes/db01.yaml", &[]);
    }

    #[test]
    fn the_setting_turns_them_off() {
        let files = "#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {a: 1}}}\ncodeLens: {enabled: false}\n#- /data/common.yaml\na: 1\n#- /data/nodes/web01.yaml\na: 2\n";
        check(files, "/data/common.yaml", &[]);
    }

    #[test]
    fn class_parameters_have_one_if_the_settings_want_it() {
        let files = |setting: &str| {
            format!(
                "#- /.hiera-ls.yaml\nnode: web01\nnodes: {{web01: {{facts: {{a: 1}}}}}}\ncodeLens: {{{setting}}}\n\
                 #- /modules/web/manifests/init.pp\nclass web(Integer[1,65535] $port, $bare) {{ }}\n\
                 #- /data/common.yaml\nweb::port: 1\nweb::bare: 1\nweb::none: 1\n\
                 #- /data/nodes/web01.yaml\nweb::bare: 2\n"
            )
        };
        let parameters =
            ["web::port: parameter of web, `Integer[1,65535]`", "web::bare: parameter of web"];
        let overridden = "web::bare: 2 levels · first · overridden in data/nodes/web01.yaml";
        let path = "/data/common.yaml";
        check(&files("enabled: false, parameters: true"), path, &parameters);
        check(&files("parameters: true"), path, &[parameters[0], parameters[1], overridden]);
        check(&files(""), path, &[overridden]);
    }
}
