//! Outlines of files, and the keys of a workspace by name.

use std::collections::HashSet;
use std::sync::Arc;

use super::file_part::{FilePart, Known, Movable, joined, shifted};
use super::file_role::FileRole;
use super::matching;
use super::perspective::holds_encrypted;
use crate::data::{DataFile, EntryTree, Format, scalar};
use crate::engine::CancelToken;
use crate::syntax::entries::next_entry;
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;
use crate::world::{World, paths};

/// The maximum number of keys in the result of a search.
pub(crate) const MAX_WORKSPACE_SYMBOLS: usize = 500;

/// A key of a file, with its sub keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The key; for a list item its `name`, or its position.
    pub name: String,
    /// The kind of its value.
    pub kind: SymbolKind,
    /// Key and value.
    pub range: TextRange,
    /// The key.
    pub focus_range: TextRange,
    /// The keys of its value.
    pub children: Vec<Self>,
}

/// The kind of a key's value, determined from its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// A hash.
    Hash,
    /// A list.
    List,
    /// A string, a date and the like.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// Nothing.
    Null,
    /// Another key's value (`*name`), or an unreadable one.
    Unknown,
}

/// A root key that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// The key.
    pub name: Arc<str>,
    /// The file's path for users.
    pub container: String,
    /// The file.
    pub path: Arc<str>,
    /// The key, in bytes of the file.
    pub range: TextRange,
}

/// The keys of a file, in source order. If an entry is broken, its root key is still included.
pub fn document_symbols(world: &Arc<World>, path: &str) -> Vec<Symbol> {
    joined(symbol_parts(world, path, &mut |_| false, &CancelToken::default()))
}

/// [`document_symbols`] by section; empty if the request was cancelled.
pub fn symbol_parts(
    world: &Arc<World>,
    path: &str,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Vec<FilePart<Symbol>> {
    let Some(role) = FileRole::of(world, path) else { return Vec::new() };
    let Ok(file) = world.file(path) else { return Vec::new() };
    outline_parts(file.data(role.format()), known, cancel).unwrap_or_default()
}

/// The root keys of all environments that match `query`, the best ones first.
pub fn workspace_symbols(
    world: &Arc<World>,
    query: &str,
    cancel: &CancelToken,
) -> Vec<WorkspaceSymbol> {
    let mut found: Vec<WorkspaceSymbol> = Vec::new();
    let mut seen = HashSet::new();
    for environment in world.environments().iter() {
        if cancel.is_cancelled() {
            return Vec::new();
        }
        let index = world.key_index(environment);
        let best = matching::best(index.keys(), query, MAX_WORKSPACE_SYMBOLS, cancel);
        for key in best {
            for place in index.places(&key) {
                if found.len() >= MAX_WORKSPACE_SYMBOLS || cancel.is_cancelled() {
                    return found;
                }
                // Several environments may read the same file.
                if seen.insert((place.file, place.key.start)) {
                    let root = environment.root.as_deref();
                    let shown = root.and_then(|root| paths::below(root, &place.path));
                    found.push(WorkspaceSymbol {
                        name: key.clone(),
                        container: shown.unwrap_or(&place.path).to_owned(),
                        path: place.path,
                        range: place.key,
                    });
                }
            }
        }
    }
    found
}

/// The keys of a data file, including broken entries.
pub(crate) fn outline(data: &DataFile) -> Vec<Symbol> {
    let parts = outline_parts(data, &mut |_| false, &CancelToken::default());
    parts.map_or_else(Vec::new, joined)
}

/// The outline by section; `None` if the request was cancelled.
fn outline_parts(
    data: &DataFile,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Option<Vec<FilePart<Symbol>>> {
    if data.format() == Format::Yaml && !data.syntax_errors().is_empty() {
        return broken_outline_parts(data, known, cancel);
    }
    let mut parts = Vec::new();
    for section in data.sections() {
        if cancel.is_cancelled() {
            return None;
        }
        let start = section.range.start;
        let symbols = || {
            let of_entry = |entry| shifted(vec![entry_symbol(&entry)], entry.start - start);
            Some(section.trees().flat_map(of_entry).collect())
        };
        parts.extend(FilePart::of(section.id, start, known, symbols));
    }
    Some(parts)
}

/// The outline of a file in which entries are broken. They have no tree, but the outline should still show their keys.
fn broken_outline_parts(
    data: &DataFile,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Option<Vec<FilePart<Symbol>>> {
    let mut parts = Vec::new();
    let mut starts = HashSet::new();
    for entry in data.trees() {
        if cancel.is_cancelled() {
            return None;
        }
        starts.insert(entry.start + entry.key.range.start);
        let symbols = || Some(vec![entry_symbol(&entry)]);
        parts.extend(FilePart::of(entry.id, entry.start, known, symbols));
    }
    let others = broken_keys(data.text()).filter(|it| !starts.contains(&it.range.start));
    parts.extend(others.map(|mut symbol| {
        let start = symbol.range.start;
        symbol.range = TextRange::new(0, symbol.range.len());
        symbol.focus_range = symbol.range;
        FilePart::unnumbered(start, vec![symbol])
    }));
    parts.sort_by_key(|part| part.start);
    Some(parts)
}

/// Text that looks like root keys.
fn broken_keys(text: &str) -> impl Iterator<Item = Symbol> {
    let mut next = next_entry(text, 0);
    let starts = std::iter::from_fn(move || {
        let start = next?;
        next = next_entry(text, start + 1);
        Some(start)
    });
    starts.filter_map(|start| {
        let line = text[start..].lines().next()?;
        let ends = line.match_indices(':').map(|(at, _)| at);
        let key = ends
            .map(|at| line.split_at(at))
            .find_map(|(key, behind)| (behind == ":" || behind.starts_with(": ")).then_some(key))?;
        let range = TextRange::new(start as u32, (start + key.len()) as u32);
        Some(Symbol {
            name: shown_name(key.trim_matches(['\'', '"'])),
            kind: SymbolKind::Unknown,
            range,
            focus_range: range,
            children: Vec::new(),
        })
    })
}

fn entry_symbol(entry: &EntryTree<'_>) -> Symbol {
    pair_symbol(entry.text, entry.key, entry.value)
}

fn pair_symbol(text: &str, key: &Node, value: &Node) -> Symbol {
    let name = match &key.kind {
        NodeKind::Scalar { text, .. } => shown_name(text),
        _ => shown_name(key.range.slice(text).lines().next().unwrap_or("")),
    };
    let range = TextRange::new(key.range.start, value.range.end.max(key.range.end));
    Symbol {
        name,
        kind: kind_of(value),
        range,
        focus_range: key.range,
        children: children(text, value, range),
    }
}

/// The keys of a value that are written in `range`. HOCON inserts hashes that are written elsewhere.
fn children(text: &str, value: &Node, range: TextRange) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = match &value.kind {
        NodeKind::Mapping(pairs) => {
            pairs.iter().map(|pair| pair_symbol(text, &pair.key, &pair.value)).collect()
        }
        NodeKind::Sequence(items) => {
            let item = |(number, item): (usize, &Node)| {
                let NodeKind::Mapping(pairs) = &item.kind else { return None };
                let mut keys = pairs.iter().map(|pair| pair.key.range);
                Some(Symbol {
                    name: name_of(pairs).unwrap_or_else(|| number.to_string()),
                    kind: SymbolKind::Hash,
                    range: item.range,
                    focus_range: keys
                        .find(|it| item.range.contains_range(*it))
                        .unwrap_or(item.range),
                    children: children(text, item, item.range),
                })
            };
            items.iter().enumerate().filter_map(item).collect()
        }
        _ => Vec::new(),
    };
    found.retain(|it| range.contains_range(it.range));
    found
}

/// The `name` of a list item.
fn name_of(pairs: &[Pair]) -> Option<String> {
    let is_name =
        |pair: &&Pair| matches!(&pair.key.kind, NodeKind::Scalar { text, .. } if &**text == "name");
    match &pairs.iter().find(is_name)?.value.kind {
        // An encrypted name would fill the line and say nothing.
        NodeKind::Scalar { text, .. } if !holds_encrypted(text) => Some(shown_name(text)),
        _ => None,
    }
}

/// Editors refuse symbols without a name.
fn shown_name(name: &str) -> String {
    if name.trim().is_empty() { format!("'{name}'") } else { name.to_owned() }
}

fn kind_of(value: &Node) -> SymbolKind {
    match &value.kind {
        NodeKind::Mapping(_) => SymbolKind::Hash,
        NodeKind::Sequence(_) => SymbolKind::List,
        NodeKind::Alias(_) => SymbolKind::Unknown,
        NodeKind::Scalar { style, text }
            if *style != ScalarStyle::Plain || scalar::is_string(text) =>
        {
            SymbolKind::Text
        }
        NodeKind::Scalar { text, .. } => match &*text.to_ascii_lowercase() {
            "" | "~" | "null" => SymbolKind::Null,
            "true" | "false" | "yes" | "no" | "on" | "off" => SymbolKind::Boolean,
            _ => SymbolKind::Number,
        },
    }
}

impl Movable for Symbol {
    fn shift(&mut self, by: u32) {
        self.range = self.range.shifted(by);
        self.focus_range = self.focus_range.shifted(by);
        self.children.iter_mut().for_each(|child| child.shift(by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    /// `expected`: the names, with `{…}` around the children of each.
    #[track_caller]
    fn check(files: &str, expected: &str) {
        let fixture = Fixture::parse(files);
        let file = fixture.files.last().expect("the fixture has a file");
        let symbols = document_symbols(&fixture.world(), &file.world_path());
        assert_eq!(show(&symbols, None), expected);
    }

    fn show(symbols: &[Symbol], parent: Option<&Symbol>) -> String {
        let shown = symbols.iter().map(|symbol| {
            assert!(symbol.range.contains_range(symbol.focus_range));
            assert!(parent.is_none_or(|parent| parent.range.contains_range(symbol.range)));
            let children = show(&symbol.children, Some(symbol));
            let children = if children.is_empty() { children } else { format!("{{{children}}}") };
            format!("{}{children}", symbol.name)
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn keys_nest() {
        check("a: 1\nb:\n  c: [1]\n  d: {e: x}\n'': y\n", "a b{c d{e}} ''");
        check("a:\n  - b: 1\n  - name: x\n    c: 2\n  - 5\n", "a{0{b} x{name c}}");
        check("#- /data/common.yaml\n# nothing\n", "");
    }

    #[test]
    fn keys_that_hocon_inserts_are_not_written_there() {
        let level = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: c.conf, data_hash: hocon_data}]\n#- /data/c.conf\n";
        let check = |text: &str, expected| check(&format!("{level}{text}"), expected);
        check("base { x: 1 }\ncopy = ${base} { y: 2 }\n", "base{x} copy{y}");
        check("base { x: 1 }\ncopy = ${base}\n", "base{x} copy");
        check("base { x: 1, z: 3 }\nbase { x: 2 }\n", "base{x}");
        check(
            "base { x: 1 }\nl = [{ a: ${base} }, ${base}, ${base} { y: 2 }]\n",
            "base{x} l{0{a} 1 2{y}}",
        );
    }

    #[test]
    fn broken_files_keep_their_keys() {
        check(
            "first: {a: 1}\nsecond: [1\nthird: 'x\n  y: 2\nfourth: 4\n",
            "first{a} second third fourth",
        );
    }

    #[test]
    fn levels_of_hiera_yaml() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: Nodes\n    path: a.yaml\n",
            "version hierarchy{Nodes{name path}}",
        );
    }

    #[track_caller]
    fn check_search(query: &str, expected: &[&str]) {
        let fixture = Fixture::parse(
            "#- /data/common.yaml\nntp::servers: 1\nprofile::ntp: 1\nother: 2\nlookup_options: {}\n",
        );
        let found = workspace_symbols(&fixture.world(), query, &CancelToken::default());
        let names: Vec<_> = found.iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(names, expected);
        assert!(found.iter().all(|symbol| symbol.container == "data/common.yaml"));
    }

    #[test]
    fn keys_are_searched() {
        check_search("", &["lookup_options", "ntp::servers", "other", "profile::ntp"]);
        check_search("ntp", &["ntp::servers", "profile::ntp"]);
        check_search("PRN", &["profile::ntp"]);
        check_search("zzz", &[]);
    }

    #[test]
    fn a_search_that_nobody_waits_for_ends() {
        let cancel = CancelToken::default();
        cancel.cancel();
        let fixture = Fixture::parse("a: 1\n");
        assert_eq!(workspace_symbols(&fixture.world(), "", &cancel), []);
    }
}
