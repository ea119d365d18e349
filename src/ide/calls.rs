//! The call hierarchy of keys: a key that looks up another one in `%{…}` calls it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::context;
use super::definition::{asked_key, key_targets};
use super::file_role::FileRole;
use super::perspective::Perspective;
use super::references::{Subject, tokens_of};
use super::strings::interpolated_strings;
use crate::data::{DataFile, EntryTree};
use crate::engine::CancelToken;
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;
use crate::world::World;

/// A root key in one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallItem {
    /// The file.
    pub path: Arc<str>,
    /// Key and value.
    pub full_range: TextRange,
    /// The key.
    pub focus_range: TextRange,
    /// The key, as it is looked up.
    pub key: String,
    /// The file's path for users.
    pub container: String,
}

/// A key, and the places of calls in the file of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The other key.
    pub item: CallItem,
    /// Where the calls are written.
    pub ranges: Vec<TextRange>,
}

/// The key at `offset` (bytes) of the file at `path`: in this file if it has the key, or else in all levels that have it.
pub fn call_items(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    cancel: &CancelToken,
) -> Vec<CallItem> {
    let find = || {
        let perspective = Perspective::of_file(world, path)?.until(cancel);
        let data = data_of(world, path)?;
        let spot = context::spot_in_file(&data, offset)?;
        let (key, origin) = asked_key(&spot)?;
        // In a token, the item is the key that it looks up. Elsewhere, it is the key of the entry.
        if spot.token.is_some() {
            return Some(items_for(&perspective, &key, origin));
        }
        let entry = data.entry_at(offset)?;
        Some(item_of(&perspective, path, entry).into_iter().collect())
    };
    find().unwrap_or_default()
}

/// The keys whose values look up `key`, which the file at `path` has, or a sub key of it.
pub fn callers(world: &Arc<World>, path: &str, key: &str, cancel: &CancelToken) -> Vec<Call> {
    let find = || {
        let perspective = Perspective::of_file(world, path)?;
        let root = key_path::parse(key).ok()?.root;
        // Items are root keys, so the callers of all members count.
        let subject = Subject::Key(KeyPath { root, rest: Vec::new() });
        let mut calls: BTreeMap<CallItem, Vec<TextRange>> = BTreeMap::new();
        let environments = world.environments_with(path);
        let found = environments.iter().flat_map(|it| tokens_of(world, it, &subject, cancel));
        // Environments may share a file.
        for found in found.collect::<BTreeSet<_>>() {
            let data = data_of(world, &found.path)?;
            let entry = data.entry_at(found.range.start);
            if let Some(item) = entry.and_then(|it| item_of(&perspective, &found.path, it)) {
                calls.entry(item).or_default().push(found.range);
            }
        }
        Some(calls.into_iter().map(|(item, ranges)| Call { item, ranges }).collect())
    };
    find().unwrap_or_default()
}

/// The keys that the value of `key` in the file at `path` looks up, where the active node finds them first.
pub fn called(world: &Arc<World>, path: &str, key: &str, cancel: &CancelToken) -> Vec<Call> {
    let find = || {
        let perspective = Perspective::of_file(world, path)?.until(cancel);
        let data = data_of(world, path)?;
        let mut calls: Vec<Call> = Vec::new();
        for entry in data.trees().filter(|it| key_of(it).as_deref() == Some(key)) {
            for string in interpolated_strings(entry.text, entry.value) {
                for token in &string.tokens {
                    let Some((wanted, part)) = token.lookup_key() else { continue };
                    let Ok(wanted) = key_path::parse(wanted) else { continue };
                    let range = string.part_range(token, part).shifted(entry.start);
                    let root = KeyPath { root: wanted.root, rest: Vec::new() };
                    let item = items_for(&perspective, &root, range).into_iter().next();
                    let Some(item) = item else { continue };
                    // LSP has each called item once, with the places of all its calls.
                    match calls.iter_mut().find(|call| call.item == item) {
                        Some(call) => call.ranges.push(range),
                        None => calls.push(Call { item, ranges: vec![range] }),
                    }
                }
            }
        }
        Some(calls)
    };
    find().unwrap_or_default()
}

fn data_of(world: &World, path: &str) -> Option<Arc<DataFile>> {
    let FileRole::Data { format, .. } = FileRole::of(world, path)? else { return None };
    Some(world.file(path).ok()?.data(format).clone())
}

fn items_for(perspective: &Perspective, key: &KeyPath, origin: TextRange) -> Vec<CallItem> {
    let root = KeyPath { root: key.root.clone(), rest: Vec::new() };
    let targets = key_targets(perspective, &root, origin).into_iter();
    let item = |target: super::Target| {
        let data = data_of(&perspective.world, &target.path)?;
        item_of(perspective, &target.path, data.entry_at(target.focus_range.start)?)
    };
    targets.filter_map(item).collect()
}

fn item_of(perspective: &Perspective, path: &str, entry: EntryTree<'_>) -> Option<CallItem> {
    Some(CallItem {
        path: perspective.world.interned(path),
        full_range: entry.range(),
        focus_range: entry.key.range.shifted(entry.start),
        key: key_of(&entry)?,
        container: perspective.shown_path(path),
    })
}

fn key_of(entry: &EntryTree<'_>) -> Option<String> {
    let NodeKind::Scalar { text, .. } = &entry.key.kind else { return None };
    context::lookup_key(std::iter::once(&Segment::Name(text.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {site: bgo}}}
#- /data/nodes/web01.yaml
domain: b
url: \"%{lookup('host')}\"
#- /data/common.yaml
domain: a
host: \"www.%{lookup('domain$1')}\"
ur$0l: [\"http://%{lookup('host')}/%{lookup('host.x')}\", \"%{alias('nothing')}\"]
";

    fn show(world: &World, calls: &[Call]) -> Vec<String> {
        let show = |call: &Call| {
            let path = call.item.path.strip_prefix(ROOT).expect("a file of the fixture");
            let text = &world.file(&call.item.path).expect("it is there").text;
            assert_eq!(call.item.focus_range.slice(text), call.item.key);
            format!("{path}:{} {}", call.item.key, call.ranges.len())
        };
        calls.iter().map(show).collect()
    }

    #[test]
    fn keys_that_ask_for_keys() {
        let fixture = Fixture::parse(FILES);
        let world = fixture.world();
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let path = file.world_path();
        let items = call_items(&world, &path, offset, &CancelToken::default());
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].key, "url");
        let calls = called(&world, &path, "url", &CancelToken::default());
        assert_eq!(show(&world, &calls), ["/data/common.yaml:host 2"]);
        let calls = callers(&world, &path, "host", &CancelToken::default());
        assert_eq!(
            show(&world, &calls),
            ["/data/common.yaml:url 2", "/data/nodes/web01.yaml:url 1"]
        );
    }

    #[test]
    fn callers_in_all_environments_that_read_the_file() {
        let environment = |name: &str| {
            format!(
                "#- /environments/{name}/hiera.yaml\nversion: 5\n\
                 #- /environments/{name}/data/common.yaml\nu: \"%{{alias('z')}}\"\n"
            )
        };
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: g, path: g.yaml, datadir: gdata}}]\n\
             #- /gdata/g.yaml\nz$0: 1\nv: \"%{{lookup('z')}}\"\n{}{}",
            environment("dev"),
            environment("production")
        ));
        let (file, _) = fixture.mark(0).expect("the fixture has a $0");
        let expected = [
            "/environments/dev/data/common.yaml:u 1",
            "/environments/production/data/common.yaml:u 1",
            "/gdata/g.yaml:v 1",
        ];
        for folder in ["", "/environments/production"] {
            let world = fixture.world_in(folder);
            let calls = callers(&world, &file.world_path(), "z", &CancelToken::default());
            assert_eq!(show(&world, &calls), expected, "{folder}");
        }
    }

    #[test]
    fn a_call_leads_to_all_levels() {
        let fixture = Fixture::parse(FILES);
        let (file, offset) = fixture.mark(1).expect("the fixture has a $1");
        let items =
            call_items(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let paths: Vec<_> = items.iter().map(|item| &*item.path).collect();
        assert_eq!(paths, ["/repo/data/nodes/web01.yaml", "/repo/data/common.yaml"]);
    }
}
