//! Converts a tree to a value, with the types of Ruby's Psych (YAML 1.1).

use std::collections::HashMap;
use std::sync::Arc;

use super::inspect;
use super::scalar::{self, ScalarError};
use super::tags;
use super::value::{FileId, Hash, Located, Place, Value};
use crate::limits::{MAX_EXPANDED_VALUES, MAX_YAML_NESTING};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

/// Why Psych refuses a tree: its message (without `Unable to parse`) and the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerError {
    /// Psych's message.
    pub message: String,
    /// How Puppet presents the message.
    pub kind: LowerErrorKind,
    /// The range in bytes of the whole file.
    pub range: TextRange,
}

/// The text that Puppet puts before the message of a [`LowerError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LowerErrorKind {
    /// `Unable to parse (<path>): `
    NamesFile,
    /// `Unable to parse `
    NoFile,
    /// Nothing: Ruby itself gave up.
    Bare,
}

/// Converts the nodes of one file. Later nodes can refer to the anchors of earlier ones.
pub struct Lowering<'a> {
    file: FileId,
    base: u32,
    anchors: HashMap<Arc<str>, Anchor>,
    outer: Option<&'a Outer<'a>>,
}

/// Returns what an earlier entry has anchored under a name.
pub type Outer<'a> = dyn Fn(&str) -> Option<Anchored> + 'a;

/// The value of an anchored node.
#[derive(Debug, Clone)]
pub struct Anchored {
    /// The value that an alias gets.
    pub value: Located,
    /// The hash that `<<` merges, if it differs: its keys are still symbols.
    with_symbols: Option<Arc<Hash>>,
    size: Size,
}

#[derive(Debug)]
enum Anchor {
    /// The node is still being converted: an alias to it from inside is a cycle.
    Open,
    /// The same, and `<<` inside merges the pairs that the hash has so far.
    OpenHash(Anchored),
    Known(Anchored),
}

/// How deep a value is, and how many values it contains after expansion.
#[derive(Debug, Clone, Copy)]
struct Size {
    depth: u32,
    values: u64,
}

type Lowered = Result<Anchored, LowerError>;

impl<'a> Lowering<'a> {
    /// For nodes whose ranges start at byte `base` of `file`.
    pub fn new(file: FileId, base: u32) -> Self {
        Self { file, base, anchors: HashMap::new(), outer: None }
    }

    /// Adds a function that knows the anchors of earlier entries.
    #[must_use]
    pub fn knowing(mut self, outer: &'a Outer<'a>) -> Self {
        self.outer = Some(outer);
        self
    }

    /// Continues with nodes whose ranges start at byte `base`.
    pub fn move_to(&mut self, base: u32) {
        self.base = base;
    }

    /// The position in the file of a range of the tree.
    pub fn place(&self, range: TextRange) -> Place {
        Place { file: self.file, range: range.shifted(self.base) }
    }

    /// The value of a node.
    pub fn node(&mut self, node: &Node) -> Result<Located, LowerError> {
        self.lower(node).map(|lowered| lowered.value)
    }

    /// The root hash from its pairs. The sizes of the entries are not summed up, because entries are looked up one by one.
    pub fn root(&mut self, pairs: &[Pair]) -> Result<Hash, LowerError> {
        let mut root = RootHash::new(pairs.len());
        for pair in pairs {
            self.add_to_root(&mut root, pair)?;
        }
        Ok(root.finish())
    }

    /// Adds a pair to a root hash.
    pub fn add_to_root(&mut self, root: &mut RootHash, pair: &Pair) -> Result<(), LowerError> {
        self.pair(&mut root.0, pair)
    }

    /// The anchors that the nodes defined; for each name, the last one.
    pub fn into_anchors(self) -> impl Iterator<Item = (Arc<str>, Anchored)> {
        self.anchors.into_iter().filter_map(|(name, anchor)| match anchor {
            Anchor::Known(anchored) => Some((name, anchored)),
            Anchor::Open | Anchor::OpenHash(_) => None,
        })
    }

    fn lower(&mut self, node: &Node) -> Lowered {
        if let NodeKind::Mapping(pairs) = &node.kind
            && node.tag.as_deref().is_some_and(tags::is_string_with_variables)
        {
            return self.string_with_variables(node, pairs);
        }
        let is_collection = matches!(node.kind, NodeKind::Sequence(_) | NodeKind::Mapping(_));
        if let Some(anchor) = node.anchor.as_ref().filter(|_| is_collection) {
            // The anchor is known before the members, so that an alias inside finds the hash around it.
            self.anchors.insert(Arc::clone(anchor), Anchor::Open);
        }
        let lowered = match &node.kind {
            NodeKind::Scalar { text, style } => self.scalar(node, text, *style)?,
            NodeKind::Sequence(items) => self.sequence(node, items)?,
            NodeKind::Mapping(pairs) => self.mapping(node, pairs)?,
            NodeKind::Alias(name) => return self.alias(node, name),
        };
        if lowered.size.depth as usize > MAX_YAML_NESTING {
            return Err(self.too_deep(node));
        }
        if lowered.size.values > MAX_EXPANDED_VALUES {
            let message = format!("aliases expand to more than {MAX_EXPANDED_VALUES} values");
            return Err(self.error(node, &message));
        }
        if let Some(anchor) = &node.anchor
            && !(is_collection && self.an_anchor_inside_its_namesake_stays(anchor))
        {
            self.anchors.insert(Arc::clone(anchor), Anchor::Known(lowered.clone()));
        }
        Ok(lowered)
    }

    /// Psych registers a list or hash before its members: after `&a {x: &a 1}`, `a` is 1.
    fn an_anchor_inside_its_namesake_stays(&self, name: &Arc<str>) -> bool {
        matches!(self.anchors.get(name), Some(Anchor::Known(_)))
    }

    fn alias(&self, node: &Node, name: &Arc<str>) -> Lowered {
        match self.anchors.get(name) {
            Some(Anchor::Known(anchored)) => Ok(anchored.clone()),
            // Psych loads a hash that contains itself, but Puppet then recurses until Ruby's stack is full.
            Some(Anchor::Open | Anchor::OpenHash(_)) => Err(self.too_deep(node)),
            None => {
                let outer = self.outer.and_then(|outer| outer(name));
                outer.ok_or_else(|| self.error(node, &format!("Unknown alias: {name}")))
            }
        }
    }

    fn scalar(&self, node: &Node, text: &Arc<str>, style: ScalarStyle) -> Lowered {
        match scalar::typed(text, style, node.tag.as_deref()) {
            Ok(value) => Ok(self.anchored(node, value, Size { depth: 0, values: 1 })),
            Err(ScalarError::Class(class)) => Err(self.unspecified_class(node, &class)),
            Err(ScalarError::Exception(message)) => Err(self.error(node, &message)),
        }
    }

    fn sequence(&mut self, node: &Node, items: &[Node]) -> Lowered {
        let tag = node.tag.as_deref().unwrap_or("");
        if let Some(class) = tags::class_of_list(tag) {
            return Err(self.unspecified_class(node, &class));
        }
        if tags::is_ordered_map(tag) {
            return self.ordered_map(node, items);
        }
        let mut size = Size::EMPTY;
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let item = self.lower(item)?;
            size.add(item.size);
            values.push(item.value);
        }
        Ok(self.anchored(node, Value::array(values), size))
    }

    /// `!!omap [a: 1, b: 2]` becomes a hash of each item's first key and last value.
    fn ordered_map(&mut self, node: &Node, items: &[Node]) -> Lowered {
        let mut hash = HashBuilder::new(items.len());
        for item in items {
            let (key, value) = match &item.kind {
                NodeKind::Mapping(pairs) => match (pairs.first(), pairs.last()) {
                    (Some(first), Some(last)) => (&first.key, &last.value),
                    _ => return Err(self.error(item, "undefined method `accept' for nil")),
                },
                NodeKind::Sequence(items) => match (items.first(), items.last()) {
                    (Some(first), Some(last)) => (first, last),
                    _ => return Err(self.error(item, "undefined method `accept' for nil")),
                },
                _ => {
                    return Err(self.error(item, "undefined method `first' for nil:NilClass"));
                }
            };
            let key = self.lower(key)?;
            let value = self.lower(value)?;
            hash.insert(key.value.value, key.value.place, value);
        }
        Ok(self.anchored_hash(node, hash))
    }

    /// Builds a hash from pairs in order: `<<` takes effect at its position, and a key that is set again keeps its position.
    fn mapping(&mut self, node: &Node, pairs: &[Pair]) -> Lowered {
        let mut hash = HashBuilder::new(pairs.len());
        let class = tags::class_of_hash(node.tag.as_deref().unwrap_or(""));
        for pair in pairs {
            if let Some(anchor) =
                node.anchor.as_ref().filter(|it| has_merge_of(&pair.value, it, &pair.key))
                && !self.an_anchor_inside_its_namesake_stays(anchor)
            {
                // Only a hash that `<<` inside it merges is copied pair by pair. For all others, that would take quadratic time.
                let so_far = self.anchored_hash(node, hash.clone());
                self.anchors.insert(Arc::clone(anchor), Anchor::OpenHash(so_far));
            }
            self.pair(&mut hash, pair)?;
        }
        if let Some(class) = class {
            return Err(self.unspecified_class(node, &class));
        }
        Ok(self.anchored_hash(node, hash))
    }

    /// `!!str {str: x, '@y': 1}` is the form in which Psych writes a string with instance variables: its value is that of `str`,
    /// or else nil, and all other pairs become variables of this object. Its anchor names the value of `str` from there on.
    fn string_with_variables(&mut self, node: &Node, pairs: &[Pair]) -> Lowered {
        let mut object = self.anchored(node, Value::Undef, Size::EMPTY);
        let mut variables = HashBuilder::new(0);
        for pair in pairs {
            let key = self.lower(&pair.key)?.value;
            let value = self.lower(&pair.value)?;
            if key.value.as_str() != Some("str") {
                variables.insert(key.value, key.place, value);
                continue;
            }
            object = value;
            object.value.place = Some(self.place(node.range));
            if let Some(anchor) = &node.anchor {
                self.anchors.insert(Arc::clone(anchor), Anchor::Known(object.clone()));
            }
        }
        for (key, _) in &variables.hash {
            let name = inspect::to_s(key);
            let name = name.strip_prefix('@').unwrap_or(&name);
            if !is_name_of_variable(name) {
                let words = "is not allowed as an instance variable name";
                return Err(self.error(node, &format!("`@{name}' {words}")));
            }
            let object = &object.value.value;
            if !can_have_variables(object) {
                let class = inspect::ruby_class(object);
                let shown = inspect::inspect(object);
                return Err(self.error(node, &format!("can't modify frozen {class}: {shown}")));
            }
        }
        Ok(object)
    }

    fn pair(&mut self, hash: &mut HashBuilder, pair: &Pair) -> Result<(), LowerError> {
        let key = self.lower(&pair.key)?.value;
        if is_merge_key(&pair.key) && self.merges_an_open_hash(&pair.value) {
            let value = self.lower_merged(&pair.value)?;
            if self.merge_key(hash, &pair.value, &value) {
                return Ok(());
            }
            // As an ordinary key, it makes the hash a member of itself.
            return Err(self.too_deep(&pair.value));
        }
        // Psych looks only at the text and at this tag, so a quoted `<<` merges as well.
        let is_merge = key.value.as_str() == Some("<<") && !has_text_tag(&pair.key);
        let value = self.lower(&pair.value)?;
        if !(is_merge && self.merge_key(hash, &pair.value, &value)) {
            hash.insert(key.value, key.place, value);
        }
        Ok(())
    }

    /// Whether the value of `<<` is an alias to a hash around it, or a list with such an alias.
    fn merges_an_open_hash(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Alias(_) => self.open_hash(node).is_some(),
            NodeKind::Sequence(items) => items.iter().any(|it| self.open_hash(it).is_some()),
            _ => false,
        }
    }

    /// The pairs so far of the hash around an alias to it.
    fn open_hash(&self, node: &Node) -> Option<&Anchored> {
        match &node.kind {
            NodeKind::Alias(name) => match self.anchors.get(name) {
                Some(Anchor::OpenHash(so_far)) => Some(so_far),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of `<<`, with the pairs so far of hashes around it.
    fn lower_merged(&mut self, node: &Node) -> Lowered {
        if let Some(so_far) = self.open_hash(node) {
            return Ok(so_far.clone());
        }
        let NodeKind::Sequence(items) = &node.kind else { return self.lower(node) };
        let items: Result<Vec<_>, _> = items.iter().map(|it| self.lower_merged(it)).collect();
        let values = items?.into_iter().map(|it| it.value).collect();
        Ok(self.anchored(node, Value::array(values), Size::EMPTY))
    }

    /// `<<` with an alias, an inline hash, or a list of hashes in which the earlier ones win, takes effect at its position.
    /// With any other value it is an ordinary key.
    fn merge_key(&self, hash: &mut HashBuilder, node: &Node, value: &Anchored) -> bool {
        match &node.kind {
            NodeKind::Alias(_) | NodeKind::Mapping(_) => match value.as_hash() {
                Some(other) => {
                    hash.merge(other, value.size);
                    true
                }
                None => false,
            },
            NodeKind::Sequence(nodes) => {
                let Some(items) = value.value.value.as_array() else { return false };
                let mut merged = HashBuilder::new(0);
                // The earlier hashes of the list win, so they are merged last.
                for (node, item) in nodes.iter().zip(items).rev() {
                    let symbols = self.with_symbols(node);
                    let Some(other) = symbols.as_deref().or(item.value.as_hash()) else {
                        return false;
                    };
                    merged.merge(other, Size::EMPTY);
                }
                hash.merge(&merged.hash, value.size);
                true
            }
            NodeKind::Scalar { .. } => false,
        }
    }

    /// An aliased hash before its symbol keys became strings.
    fn with_symbols(&self, node: &Node) -> Option<Arc<Hash>> {
        match &node.kind {
            NodeKind::Alias(name) => match self.open_hash(node) {
                Some(so_far) => so_far.with_symbols.clone(),
                None => self.alias(node, name).ok()?.with_symbols,
            },
            _ => None,
        }
    }

    fn anchored(&self, node: &Node, value: Value, size: Size) -> Anchored {
        let value = Located::new(value, Some(self.place(node.range)));
        Anchored { value, with_symbols: None, size }
    }

    fn anchored_hash(&self, node: &Node, hash: HashBuilder) -> Anchored {
        let size = hash.size;
        let (strings, symbols) = hash.finish();
        let with_symbols = symbols.map(Arc::new);
        Anchored { with_symbols, ..self.anchored(node, Value::hash(strings), size) }
    }

    fn unspecified_class(&self, node: &Node, class: &str) -> LowerError {
        let message = format!("Tried to load unspecified class: {class}");
        LowerError { kind: LowerErrorKind::NamesFile, ..self.error(node, &message) }
    }

    /// A cycle of aliases, or a value that is too deep: Ruby runs out of stack.
    fn too_deep(&self, node: &Node) -> LowerError {
        LowerError { kind: LowerErrorKind::Bare, ..self.error(node, "stack level too deep") }
    }

    fn error(&self, node: &Node, message: &str) -> LowerError {
        let range = self.place(node.range).range;
        LowerError { message: message.to_owned(), kind: LowerErrorKind::NoFile, range }
    }
}

/// Whether Ruby accepts `@name` as an instance variable.
fn is_name_of_variable(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(is_inner)
}

/// Whether Ruby lets a value have instance variables. Numbers, booleans, symbols and nil are frozen.
fn can_have_variables(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Bytes(_) | Value::Array(_) | Value::Hash(_))
}

/// Whether a key is `<<`, quoted or not, unless its tag says that it is a string.
fn is_merge_key(key: &Node) -> bool {
    matches!(&key.kind, NodeKind::Scalar { text, .. } if &**text == "<<") && !has_text_tag(key)
}

/// Whether Psych may merge the value into the hash: the key is `<<`, and the value can be a hash or a list of hashes. Aliases
/// can be anything.
pub fn may_merge(key: &Node, value: &Node) -> bool {
    let can_be_hash = |node: &Node| matches!(node.kind, NodeKind::Alias(_) | NodeKind::Mapping(_));
    is_merge_key(key)
        && match &value.kind {
            NodeKind::Sequence(items) => items.iter().all(can_be_hash),
            _ => can_be_hash(value),
        }
}

fn has_text_tag(key: &Node) -> bool {
    key.tag.as_deref() == Some("tag:yaml.org,2002:str")
}

/// Whether a pair, or one inside its value, merges the hash that is anchored as `name`.
fn has_merge_of(value: &Node, name: &str, key: &Node) -> bool {
    let is_it = |node: &Node| matches!(&node.kind, NodeKind::Alias(it) if **it == *name);
    match &value.kind {
        NodeKind::Alias(_) => is_merge_key(key) && is_it(value),
        NodeKind::Sequence(items) => {
            is_merge_key(key) && items.iter().any(is_it)
                || items.iter().any(|it| holds_merge_of(it, name))
        }
        NodeKind::Mapping(_) => holds_merge_of(value, name),
        NodeKind::Scalar { .. } => false,
    }
}

fn holds_merge_of(node: &Node, name: &str) -> bool {
    match &node.kind {
        NodeKind::Sequence(items) => items.iter().any(|it| holds_merge_of(it, name)),
        NodeKind::Mapping(pairs) => pairs.iter().any(|it| has_merge_of(&it.value, name, &it.key)),
        NodeKind::Alias(_) | NodeKind::Scalar { .. } => false,
    }
}

/// The value of a JSON tree, with numbers as Ruby reads them and without YAML's rules.
pub fn lower_json(file: FileId, node: &Node) -> Located {
    let value = match &node.kind {
        NodeKind::Scalar { text, style: ScalarStyle::Plain } => json_word(text),
        NodeKind::Scalar { text, .. } | NodeKind::Alias(text) => Value::String(Arc::clone(text)),
        NodeKind::Sequence(items) => {
            Value::array(items.iter().map(|item| lower_json(file, item)).collect())
        }
        NodeKind::Mapping(pairs) => {
            let mut hash = Hash::with_capacity(pairs.len());
            for pair in pairs {
                let key = lower_json(file, &pair.key);
                hash.insert(key.value, key.place, lower_json(file, &pair.value));
            }
            Value::hash(hash)
        }
    };
    Located::new(value, Some(Place { file, range: node.range }))
}

fn json_word(text: &str) -> Value {
    match text {
        "null" => Value::Undef,
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        // Ruby reads a number with an exponent as a float, even without a point.
        _ if text.contains(['.', 'e', 'E']) => Value::Float(text.parse().unwrap_or(f64::NAN)),
        _ => text.parse().map_or_else(|_| Value::BigInteger(text.into()), Value::Integer),
    }
}

impl Anchored {
    /// The hash that `<<` merges.
    fn as_hash(&self) -> Option<&Hash> {
        self.with_symbols.as_deref().or(self.value.value.as_hash())
    }
}

impl Size {
    const EMPTY: Self = Self { depth: 1, values: 1 };

    fn add(&mut self, member: Self) {
        self.depth = self.depth.max(member.depth.saturating_add(1));
        self.values = self.values.saturating_add(member.values);
    }
}

/// The hash of a whole file, filled pair by pair.
pub struct RootHash(HashBuilder);

impl RootHash {
    /// An empty one with room for `capacity` members.
    pub fn new(capacity: usize) -> Self {
        Self(HashBuilder::new(capacity))
    }

    /// The hash, with its symbol keys converted to strings.
    pub fn finish(self) -> Hash {
        self.0.finish().0
    }
}

/// A hash as Psych fills it. Puppet converts its symbol keys to strings afterwards.
#[derive(Clone)]
struct HashBuilder {
    hash: Hash,
    size: Size,
    has_symbols: bool,
}

impl HashBuilder {
    fn new(capacity: usize) -> Self {
        Self { hash: Hash::with_capacity(capacity), size: Size::EMPTY, has_symbols: false }
    }

    fn insert(&mut self, key: Value, place: Option<Place>, value: Anchored) {
        self.size.add(value.size);
        self.has_symbols |= matches!(key, Value::Symbol(_));
        self.hash.insert(key, place, value.value);
    }

    fn merge(&mut self, other: &Hash, size: Size) {
        self.size.depth = self.size.depth.max(size.depth);
        self.size.values = self.size.values.saturating_add(size.values);
        for (key, member) in other {
            self.has_symbols |= matches!(key, Value::Symbol(_));
            self.hash.insert(key.clone(), member.key_place, member.value.clone());
        }
    }

    /// The hash with strings instead of symbol keys and, if it has symbol keys, the original hash.
    fn finish(self) -> (Hash, Option<Hash>) {
        if !self.has_symbols {
            return (self.hash, None);
        }
        let mut strings = Hash::with_capacity(self.hash.len());
        for (key, member) in &self.hash {
            let key = symbol_keys_become_strings(key);
            strings.insert(key, member.key_place, member.value.clone());
        }
        (strings, Some(self.hash))
    }
}

/// Puppet converts symbols to strings if they are keys, at any depth. Symbol values stay and are refused later.
fn symbol_keys_become_strings(key: &Value) -> Value {
    match key {
        Value::Symbol(text) => Value::String(Arc::clone(text)),
        key => key.clone(),
    }
}
