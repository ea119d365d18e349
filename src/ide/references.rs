//! References: everything in data and Puppet code that has or looks up a key, and everything that reads a variable.

mod found;
pub(super) mod in_code;

use std::sync::Arc;

use super::context::{self, DataSpot, LOOKUP_OPTIONS, LookupOptionSpot, lookup_option_spot};
use super::definition;
use super::file_role::FileRole;
use super::uses::UseKind;
use crate::code::roots::is_code;
use crate::config::Environment;
use crate::data::{DataFile, Format};
use crate::engine::CancelToken;
use crate::syntax::interpolation;
use crate::syntax::key_path::{KeyPath, Segment};
use crate::syntax::ruby_regex;
use crate::text::TextRange;
use crate::world::{FileEntry, World, parallel, paths};
use found::{Found, segments_of};

/// A place that mentions something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// The file.
    pub path: Arc<str>,
    /// The name, in bytes of the file.
    pub range: TextRange,
    /// Whether it is a key with its value; otherwise the key is looked up, or has lookup options.
    pub is_declaration: bool,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subject {
    /// A key of the data, perhaps a sub key.
    Key(KeyPath),
    /// A `^pattern` of `lookup_options`.
    Pattern(Arc<str>),
    /// A variable, perhaps with sub keys.
    Variable(Vec<Segment>),
}

/// Every place in the data and the Puppet code of the file's environments that mentions what is at `offset`, sorted by file. Empty
/// if the request was cancelled.
pub fn references(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    cancel: &CancelToken,
) -> Vec<Occurrence> {
    let found = subject_at(world, path, offset).and_then(|subject| {
        let mut found = Vec::new();
        for environment in world.environments_with(path) {
            let search = Search { world, environment: &environment, subject: &subject, cancel };
            found.extend(search.run()?);
        }
        Some(found)
    });
    let mut found = found.unwrap_or_default();
    found.sort_unstable();
    found.dedup();
    found
}

/// The tokens of the environment's data that name `subject`, by file. Empty if the request was cancelled.
pub(crate) fn tokens_of(
    world: &Arc<World>,
    environment: &Environment,
    subject: &Subject,
    cancel: &CancelToken,
) -> Vec<Occurrence> {
    let search = Search { world, environment, subject, cancel };
    let root = match subject {
        Subject::Key(key) => key.root_name(),
        _ => None,
    };
    let mut found = Vec::new();
    let done = root.and_then(|root| search.tokens(root, &mut found));
    if done.is_none() {
        return Vec::new();
    }
    found.sort_unstable();
    found
}

/// The places where a key is written, where it has lookup_options, and where it is interpolated.
pub(crate) fn parts_of(
    world: &Arc<World>,
    environment: &Environment,
    key: &Subject,
    cancel: &CancelToken,
) -> [Vec<Occurrence>; 3] {
    let search = Search { world, environment, subject: key, cancel };
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    if let Subject::Key(key) = key
        && let Some(root) = key.root_name()
    {
        let _ = search.declarations(key, &mut parts[0]);
        let _ = search.lookup_options(&mut parts[1]);
        let _ = search.tokens(root, &mut parts[2]);
    }
    parts
}

/// The subject at `offset` of a file.
pub(crate) fn subject_at(world: &Arc<World>, path: &str, offset: u32) -> Option<Subject> {
    if is_code(path) {
        return super::code::asked_key(world, path, offset).map(|(key, _)| Subject::Key(key));
    }
    let role = FileRole::of(world, path)?;
    let data = world.file(path).ok()?.data(role.format()).clone();
    let spot = context::spot_in_file(&data, offset)?;
    if let Some(variable) = variable_at(&spot) {
        return Some(Subject::Variable(variable));
    }
    if !role.is_data() {
        return None;
    }
    if let Some(option) = lookup_option_spot(&spot).filter(LookupOptionSpot::is_pattern) {
        return Some(Subject::Pattern(option.subject));
    }
    definition::asked_key(&spot).map(|(key, _)| Subject::Key(key))
}

/// The data files of the environment in which a token may name `root`, sorted by path, with their formats.
pub(crate) fn files_that_may_ask_for(
    world: &World,
    environment: &Environment,
    root: &str,
) -> Vec<(Arc<FileEntry>, Format)> {
    let reach = world.reach(environment);
    let files = world.key_index(environment).files();
    let asking = parallel::map(&files, |(path, _)| {
        let format = reach.format_of(path)?;
        let file = world.file(path).ok()?;
        may_ask_for(&file.text, format, root).then_some((file, format))
    });
    asking.into_iter().flatten().collect()
}

/// Whether a token of the file may name `root`; in HOCON, a string may be written in pieces.
fn may_ask_for(text: &str, format: Format, root: &str) -> bool {
    match format {
        Format::Yaml | Format::Json => interpolation::may_speak_of(text, root),
        // HOCON may join a name from several pieces, so any token may ask for the key.
        Format::Hocon => text.contains("%{"),
    }
}

/// The places of one file that mention `subject`, in no order.
pub(crate) fn in_file(path: &Arc<str>, data: &DataFile, subject: &Subject) -> Vec<Occurrence> {
    let mut found = Found { path, places: Vec::new() };
    found.declarations(data, subject);
    found.lookup_options(data, subject);
    found.tokens(data, subject);
    found.places
}

fn variable_at(spot: &DataSpot) -> Option<Vec<Segment>> {
    let token = spot.token.as_ref()?;
    let (name, _) = token.token.variable()?;
    let mut segments = segments_of(name)?;
    if let Some((number, _)) = token.segment {
        segments.truncate(number + 1);
    }
    Some(segments)
}

struct Search<'a> {
    world: &'a Arc<World>,
    environment: &'a Environment,
    subject: &'a Subject,
    cancel: &'a CancelToken,
}

impl Search<'_> {
    /// `None` if it was cancelled.
    fn run(&self) -> Option<Vec<Occurrence>> {
        let mut found = Vec::new();
        match self.subject {
            Subject::Key(key) => {
                self.declarations(key, &mut found)?;
                self.lookup_options(&mut found)?;
                self.tokens(key.root_name()?, &mut found)?;
                let in_code = in_code::of_key(self.world, self.environment, key);
                found.extend(in_code.into_iter().map(|it| Occurrence {
                    path: it.path,
                    range: it.range,
                    is_declaration: it.kind == UseKind::Parameter,
                }));
            }
            Subject::Pattern(pattern) => {
                self.lookup_options(&mut found)?;
                self.matching_keys(pattern, &mut found)?;
            }
            Subject::Variable(segments) => {
                let Some(Segment::Name(root)) = segments.first() else { return None };
                self.tokens(root, &mut found)?;
                self.configs(&mut found)?;
            }
        }
        Some(found)
    }

    fn declarations(&self, key: &KeyPath, found: &mut Vec<Occurrence>) -> Option<()> {
        let root = key.root_name()?;
        for place in self.world.key_index(self.environment).places(root) {
            self.go_on()?;
            // The index has the places of root keys, so the file need not be parsed for one.
            if key.rest.is_empty() {
                let range = place.key;
                found.push(Occurrence { path: place.path, range, is_declaration: true });
            } else if let Some(data) = self.data(&place.path, place.format) {
                let mut here = Found { path: &place.path, places: Vec::new() };
                here.declarations(&data, self.subject);
                found.append(&mut here.places);
            }
        }
        Some(())
    }

    fn matching_keys(&self, pattern: &str, found: &mut Vec<Occurrence>) -> Option<()> {
        let Ok(regex) = ruby_regex::translate(pattern) else { return Some(()) };
        let index = self.world.key_index(self.environment);
        for key in index.keys() {
            self.go_on()?;
            // Puppet never applies options to `lookup_options` itself.
            if &*key != LOOKUP_OPTIONS && regex.is_match(&key) {
                found.extend(index.places(&key).into_iter().map(|place| Occurrence {
                    path: place.path,
                    range: place.key,
                    is_declaration: false,
                }));
            }
        }
        Some(())
    }

    fn lookup_options(&self, found: &mut Vec<Occurrence>) -> Option<()> {
        for place in self.world.key_index(self.environment).places(LOOKUP_OPTIONS) {
            self.go_on()?;
            if let Some(data) = self.data(&place.path, place.format) {
                let mut here = Found { path: &place.path, places: Vec::new() };
                here.lookup_options(&data, self.subject);
                found.append(&mut here.places);
            }
        }
        Some(())
    }

    /// Only files that may have the name in a token are parsed.
    fn tokens(&self, root: &str, found: &mut Vec<Occurrence>) -> Option<()> {
        let files = files_that_may_ask_for(self.world, self.environment, root);
        let in_files = parallel::map(&files, |(file, format)| {
            let mut here = Found { path: &file.path, places: Vec::new() };
            if !self.cancel.is_cancelled() {
                here.tokens(file.data(*format), self.subject);
            }
            here.places
        });
        found.extend(in_files.into_iter().flatten());
        // The places of a cancelled search are not complete.
        self.go_on()
    }

    fn configs(&self, found: &mut Vec<Occurrence>) -> Option<()> {
        let directories = self.environment.root.iter().chain(self.environment.modules.values());
        let configs = directories.map(|directory| paths::join(directory, "hiera.yaml"));
        let global = self.environment.global_config.iter().map(ToString::to_string);
        for config in configs.chain(global) {
            self.go_on()?;
            let Ok(file) = self.world.file(&config) else { continue };
            let mut here = Found { path: &file.path, places: Vec::new() };
            here.tokens(file.data(Format::Yaml), self.subject);
            found.append(&mut here.places);
        }
        Some(())
    }

    fn data(&self, path: &str, format: Format) -> Option<Arc<DataFile>> {
        Some(self.world.file(path).ok()?.data(format).clone())
    }

    fn go_on(&self) -> Option<()> {
        (!self.cancel.is_cancelled()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;

    const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Common
    path: common.yaml
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
";

    /// `expected`: `path:line:text`, lines from 1, with `=` for a declaration.
    #[track_caller]
    fn check(files: &str, expected: &[&str]) {
        let fixture = Fixture::parse(&format!("{HIERARCHY}{files}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let world = fixture.world();
        let cancel = CancelToken::default();
        let show = |it: &Occurrence| {
            let path = it.path.strip_prefix(ROOT).expect("a file of the fixture");
            let text = &world.file(&it.path).expect("it is there").text;
            let line = text[..it.range.start as usize].matches('\n').count() + 1;
            let mark = if it.is_declaration { "=" } else { "" };
            format!("{mark}{path}:{line}:{}", it.range.slice(text))
        };
        let found = references(&world, &file.world_path(), offset, &cancel);
        assert_eq!(found.iter().map(show).collect::<Vec<_>>(), expected);
        cancel.cancel();
        assert_eq!(references(&world, &file.world_path(), offset, &cancel), []);
    }

    #[test]
    fn of_a_root_key() {
        let expected = [
            "=/data/common.yaml:1:a::b",
            "/data/common.yaml:2:a::b",
            "/data/common.yaml:3:a::b",
            "/data/common.yaml:5:^a::",
            "/data/common.yaml:5:a::b",
            "=/data/nodes/db01.yaml:1:a::b",
            "/data/nodes/db01.yaml:2:a::b",
        ];
        let other = "#- /data/nodes/db01.yaml\na::b: 2\nz: '%{alias(\"a::b.c\")}'\n";
        let rest = "d: 'a::b %{a::b}'\nlookup_options: {^a::: {merge: hash}, a::b: {merge: deep}, ^b: {}}\n";
        let common = "#- /data/common.yaml\na::b$0: 1\nc: \"x %{lookup('a::b')}\"\ne: {'%{hiera(\"a::b\")}': 1}\n";
        check(&format!("{common}{rest}{other}"), &expected);
        let common = "#- /data/common.yaml\na::b: 1\nc: \"x %{lookup('a::$0b')}\"\ne: {'%{hiera(\"a::b\")}': 1}\n";
        check(&format!("{common}{rest}{other}"), &expected);
    }

    /// Puppet reads only the first document.
    #[test]
    fn not_in_a_second_document() {
        for mark in ["---", "--- ", "--- # more", "...\n---"] {
            let first = "#- /data/common.yaml\na$0: 1\nb: \"%{lookup('a')}\"\n";
            let second = "a: 2\nc: \"%{lookup('a')}\"\nlookup_options: {a: {merge: hash}}\n";
            let expected = ["=/data/common.yaml:1:a", "/data/common.yaml:2:a"];
            check(&format!("{first}{mark}\n{second}"), &expected);
        }
        check("#- /data/common.yaml\na: 1\n--- # more\nb$0: 2\nc: \"%{lookup('b')}\"\n", &[]);
    }

    #[test]
    fn of_a_name_that_escapes_spell() {
        check(
            "#- /data/common.yaml\nkey_a$0: 1\n#- /data/nodes/x.yaml\nx: \"%{lookup('key\\x5fa')}\"\n\
             #- /data/nodes/y.yaml\nx: \"\\x25{lookup('key_a')}\"\n",
            &[
                "=/data/common.yaml:1:key_a",
                "/data/nodes/x.yaml:1:key\\x5fa",
                "/data/nodes/y.yaml:1:key_a",
            ],
        );
    }

    #[test]
    fn in_puppet_code() {
        let code = "#- /modules/web/manifests/init.pp\nclass web(Integer $port = lookup('a.b.c')) {\n\
                    $x = lookup(\"web::port\") + 'a'.lookup\n$y = hiera(['web::port', 'a.b'])\n}\n";
        check(
            &format!("#- /data/common.yaml\nweb::port$0: 1\n{code}"),
            &[
                "=/data/common.yaml:1:web::port",
                "=/modules/web/manifests/init.pp:1:$port",
                "/modules/web/manifests/init.pp:2:web::port",
                "/modules/web/manifests/init.pp:3:web::port",
            ],
        );
        check(
            &format!("#- /data/common.yaml\na: {{b$0: 1}}\n{code}"),
            &[
                "=/data/common.yaml:1:b",
                "/modules/web/manifests/init.pp:1:a.b",
                "/modules/web/manifests/init.pp:3:a.b",
            ],
        );
    }

    #[test]
    fn of_a_member() {
        check(
            "#- /data/common.yaml\na: {b$0: 1}\nc: \"%{lookup('a.b')} %{lookup('a')} %{lookup('a.b.c')}\"\nlookup_options: {a: {merge: deep}}\n",
            &["=/data/common.yaml:1:b", "/data/common.yaml:2:a.b", "/data/common.yaml:2:a.b"],
        );
    }

    #[test]
    fn of_a_pattern() {
        check(
            "#- /data/common.yaml\nlookup_options: {^a::$0: {merge: deep}}\na::b: 1\nc: 1\n",
            &["/data/common.yaml:1:^a::", "/data/common.yaml:2:a::b"],
        );
    }

    #[test]
    fn of_a_variable() {
        check(
            "#- /data/common.yaml\na: '%{trusted$0.certname}'\nb: \"%{::trusted} %{scope('trusted.x')}\"\nc: '%{trust}'\n",
            &[
                "/data/common.yaml:1:trusted",
                "/data/common.yaml:2:::trusted",
                "/data/common.yaml:2:trusted",
                "/hiera.yaml:4:trusted",
            ],
        );
        check(
            "#- /data/common.yaml\na: '%{trusted.cert$0name}'\nb: '%{trusted}'\n",
            &["/data/common.yaml:1:trusted.certname", "/hiera.yaml:4:trusted.certname"],
        );
    }

    #[test]
    fn of_nothing() {
        check("#- /data/common.yaml\n# x$0\na: 1\n", &[]);
    }
}
