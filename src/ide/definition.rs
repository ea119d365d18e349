//! Go to definition: from a key or a call in `%{…}` to every level that has the key and to the class parameter that it sets,
//! from an entry of `lookup_options` to the keys that it applies to, from a path in `hiera.yaml` to its files.

use std::sync::Arc;

use super::class_parameter::ClassParameter;
use super::context::{self, DataSpot, LookupOptionSpot, SpotPart};
use super::file_role::FileRole;
use super::level_files;
use super::perspective::Perspective;
use super::places;
use crate::code::roots::is_code;
use crate::data::{DataFile, EntryTree, Files, Located, Place};
use crate::engine::CancelToken;
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;
use crate::world::World;

/// The maximum number of keys for a pattern of `lookup_options`.
const MAX_KEYS_OF_A_PATTERN: usize = 100;

/// The maximum number of files for a key that the node does not read, and for a path.
const MAX_FILES: usize = 1_000;

/// A place to go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub path: Arc<str>,
    /// The whole definition: key and value.
    pub full_range: TextRange,
    /// The key itself.
    pub focus_range: TextRange,
    /// The range of the request, in the requesting file.
    pub origin_range: TextRange,
}

/// The definitions of what is at `offset` (bytes) of the file at `path`: for the active node, the highest priority first.
pub fn definition(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    cancel: &CancelToken,
) -> Vec<Target> {
    let Some(perspective) = Perspective::shown(world, path) else { return Vec::new() };
    let perspective = perspective.until(cancel);
    if is_code(path) {
        return super::code::definition(&perspective, path, offset);
    }
    find(&perspective, path, offset).unwrap_or_default()
}

/// Where it is defined at last: in the class whose parameter it is, else in the level of the lowest priority, which all others
/// override.
pub fn declaration(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    cancel: &CancelToken,
) -> Vec<Target> {
    let mut levels = definition(world, path, offset, cancel);
    // The last target is the parameter of the class, or else the lowest level.
    levels.drain(..levels.len().saturating_sub(1));
    levels
}

fn find(perspective: &Perspective, path: &str, offset: u32) -> Option<Vec<Target>> {
    let world = &perspective.world;
    match FileRole::of(world, path)? {
        FileRole::HieraYaml { .. } => config_targets(perspective, path, offset),
        FileRole::Data { format, .. } => {
            let data = world.file(path).ok()?.data(format).clone();
            let spot = context::spot_in_file(&data, offset)?;
            if let SpotPart::Alias(range) = spot.part
                && let Some(anchor) = anchor_target(&data, path, range)
            {
                return Some(vec![anchor]);
            }
            if let Some(option) =
                context::lookup_option_spot(&spot).filter(LookupOptionSpot::is_pattern)
            {
                return Some(pattern_targets(perspective, &option));
            }
            let (key, origin) = asked_key(&spot)?;
            let mut targets = key_targets(perspective, &key, origin);
            targets.extend(parameter_target(perspective, &key, origin));
            Some(targets)
        }
    }
}

/// The anchor of the YAML alias that is written at `alias`: the last one of its name before it.
fn anchor_target(data: &DataFile, path: &str, alias: TextRange) -> Option<Target> {
    let name = alias.slice(data.text()).strip_prefix('*')?;
    let written = format!("&{name}");
    let is_before = |it: &EntryTree<'_>| it.start < alias.start;
    let mut found = None;
    for entry in data.trees().take_while(is_before) {
        let mut waiting = vec![entry.value, entry.key];
        while let Some(node) = waiting.pop() {
            let range = node.range.shifted(entry.start);
            if range.start >= alias.start {
                break;
            }
            if node.anchor.as_deref() == Some(name) {
                // Only a tag can be between an anchor and its node.
                let start = data.text()[..range.start as usize].rfind(&written);
                found = start.map(|start| (start as u32, range.end)).or(found);
            }
            match &node.kind {
                NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
                NodeKind::Mapping(pairs) => {
                    waiting.extend(pairs.iter().rev().flat_map(|it| [&it.value, &it.key]));
                }
                NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
            }
        }
    }
    let (start, end) = found?;
    Some(Target {
        path: path.into(),
        full_range: TextRange::new(start, end),
        focus_range: TextRange::new(start, start + written.len() as u32),
        origin_range: alias,
    })
}

/// The key at a place of a data file, and where it is written.
pub(super) fn asked_key(spot: &DataSpot) -> Option<(KeyPath, TextRange)> {
    if let Some(token) = &spot.token {
        let (key, _) = token.token.lookup_key()?;
        let mut path = key_path::parse(key).ok()?;
        if let Some((number, range)) = token.segment {
            path.rest.truncate(number);
            return Some((path, range));
        }
        return Some((path, token.range));
    }
    if let Some(option) = context::lookup_option_spot(spot) {
        let path = KeyPath { root: Segment::Name(option.subject), rest: Vec::new() };
        return Some((path, option.subject_range));
    }
    let (key, steps) = spot.lookup_key()?;
    let range = spot.steps.get(steps.checked_sub(1)?)?.range;
    Some((key_path::parse(&key).ok()?, range))
}

/// The places that the active node reads; if there are none, all places that any node may read.
pub(super) fn key_targets(
    perspective: &Perspective,
    key: &KeyPath,
    origin_range: TextRange,
) -> Vec<Target> {
    let read = places::places(perspective, key).into_iter();
    let read = read.filter_map(|source| Some((source.key_place()?, source.value()?.clone())));
    let mut found: Vec<_> = read.collect();
    // If this node does not have the key, other nodes may have it.
    if found.is_empty() {
        found = places::places_for_any_node(perspective, key, MAX_FILES);
    }
    found.into_iter().map(|place| target(perspective, place, origin_range)).collect()
}

/// The class parameter that a key sets, in its manifest.
fn parameter_target(
    perspective: &Perspective,
    key: &KeyPath,
    origin_range: TextRange,
) -> Option<Target> {
    let name = key.root_name().filter(|_| key.rest.is_empty())?;
    let environment = perspective.evaluator.environment();
    let parameter = ClassParameter::of_key(&perspective.world, environment, name)?;
    Some(Target {
        path: parameter.path.clone(),
        full_range: parameter.range(),
        focus_range: parameter.name_range(),
        origin_range,
    })
}

/// A key and its value as a target.
pub(super) fn target(
    perspective: &Perspective,
    (focus, value): (Place, Located),
    origin_range: TextRange,
) -> Target {
    let end = value.place.map_or(focus.range.end, |value| value.range.end);
    Target {
        path: perspective.world.path(focus.file),
        full_range: TextRange::new(focus.range.start, end.max(focus.range.end)),
        focus_range: focus.range,
        origin_range,
    }
}

fn pattern_targets(perspective: &Perspective, option: &LookupOptionSpot) -> Vec<Target> {
    let keys = places::keys_matching(perspective, &option.subject);
    let keys = keys.into_iter().take(MAX_KEYS_OF_A_PATTERN);
    keys.flat_map(|key| {
        let key = KeyPath { root: Segment::Name(key), rest: Vec::new() };
        key_targets(perspective, &key, option.subject_range)
    })
    .collect()
}

fn config_targets(perspective: &Perspective, path: &str, offset: u32) -> Option<Vec<Target>> {
    let file = perspective.world.id(path);
    level_files::with_levels(perspective, path, |levels| {
        let mut targets = Vec::new();
        for location in levels.iter().flat_map(|level| level.locations.iter().flatten()) {
            let place = location.template_place.filter(|it| it.file == file);
            let Some(place) = place.filter(|it| it.range.touches(offset)) else { continue };
            if location.is_uri {
                continue;
            }
            let mut files = location.open_files(&perspective.evaluator);
            files.extend(location.exists.then(|| location.file.clone()));
            targets.extend(files.into_iter().map(|path| Target {
                path,
                full_range: TextRange::empty(0),
                focus_range: TextRange::empty(0),
                origin_range: place.range,
            }));
        }
        targets.truncate(MAX_FILES);
        Some(targets)
    })
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
  - name: Others
    globs: ['x*.yaml', 'common.yaml']
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
";

    /// `expected`: `path:focused text` of each target; the first word is the text at the cursor.
    #[track_caller]
    fn check(files: &str, expected: &str) {
        let fixture = Fixture::parse(&format!("{HIERARCHY}{files}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let world = fixture.world();
        let targets = definition(&world, &file.world_path(), offset, &CancelToken::default());
        let mut actual = Vec::new();
        if let Some(target) = targets.first() {
            actual.push(target.origin_range.slice(&file.text).to_owned());
        }
        for target in &targets {
            let path = target.path.strip_prefix(ROOT).unwrap_or(&target.path);
            let text = &fixture.file(path).expect("targets are files of the fixture").text;
            assert!(target.full_range.contains_range(target.focus_range));
            actual.push(format!("{path}:{}", target.focus_range.slice(text)));
        }
        assert_eq!(actual.join(" "), expected);
    }

    #[test]
    fn a_key_leads_to_all_levels_in_order() {
        check(
            "#- /data/common.yaml\na$0: 1\n#- /data/nodes/web01.yaml\na: 2\n",
            "a /data/nodes/web01.yaml:a /data/common.yaml:a",
        );
        check(
            "#- /data/common.yaml\na: {b$0: 1}\n#- /data/nodes/web01.yaml\na: {c: 1}\n",
            "b /data/common.yaml:b",
        );
        check(
            "#- /data/common.yaml\nlookup_options: {a$0: {merge: deep}}\na: 1\n",
            "a /data/common.yaml:a",
        );
    }

    #[test]
    fn a_key_leads_to_the_parameter_that_it_sets() {
        let class = "#- /modules/web/manifests/init.pp\nclass web(Integer $port = 80) { }\n";
        check(
            &format!("{class}#- /data/common.yaml\nweb::port$0: 1\n"),
            "web::port /data/common.yaml:web::port /modules/web/manifests/init.pp:$port",
        );
        check(
            &format!("{class}#- /data/common.yaml\na: \"%{{lookup('web::port$0')}}\"\n"),
            "web::port /modules/web/manifests/init.pp:$port",
        );
        check(
            &format!("{class}#- /data/common.yaml\nweb::port: {{a$0: 1}}\n"),
            "a /data/common.yaml:a",
        );
        let fixture =
            Fixture::parse(&format!("{HIERARCHY}{class}#- /data/common.yaml\nweb::port$0: 1\n"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let targets =
            declaration(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let paths: Vec<_> = targets.iter().map(|target| &*target.path).collect();
        assert_eq!(paths, ["/repo/modules/web/manifests/init.pp"]);
    }

    #[test]
    fn the_lowest_level_is_the_declaration() {
        let fixture = Fixture::parse(&format!(
            "{HIERARCHY}#- /data/common.yaml\na$0: 1\n#- /data/nodes/web01.yaml\na: 2\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let targets =
            declaration(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let paths: Vec<_> = targets.iter().map(|target| &*target.path).collect();
        assert_eq!(paths, ["/repo/data/common.yaml"]);
    }

    #[test]
    fn a_token_leads_to_what_it_looks_up() {
        check(
            "#- /data/common.yaml\na: \"%{lookup('b.c$0')}\"\nb: {c: 1}\n",
            "c /data/common.yaml:c",
        );
        check(
            "#- /data/common.yaml\na: \"%{alias('b$0.c')}\"\nb: {c: 1}\n",
            "b /data/common.yaml:b",
        );
        check("#- /data/common.yaml\na: \"%{facts.b$0}\"\n", "");
        check(
            "#- /data/common.yaml\na: \"%{lookup('b$0')}\"\n#- /data/nodes/db.yaml\nb: 1\n",
            "b /data/nodes/db.yaml:b",
        );
    }

    #[test]
    fn a_pattern_leads_to_the_keys_that_match() {
        check(
            "#- /data/common.yaml\nlookup_options: {^a::$0: {merge: deep}}\na::x: 1\nb: 1\na::y: 1\n",
            "^a:: /data/common.yaml:a::x /data/common.yaml:a::y",
        );
    }

    #[test]
    fn a_path_leads_to_its_files() {
        let files =
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: Nodes\n    glob: 'n*$0.yaml'\n";
        let fixture =
            Fixture::parse(&format!("{files}#- /data/n1.yaml\na: 1\n#- /data/n2.yaml\na: 1\n"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let targets =
            definition(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let paths: Vec<_> = targets.iter().map(|target| &*target.path).collect();
        assert_eq!(paths, ["/repo/data/n1.yaml", "/repo/data/n2.yaml"]);
    }

    #[test]
    fn a_path_with_open_variables_leads_to_all_its_files() {
        let check = |levels: &str, expected: &[&str]| {
            let fixture = Fixture::parse(&format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy:\n{levels}#- /.hiera-ls.yaml\nnodes: {{}}\n\
                 #- /data/os/Debian.yaml\na: 1\n#- /data/os/RedHat.yaml\na: 1\n"
            ));
            let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
            let targets =
                definition(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
            let paths: Vec<_> = targets.iter().map(|target| &*target.path).collect();
            assert_eq!(paths, expected);
        };
        let both = ["/repo/data/os/Debian.yaml", "/repo/data/os/RedHat.yaml"];
        check("  - {name: OS, path: 'os/%{facts.os.fa$0mily}.yaml'}\n", &both);
        check(
            "  - {name: OS, mapped_paths: [facts.systems, system, 'os/%{sys$0tem}.yaml']}\n",
            &both,
        );
        check("  - {name: OS, path: 'other/%{facts.os.fa$0mily}.yaml'}\n", &[]);
    }

    #[test]
    fn a_file_that_two_paths_lead_to_is_listed_once() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
             - {name: Name, path: 'os/%{facts.os.name}.yaml'}\n\
             - {name: Family, path: 'os/%{facts.os.family}.yaml'}\n\
             #- /.hiera-ls.yaml\nnodes: {}\n#- /data/os/Debian.yaml\na$0: 1\n#- /data/os/RedHat.yaml\na: 2\n",
            "a /data/os/RedHat.yaml:a /data/os/Debian.yaml:a",
        );
    }

    #[test]
    fn an_alias_leads_to_its_anchor() {
        check(
            "#- /data/common.yaml\na: &y {b: 1}\nc: [&x 2]\nd: {e: *y$0}\nf: &y 3\n",
            "*y /data/common.yaml:&y",
        );
        let fixture = Fixture::parse(&format!(
            "{HIERARCHY}#- /data/common.yaml\na: &x {{b: &x !!str 1}}\nc:\n  <<: *x$0\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let targets =
            definition(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let shown: Vec<_> = targets.iter().map(|it| it.full_range.slice(&file.text)).collect();
        assert_eq!(shown, ["&x !!str 1"]);
    }
}
