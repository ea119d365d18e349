//! After a rename, every lookup of every sample node gives the same value under the new name: over random data.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::data::{Files, Value, inspect};
use crate::engine::Request;
use crate::world::{Change, Host, MemoryDisk};

const ROOT_KEYS: [&str; 5] = ["a", "b", "m::x", "x y", "p.q"];
const SUB_KEYS: [&str; 4] = ["s", "t", "u.v", "7"];
const NODES: [&str; 2] = ["web01", "db01"];
const NEW_NAMES: [&str; 5] = ["fresh", "m::fresh", "no", "two words", "d.o.t"];

const HIERA_YAML: &str = "version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Json
    path: more.json
    data_hash: json_data
  - name: Common
    path: common.yaml
";

/// A file of the hierarchy: keys with values, as data that any format can write.
type Content = Vec<(usize, Tree)>;

#[derive(Debug, Clone)]
enum Tree {
    Number(u8),
    Text(Vec<Piece>),
    List(Vec<Tree>),
    Hash(Vec<(usize, Tree)>),
}

/// A part of a string.
#[derive(Debug, Clone)]
enum Piece {
    Text(&'static str),
    Fact,
    Ask { function: &'static str, root: usize, sub_keys: Vec<usize> },
}

fn piece() -> impl Strategy<Value = Piece> {
    let text = prop::sample::select(&["x", "it's ", "\"q\" ", "😀", "a: ", " # b", "\\n", "a"][..]);
    let ask = (
        prop::sample::select(&["lookup", "hiera"][..]),
        0..ROOT_KEYS.len(),
        prop::collection::vec(0..SUB_KEYS.len(), 0..3),
    );
    prop_oneof![
        2 => text.prop_map(Piece::Text),
        1 => Just(Piece::Fact),
        4 => ask.prop_map(|(function, root, sub_keys)| Piece::Ask { function, root, sub_keys }),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let alias = (0..ROOT_KEYS.len(), prop::collection::vec(0..SUB_KEYS.len(), 0..2));
    let alias = alias.prop_map(|(root, sub_keys)| {
        Tree::Text(vec![Piece::Ask { function: "alias", root, sub_keys }])
    });
    let leaf = prop_oneof![
        2 => any::<u8>().prop_map(Tree::Number),
        3 => prop::collection::vec(piece(), 0..4).prop_map(Tree::Text),
        1 => alias,
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Tree::List),
            3 => prop::collection::vec((0..SUB_KEYS.len(), inner), 1..4).prop_map(Tree::Hash),
        ]
    })
}

fn content() -> impl Strategy<Value = Content> {
    prop::collection::vec((0..ROOT_KEYS.len(), tree()), 0..5)
}

/// How strings and hashes are written: drawn from a few bits for each.
#[derive(Debug, Clone)]
struct Styles(Vec<u8>);

impl Styles {
    fn next(&mut self, count: u8) -> u8 {
        self.0.rotate_left(1);
        self.0[0] % count
    }
}

/// The text of a string.
fn text(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Fact => "%{facts.a}".to_owned(),
            Piece::Ask { function, root, sub_keys } => {
                let key = key(*root, sub_keys);
                let quote = if key.contains('\'') { '"' } else { '\'' };
                format!("%{{{function}({quote}{key}{quote})}}")
            }
        })
        .collect()
}

fn key(root: usize, sub_keys: &[usize]) -> String {
    let quoted = |name: &str| crate::syntax::key_path::quote_segment(name).expect("sayable");
    let rest = sub_keys.iter().map(|it| format!(".{}", quoted(SUB_KEYS[*it])));
    let root = ROOT_KEYS[root];
    let is_alone = sub_keys.is_empty() && !root.contains('.');
    let root = if is_alone { root.to_owned() } else { quoted(root) };
    root + &rest.collect::<String>()
}

fn scalar(text: &str, styles: &mut Styles) -> String {
    let double = || serde_json::Value::from(text).to_string();
    match styles.next(2) {
        0 => format!("'{}'", text.replace('\'', "''")),
        _ => double(),
    }
}

fn name(text: &str, styles: &mut Styles) -> String {
    let is_plain = spelling::is_plain_yaml(text);
    if is_plain && styles.next(3) > 0 { text.to_owned() } else { scalar(text, styles) }
}

fn yaml(content: &Content, options: &[(usize, &str)], styles: &mut Styles) -> String {
    let mut lines = String::from("# a comment with a key: a\n");
    for (key, tree) in content {
        let key = name(ROOT_KEYS[*key], styles);
        write!(lines, "{key}: {} # said\r\n", flow(tree, styles)).expect("strings take everything");
    }
    if !options.is_empty() {
        lines.push_str("lookup_options:\n");
        for (key, strategy) in options {
            let key = name(ROOT_KEYS[*key], styles);
            writeln!(lines, "  {key}: {{merge: {strategy}}}").expect("strings take everything");
        }
    }
    lines
}

fn flow(tree: &Tree, styles: &mut Styles) -> String {
    match tree {
        Tree::Number(number) => number.to_string(),
        Tree::Text(pieces) => scalar(&text(pieces), styles),
        Tree::List(items) => {
            let items: Vec<_> = items.iter().map(|item| flow(item, styles)).collect();
            format!("[{}]", items.join(", "))
        }
        Tree::Hash(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(key, member)| {
                    format!("{}: {}", name(SUB_KEYS[*key], styles), flow(member, styles))
                })
                .collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

fn json(content: &Content) -> String {
    fn value(tree: &Tree) -> serde_json::Value {
        match tree {
            Tree::Number(number) => (*number).into(),
            Tree::Text(pieces) => text(pieces).into(),
            Tree::List(items) => items.iter().map(value).collect(),
            Tree::Hash(members) => {
                let pair =
                    |(key, member): &(usize, Tree)| (SUB_KEYS[*key].to_owned(), value(member));
                serde_json::Value::Object(members.iter().map(pair).collect())
            }
        }
    }
    let pair = |(key, tree): &(usize, Tree)| (ROOT_KEYS[*key].to_owned(), value(tree));
    serde_json::Value::Object(content.iter().map(pair).collect()).to_string()
}

fn world(files: &[(String, String)]) -> Arc<World> {
    let settings = "nodes: {web01: {facts: {a: 1}}, db01: {facts: {a: 2}}}";
    let (settings, _) = crate::settings::Settings::read(Some(settings), None, &[]);
    let mut host = Host::new(Arc::new(MemoryDisk::new(files.iter().cloned())));
    host.apply(Change::Folders(vec![ROOT.to_owned()]));
    host.apply(Change::Settings(settings));
    host.snapshot()
}

/// What the node gets; `None` if there is nothing, or an error.
fn answer(world: &Arc<World>, node: &str, path: &[Segment]) -> Option<Value> {
    let environment = world.environment_of(&format!("{ROOT}/hiera.yaml")).expect("it is there");
    let nodes = world.nodes(&environment);
    let node = nodes.iter().find(|it| &*it.name == node).expect("a sample node");
    let key = crate::ide::context::lookup_key(path.iter()).expect("a key");
    let answer = world.evaluator(&environment, node).call(&Request::key(key));
    answer.outcome.ok().flatten().map(|it| it.value)
}

/// A value with the last segment of `path` renamed in it.
fn renamed(value: &Value, path: &[Segment], new_name: &str) -> Value {
    let Some((first, rest)) = path.split_first() else { return value.clone() };
    match value {
        Value::Hash(hash) => {
            let mut new = crate::data::Hash::with_capacity(hash.len());
            for (key, member) in hash.iter() {
                let is_it = matches!((key.as_str(), first), (Some(key), Segment::Name(name)) if *key == **name);
                let (key, member) = match (is_it, rest) {
                    (true, []) => (Value::string(new_name), member.value.clone()),
                    (true, rest) => {
                        (key.clone(), renamed(&member.value.value, rest, new_name).unplaced())
                    }
                    (false, _) => (key.clone(), member.value.clone()),
                };
                new.insert(key, None, member);
            }
            Value::hash(new)
        }
        other => other.clone(),
    }
}

/// The first place in the files at which the key at `path` can be renamed.
fn place_of(world: &Arc<World>, path: &[Segment]) -> Option<(Arc<str>, u32)> {
    let environment = world.environment_of(&format!("{ROOT}/hiera.yaml"))?;
    let Segment::Name(root) = &path[0] else { return None };
    world.key_index(&environment).places(root).into_iter().find_map(|place| {
        let data = world.data(&place.path, place.format).ok()?;
        let entry = data.get(root)?;
        let (at, _) =
            crate::engine::sources::dig_written(&entry.value, &path[1..], entry.key_place)?;
        Some((place.path, at.range.start + 1))
    })
}

/// Renames, if that is possible, and compares the answers of before and after.
fn check_answers(files: &[(String, String)], path: &[Segment], new_name: &str) {
    let before = world(files);
    let Some((file, offset)) = place_of(&before, path) else { return };
    let Ok(edit) = rename(&before, &file, offset, new_name, &CancelToken::default()) else {
        return;
    };
    let edit = edit.expect("a key has a name");
    let mut files = files.to_vec();
    for change in &edit.files {
        let LabelledFile { path, edits } = change;
        let edits: Vec<TextEdit> = edits.iter().map(|it| it.edit.clone()).collect();
        let file = files.iter_mut().find(|it| it.0 == **path).expect("a file of the world");
        file.1 = apply_edits(&file.1, &edits);
    }
    let after = world(&files);
    let mut new_path = path.to_vec();
    *new_path.last_mut().expect("never empty") = Segment::Name(new_name.into());
    // What takes the whole value in which a sub key is renamed changes with it, as the warning says.
    let is_taken = !edit.warnings.is_empty();
    for node in NODES {
        for root in ROOT_KEYS.map(|it| Segment::Name(it.into())) {
            let is_renamed = path.len() == 1 && root == path[0];
            let old = answer(&before, node, std::slice::from_ref(&root));
            let new = if is_renamed { new_path[0].clone() } else { root.clone() };
            let new = answer(&after, node, &[new]);
            let expected = if path.len() > 1 && root == path[0] {
                old.map(|old| renamed(&old, &path[1..], new_name))
            } else {
                old
            };
            // `unique` puts a hash into a list, in which no path leads to it.
            let is_list = path.len() > 1 && matches!(expected, Some(Value::Array(_)));
            if path.len() == 1 || !is_taken && !is_list {
                let shown = |it: &Option<Value>| it.as_ref().map(inspect::inspect);
                assert_eq!(shown(&expected), shown(&new), "{node} {root} {path:?} {files:#?}");
            }
        }
        let old = answer(&before, node, path);
        if !is_taken {
            let new = answer(&after, node, &new_path);
            assert_eq!(old.as_ref().map(inspect::inspect), new.as_ref().map(inspect::inspect));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn stay_the_same_under_the_new_name(
        contents in prop::collection::vec(content(), 4),
        options in prop::collection::vec(
            (0..ROOT_KEYS.len(), prop::sample::select(&["deep", "hash", "unique"][..])), 0..3),
        styles in prop::collection::vec(any::<u8>(), 7..30),
        new_name in prop::sample::select(&NEW_NAMES[..]),
    ) {
        let mut styles = Styles(styles);
        let file = |name: &str, text: String| (format!("{ROOT}/{name}"), text);
        let files = [
            file("hiera.yaml", HIERA_YAML.to_owned()),
            file("data/nodes/web01.yaml", yaml(&contents[0], &[], &mut styles)),
            file("data/nodes/db01.yaml", yaml(&contents[1], &options[..options.len() / 2], &mut styles)),
            file("data/more.json", json(&contents[2])),
            file("data/common.yaml", yaml(&contents[3], &options[options.len() / 2..], &mut styles)),
        ];
        for root in ROOT_KEYS {
            let root = Segment::Name(root.into());
            check_answers(&files, std::slice::from_ref(&root), new_name);
            for sub_key in SUB_KEYS {
                check_answers(&files, &[root.clone(), Segment::Name(sub_key.into())], new_name);
            }
        }
    }
}
