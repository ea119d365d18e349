//! What the nodes of a fleet read for keys without a module, or in the layer of one module: the files and their positions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memmem;

use super::readings::Readings;
use super::{Column, mixed};
use crate::data::{DataFile, Files as _, Format, Value};
use crate::engine::footprint::hash_of;
use crate::engine::structure::{FIRST_POSITION, Structure, concerns_all_keys};
use crate::engine::{Evaluator, LOOKUP_OPTIONS, ModuleScope};
use crate::syntax::interpolation::{self, Expression, Method};
use crate::world::{KeyIndex, World, parallel};

/// The files that all nodes together read in some layers, and the nodes that read each of them.
pub(super) struct Scope {
    module: Option<Arc<str>>,
    places: Arc<Places>,
    contents: Contents,
    /// What follows from the root keys of the files.
    roots: Arc<OfRootKeys>,
    /// How many keys were looked up.
    asked: AtomicU32,
    /// The files that have lookup_options, which are needed again and again.
    holding_options: OnceLock<Vec<u32>>,
    /// The files that affect every key.
    of_all_keys: Vec<u32>,
    /// The evaluators of the examples of nodes with the same lookup_options.
    evaluators: OnceLock<Vec<OnceLock<Evaluator>>>,
    /// The shared parts of evaluators, by levels and lookup_options.
    shared: Mutex<HashMap<SharedKey, Arc<ModuleScope>>>,
}

/// Which files the nodes read, whatever is in them.
pub(super) struct Places {
    /// The hierarchy of each node, apart from files.
    shapes: Column,
    /// For each node, the class of nodes with the same levels; `None` if functions provide its data.
    alike: Vec<Option<u32>>,
    files: Vec<ReadFile>,
    /// The files by path, with one entry for each way of reading a file.
    by_path: HashMap<Arc<str>, Vec<u32>, foldhash::fast::RandomState>,
}

struct ReadFile {
    path: Arc<str>,
    format: Format,
    /// The nodes that read it, with its position for each; empty if all nodes read it at the same position.
    readers: Vec<(u32, u32)>,
}

struct Content {
    data: Option<Arc<DataFile>>,
    /// Whether it affects every key.
    is_of_all_keys: bool,
}

/// The contents of all files, by their numbers.
struct Contents {
    /// Those of one snapshot, which others share while the user types.
    known: Arc<KnownContents>,
    /// Those that may differ from them.
    edited: BTreeMap<u32, Content>,
}

/// The contents of all files in one snapshot.
struct KnownContents {
    world: Arc<World>,
    all: Vec<Content>,
    /// The files that affect every key.
    of_all_keys: Vec<u32>,
}

/// What follows from the root keys of files and from lookup_options.
#[derive(Default)]
pub(super) struct OfRootKeys {
    contents: OnceLock<Arc<KnownContents>>,
    /// The files that have each root key. It is built when so many keys were looked up that it pays off.
    holders: OnceLock<Holders>,
    /// The files that an editor's index of keys does not have, or reads in another format.
    not_indexed: OnceLock<Vec<u32>>,
    /// The classes of nodes with the same lookup_options.
    options: OnceLock<OptionClasses>,
}

/// A module, the levels of nodes, and their lookup_options.
type SharedKey = (Option<Arc<str>>, u32, u32);

type Holders = HashMap<Arc<str>, Vec<u32>, foldhash::fast::RandomState>;

/// For fewer keys than this, the files are searched for each key.
const ASKED_OFTEN: u32 = 6;

/// The number of files whose keys one processor indexes before the results are put together.
const FILES_AT_ONCE: usize = 1_024;

/// A hierarchy and the nodes that have it.
pub(super) type Structures = Arc<[(Structure, Vec<u32>)]>;

/// Nodes with the same lookup_options.
struct OptionClasses {
    /// The class of each node.
    of_nodes: Vec<u32>,
    /// One node of each class.
    examples: Vec<u32>,
}

type FileNumbers = HashMap<(Arc<str>, Format), u32, foldhash::fast::RandomState>;

impl Places {
    /// Finds what the fleet's nodes read in the layer of `module`, or in the others.
    pub(super) fn of(readings: &Readings, module: Option<&str>) -> Self {
        let structures = readings.structures(module);
        let everybody = readings.nodes.len();
        let mut numbers = FileNumbers::default();
        let mut files: Vec<ReadFile> = Vec::new();
        let mut shapes = vec![0; everybody];
        let mut alike = vec![None; everybody];
        for (number, (structure, nodes)) in (0..).zip(structures.iter()) {
            for node in nodes {
                shapes[*node as usize] = structure.shape;
                // A function may give each node other data, so such nodes share nothing.
                alike[*node as usize] = (!structure.asks_functions).then_some(number);
            }
            for file in &structure.files {
                let next = files.len() as u32;
                let (path, format) = (Arc::clone(&file.path), file.format);
                let number = *numbers.entry((path.clone(), format)).or_insert(next);
                if number == next {
                    files.push(ReadFile { path, format, readers: Vec::new() });
                }
                let nodes = nodes.iter().map(|node| (*node, file.position));
                files[number as usize].readers.extend(nodes);
            }
        }
        let mut by_path: HashMap<Arc<str>, Vec<u32>, _> = HashMap::default();
        for (number, file) in (0..).zip(&mut files) {
            by_path.entry(file.path.clone()).or_default().push(number);
            if is_read_alike(&file.readers, everybody) {
                file.readers = Vec::new();
            }
        }
        Self { shapes: shapes.into(), alike, files, by_path }
    }
}

impl Contents {
    fn of(readings: &Readings, places: &Places, roots: &OfRootKeys, module: Option<&str>) -> Self {
        let world = &readings.world;
        let version = world.settings().puppet_version;
        let content = |file: &ReadFile| {
            let data = world.data(&file.path, file.format).ok();
            let concerns_all =
                |data: &Arc<DataFile>| concerns_all_keys(data, module.is_some(), version);
            // A file that cannot be read fails every lookup, so it affects all keys.
            Content { is_of_all_keys: data.as_ref().is_none_or(concerns_all), data }
        };
        let known = roots.contents.get_or_init(|| {
            let all = parallel::map(&places.files, content);
            let of_all_keys = (0..).zip(&all).filter(|(_, content)| content.is_of_all_keys);
            let of_all_keys = of_all_keys.map(|(number, _)| number).collect();
            Arc::new(KnownContents { world: world.clone(), all, of_all_keys })
        });
        if Arc::ptr_eq(&known.world, world) {
            return Self { known: known.clone(), edited: BTreeMap::new() };
        }
        let numbers: Vec<u32> = match known.world.files_that_may_differ(world) {
            Some(paths) => {
                let numbers = paths.iter().filter_map(|path| places.by_path.get(path));
                numbers.flatten().copied().collect()
            }
            None => (0..places.files.len() as u32).collect(),
        };
        let edited = parallel::map(&numbers, |number| content(&places.files[*number as usize]));
        Self { known: known.clone(), edited: numbers.into_iter().zip(edited).collect() }
    }

    fn get(&self, number: u32) -> &Content {
        self.edited.get(&number).unwrap_or_else(|| &self.known.all[number as usize])
    }

    /// The files that affect every key, in order.
    fn of_all_keys(&self) -> Vec<u32> {
        let known = self.known.of_all_keys.iter().copied();
        let known = known.filter(|number| !self.edited.contains_key(number));
        let edited = self.edited.iter().filter(|(_, content)| content.is_of_all_keys);
        let mut all: Vec<u32> = known.chain(edited.map(|(number, _)| *number)).collect();
        all.sort_unstable();
        all
    }
}

impl Scope {
    /// What the fleet's nodes read in the layer of `module`, or in the others.
    pub(super) fn of(readings: &Readings, module: Option<&str>) -> Self {
        let places = readings.places(module);
        let roots = readings.roots(module);
        let contents = Contents::of(readings, &places, &roots, module);
        Self {
            of_all_keys: contents.of_all_keys(),
            module: module.map(Arc::from),
            places,
            contents,
            roots,
            asked: AtomicU32::new(0),
            holding_options: OnceLock::new(),
            evaluators: OnceLock::new(),
            shared: Mutex::default(),
        }
    }

    pub(super) fn shapes(&self) -> &[u64] {
        &self.places.shapes
    }

    /// Adds the files that a node reads and that affect a root key to the number of each node.
    pub(super) fn add_files(&self, readings: &Readings, root: &str, column: &mut [u64]) {
        for number in self.concerning(readings, root) {
            let read_at = |position: u32| mixed((self.module.as_deref(), number, position));
            // Most files have the same position for all nodes.
            let mut last = (0, read_at(0));
            for (node, position) in &self.places.files[number as usize].readers {
                if *position != last.0 {
                    last = (*position, read_at(*position));
                }
                // The sum does not depend on the order of files, so each file can be added without sorting.
                let sum = &mut column[*node as usize];
                *sum = sum.wrapping_add(last.1);
            }
        }
    }

    /// For each node, whether the first file of its environment has a root key, and is not one of those that matter.
    pub(super) fn ending_at_first_file(
        &self,
        readings: &Readings,
        root: &str,
        matter: &BTreeSet<Arc<str>>,
    ) -> Vec<bool> {
        let mut ends = vec![false; readings.nodes.len()];
        for number in self.holding(readings, root) {
            let file = &self.places.files[number as usize];
            if matter.contains(&file.path) {
                continue;
            }
            for (node, position) in &file.readers {
                ends[*node as usize] |= *position == FIRST_POSITION;
            }
        }
        ends
    }

    /// Marks the nodes that read the file at `path`, and those whose functions may.
    pub(super) fn add_readers(&self, path: &str, reads: &mut [bool]) {
        let places = &self.places;
        for number in places.by_path.get(path).into_iter().flatten() {
            let readers = &places.files[*number as usize].readers;
            if readers.is_empty() {
                reads.fill(true);
            }
            for (node, _) in readers {
                reads[*node as usize] = true;
            }
        }
        for (reads, alike) in reads.iter_mut().zip(&places.alike) {
            *reads = *reads || alike.is_none();
        }
    }

    /// Adds the lookup_options that apply to a root key.
    pub(super) fn add_options(&self, readings: &Readings, root: &str, column: &mut [u64]) {
        let classes = self.options(readings);
        // If all nodes have the same options, these do not distinguish nodes.
        if classes.examples.len() < 2 {
            return;
        }
        let row = |(class, node): (usize, &u32)| {
            let evaluator = || {
                let slots = self
                    .evaluators
                    .get_or_init(|| classes.examples.iter().map(|_| OnceLock::new()).collect());
                slots[class].get_or_init(|| readings.new_evaluator(*node))
            };
            // A default hierarchy has its own options, and cases read them in their own way.
            if self.module.is_some() || !readings.nodes[*node as usize].is_complete() {
                return mixed(("class", class));
            }
            match evaluator().options_for(root) {
                Ok(None) => 0,
                Ok(Some(applied)) => mixed(("row", hash_of(&applied.options.value))),
                Err(failure) => mixed(("error", &failure.message)),
            }
        };
        let rows: Vec<u64> = classes.examples.iter().enumerate().map(row).collect();
        for (number, class) in column.iter_mut().zip(&classes.of_nodes) {
            *number = mixed((*number, rows[*class as usize]));
        }
    }

    /// What a node shares with other nodes for keys of a module: this scope's module, or one that does not exist.
    pub(super) fn shared(
        &self,
        readings: &Readings,
        module: Option<&str>,
        node: u32,
    ) -> Option<Arc<ModuleScope>> {
        let levels = self.places.alike[node as usize]?;
        let options = self.options(readings);
        // Without a module, it only keeps the options.
        let levels = if self.module.is_some() { levels } else { 0 };
        let key = (module.map(Arc::from), levels, options.of_nodes[node as usize]);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(ModuleScope::of(module));
        Some(shared.entry(key).or_insert_with(made).clone())
    }

    /// The files that affect a root key, each once.
    fn concerning(&self, readings: &Readings, root: &str) -> impl Iterator<Item = u32> {
        self.holding(readings, root).into_iter().chain(self.of_all_keys.iter().copied())
    }

    /// The files that have a root key and affect only single keys.
    fn holding(&self, readings: &Readings, root: &str) -> Vec<u32> {
        // Every key needs its options, so they have a cache of their own and do not count as a search.
        if root == LOOKUP_OPTIONS {
            self.holding_options.get_or_init(|| self.search(readings, root)).clone()
        } else if let Some(holders) = self.roots.holders.get() {
            holders.get(root).cloned().unwrap_or_default()
        } else if self.asked.fetch_add(1, Ordering::Relaxed) < ASKED_OFTEN {
            self.search(readings, root)
        } else {
            let holders = self.roots.holders.get_or_init(|| self.index());
            holders.get(root).cloned().unwrap_or_default()
        }
    }

    /// The files that have a root key. Those that may have it are looked up in the index of keys, if an editor has built it.
    fn search(&self, readings: &Readings, root: &str) -> Vec<u32> {
        let index = readings.world.key_index_if_built(&readings.environment);
        // The index does not know keys that a `<<` brings.
        let index = index.filter(|it| !it.may_have_other_keys());
        let numbers =
            index.map_or_else(|| self.numbers().collect(), |it| self.candidates(&it, root));
        let is_shown = is_shown_by_texts(root);
        let finder = memmem::Finder::new(root.as_bytes());
        let holds = parallel::map(&numbers, |number| {
            let Some(data) = self.data_with_a_say_about(*number, root) else { return false };
            let text = data.text().as_bytes();
            let may_hold = !is_shown
                || data.format() == Format::Hocon
                || finder.find(text).is_some()
                || memchr::memchr(b'\\', text).is_some();
            may_hold && data.get(root).is_some()
        });
        numbers.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|(it, _)| it).collect()
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        0..self.places.files.len() as u32
    }

    /// The files that may have a root key.
    fn candidates(&self, index: &KeyIndex, root: &str) -> Vec<u32> {
        let Places { files, by_path, .. } = &*self.places;
        // A fact can lead to a file that the index does not have.
        let not_indexed = self.roots.not_indexed.get_or_init(|| {
            let is_other = |file: &ReadFile| index.format_of(&file.path) != Some(file.format);
            self.numbers().filter(|number| is_other(&files[*number as usize])).collect()
        });
        let paths = index.paths_with(root).into_iter();
        let mut numbers: Vec<u32> =
            paths.flat_map(|path| by_path.get(&path).into_iter().flatten().copied()).collect();
        numbers.extend(not_indexed);
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The content of a file, if it only affects single root keys.
    fn data_with_a_say_about(&self, number: u32, root: &str) -> Option<&Arc<DataFile>> {
        let content = self.contents.get(number);
        let tells_apart =
            !self.places.files[number as usize].readers.is_empty() || root == LOOKUP_OPTIONS;
        content.data.as_ref().filter(|_| tells_apart && !content.is_of_all_keys)
    }

    fn index(&self) -> Holders {
        let numbers: Vec<u32> = self.numbers().collect();
        let parts: Vec<_> = numbers.chunks(FILES_AT_ONCE).collect();
        let mut parts = parallel::map(&parts, |part| self.index_of(part)).into_iter();
        let mut holders = parts.next().unwrap_or_default();
        for part in parts {
            #[expect(clippy::iter_over_hash_type, reason = "each key has its own list")]
            for (key, mut numbers) in part {
                holders.entry(key).or_default().append(&mut numbers);
            }
        }
        holders
    }

    fn index_of(&self, files: &[u32]) -> Holders {
        let mut holders = Holders::default();
        for number in files {
            let content = self.contents.get(*number);
            // A file that all nodes read alike still matters for its lookup_options, because its variables must be known.
            let has_a_say = !self.places.files[*number as usize].readers.is_empty()
                || self
                    .data_with_a_say_about(*number, LOOKUP_OPTIONS)
                    .is_some_and(|it| it.get(LOOKUP_OPTIONS).is_some());
            let Some(data) = content.data.as_ref().filter(|_| has_a_say && !content.is_of_all_keys)
            else {
                continue;
            };
            data.each_key(|key| {
                if let Some(numbers) = holders.get_mut(key) {
                    // A file may have the same key twice.
                    if numbers.last() != Some(number) {
                        numbers.push(*number);
                    }
                } else {
                    holders.insert(key.into(), vec![*number]);
                }
            });
        }
        holders
    }

    /// The classes of nodes with the same lookup_options.
    fn options(&self, readings: &Readings) -> &OptionClasses {
        self.roots.options.get_or_init(|| self.option_classes(readings))
    }

    fn option_classes(&self, readings: &Readings) -> OptionClasses {
        let mut column: Vec<u64> = self.shapes().to_vec();
        let mut texts = BTreeSet::new();
        self.add_files(readings, LOOKUP_OPTIONS, &mut column);
        self.collect_tokens(readings, &mut texts);
        self.tell_functions_apart(&mut column);
        // For keys of a module, the lookup_options of all layers are merged.
        if self.module.is_some() {
            let own = readings.scope(None);
            own.add_files(readings, LOOKUP_OPTIONS, &mut column);
            own.collect_tokens(readings, &mut texts);
            own.tell_functions_apart(&mut column);
            for (number, shape) in column.iter_mut().zip(own.shapes()) {
                *number = mixed((*number, *shape));
            }
        }
        for text in texts {
            let variable = text.map(|name| readings.variable(&name));
            for (at, number) in column.iter_mut().enumerate() {
                *number = match &variable {
                    Some(values) => mixed((*number, values[at])),
                    // The lookup may read anything.
                    None => mixed((*number, at)),
                };
            }
        }
        let mut classes = OptionClasses { of_nodes: Vec::new(), examples: Vec::new() };
        let mut known: HashMap<u64, u32> = HashMap::new();
        for (node, number) in (0..).zip(column) {
            let next = classes.examples.len() as u32;
            let class = *known.entry(number).or_insert(next);
            if class == next {
                classes.examples.push(node);
            }
            classes.of_nodes.push(class);
        }
        classes
    }

    /// Functions may give each node other lookup_options.
    fn tell_functions_apart(&self, column: &mut [u64]) {
        for (at, alike) in self.places.alike.iter().enumerate() {
            if alike.is_none() {
                column[at] = mixed((column[at], at));
            }
        }
    }

    /// The variable expressions in the strings of all lookup_options; `None` if there is a lookup, or if a variable may
    /// contain more expressions.
    fn collect_tokens(&self, readings: &Readings, found: &mut BTreeSet<Option<Arc<str>>>) {
        for number in self.concerning(readings, LOOKUP_OPTIONS) {
            let data = self.contents.get(number).data.as_ref();
            if let Some(entry) = data.and_then(|it| it.get(LOOKUP_OPTIONS)) {
                collect_tokens(&entry.value.value, found);
            }
        }
    }
}

/// Whether every text with a root key contains the letters of the key, except for escapes: the key has no character at
/// which a line may be folded.
fn is_shown_by_texts(root: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_:.-/".contains(&byte);
    !root.is_empty() && root.bytes().all(is_plain)
}

/// Whether every node reads a file once and at the same position. Then the file does not distinguish nodes.
fn is_read_alike(readers: &[(u32, u32)], everybody: usize) -> bool {
    let Some((_, position)) = readers.first() else { return false };
    let mut nodes: Vec<u32> = readers.iter().map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.len() == everybody
        && readers.len() == everybody
        && readers.iter().all(|(_, other)| other == position)
}

/// The hierarchies of the nodes, each different one once.
pub(super) fn structures(readings: &Readings, module: Option<&str>) -> Vec<(Structure, Vec<u32>)> {
    let mut found = Vec::new();
    let mut left: Vec<(Vec<u32>, Vec<Arc<str>>)> =
        vec![((0..readings.nodes.len() as u32).collect(), Vec::new())];
    while !left.is_empty() {
        let asked = parallel::map(&left, |(nodes, _)| {
            Some(readings.new_evaluator(*nodes.first()?).structure(module))
        });
        let mut next = Vec::new();
        for (structure, (nodes, known)) in asked.into_iter().zip(left) {
            let Some(structure) = structure else { continue };
            // The nodes of a group agree in the variables of earlier rounds, so only new ones can split it.
            let is_new = |it: &&Arc<str>| !known.contains(it);
            let new: Vec<Arc<str>> = structure.variables.iter().filter(is_new).cloned().collect();
            let columns: Vec<Column> = new.iter().map(|it| readings.variable(it)).collect();
            let numbers = |node: u32| -> Vec<u64> {
                columns.iter().map(|column| column[node as usize]).collect()
            };
            let complete = |node: u32| readings.nodes[node as usize].is_complete();
            // A lookup for a node with open variables takes another way than one for a complete node with the same values.
            let of_first = (complete(nodes[0]), numbers(nodes[0]));
            let mut same = Vec::new();
            let mut others: HashMap<(bool, Vec<u64>), usize> = HashMap::new();
            let known: Vec<Arc<str>> = known.into_iter().chain(new.iter().cloned()).collect();
            for node in nodes {
                let key = (complete(node), numbers(node));
                if key == of_first {
                    same.push(node);
                    continue;
                }
                let at = *others.entry(key).or_insert_with(|| {
                    next.push((Vec::new(), known.clone()));
                    next.len() - 1
                });
                next[at].0.push(node);
            }
            found.push((structure, same));
        }
        left = next;
    }
    found
}

fn collect_tokens(value: &Value, found: &mut BTreeSet<Option<Arc<str>>>) {
    match value {
        Value::String(text) => {
            for token in interpolation::tokens(text) {
                found.insert(match token.expression {
                    Expression::Variable(name) => Some(name),
                    // `%{scope('a')}` means the same as `%{a}`.
                    Expression::Call { method: Method::Scope, argument, .. } => Some(argument),
                    Expression::Empty | Expression::Call { method: Method::Literal, .. } => {
                        continue;
                    }
                    Expression::Call { .. } => None,
                });
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_tokens(&item.value, found)),
        Value::Hash(hash) => {
            for (key, member) in hash.iter() {
                collect_tokens(key, found);
                collect_tokens(&member.value.value, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Node;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn a_later_snapshot_has_its_own_texts_of_edited_files() {
        let disk = MemoryDisk::new([
            ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, paths: [a.yaml, b.yaml]}]\n"),
            ("/r/data/a.yaml", "k: 1\n"),
            ("/r/data/b.yaml", "k: 1\n"),
        ]);
        let mut host = Host::new(Arc::new(disk));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let before = host.snapshot();
        let environment = before.environment_of("/r/data/a.yaml").expect("there is one");
        let nodes: Arc<[Arc<Node>]> = [before.node_named(&environment, "n")].into();
        let one = Readings::new(&before, &environment, nodes, before.back_ends().clone());
        let after = before.as_if(&[("/r/data/a.yaml".into(), "k: 2\n".into())]);
        let [one, other] = [&one, &one.with_other_values(&after)].map(|it| Scope::of(it, None));
        let value = |scope: &Scope, number| {
            let data = scope.contents.get(number).data.as_ref().expect("it can be read");
            data.get("k").map(|entry| entry.value.value.clone())
        };
        let values = [value(&one, 0), value(&one, 1), value(&other, 0), value(&other, 1)];
        assert_eq!(values, [1, 1, 2, 1].map(|it| Some(Value::Integer(it))));
        assert!(Arc::ptr_eq(&one.contents.known, &other.contents.known), "b.yaml is read once");
    }
}
