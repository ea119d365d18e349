//! The point of view of a feature: the environment of a file, and the chosen node or, if none is chosen, any node that reads
//! the file.

use std::borrow::Cow;
use std::sync::Arc;

use super::context::LOOKUP_OPTIONS;
use super::diagnostics::KnownKeys;
use super::file_role::FileRole;
use super::hover::markdown::AskedFor;
use crate::backends::eyaml::{blob, edit};
use crate::binding;
use crate::config::Environment;
use crate::data::{Files, Hash, Located, Place, Value};
use crate::engine::cases::{LeftOut, left_out_in_words};
use crate::engine::convert_to::may_name_sensitive;
use crate::engine::{Answer, Caller, CancelToken, Evaluator};
use crate::facts::{Node, Origin, mapped};
use crate::syntax::json;
use crate::syntax::key_path::{self, KeyPath};
use crate::world::{World, paths};

/// What is shown instead of a value that must not be shown. A text that contains a Sensitive value has it, too.
pub(super) const HIDDEN_SENSITIVE: &str = "Sensitive [value redacted]";
const HIDDEN_ENCRYPTED: &str = "ENC[…] (encrypted, not shown)";
/// The same for what `eyaml edit` shows of an encrypted value.
const HIDDEN_DECRYPTED: &str = "DEC[…] (decrypted for an edit, not shown)";

/// How Puppet starts to say that a variable is not set.
const UNDEFINED: &str = "Undefined variable '";

/// One file's environment for the active node.
#[derive(Clone)]
pub struct Perspective {
    /// The snapshot.
    pub world: Arc<World>,
    /// Looks keys up for the active node.
    pub evaluator: Arc<Evaluator>,
    /// Whether the answers contain decrypted values that may be shown.
    reveals: bool,
    cancel: CancelToken,
    /// The directory to which shown paths are relative, if it is not that of the environment.
    seen_from: Option<Arc<str>>,
}

/// Whether the node reads a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It reads the file, whatever its open variables are.
    Always,
    /// It reads the file only where this holds: `role is web, or where team is web`.
    Where(String),
    /// Neither is known: usually it does not read the file.
    Unknown,
}

impl Perspective {
    fn new(world: &Arc<World>, evaluator: Arc<Evaluator>, reveals: bool) -> Self {
        Self {
            world: world.clone(),
            evaluator,
            reveals,
            cancel: CancelToken::default(),
            seen_from: None,
        }
    }

    /// The same point of view for a request that can be cancelled.
    #[must_use]
    pub(crate) fn until(self, cancel: &CancelToken) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Looks keys up as the catalogs of the node do: code may have set variables before.
    pub(crate) fn in_catalogs(&self) -> Arc<Evaluator> {
        let evaluator = &self.evaluator;
        // For other nodes, such variables are open in any case, unless the settings say what code hides.
        let node = evaluator.node();
        let of_code = || self.world.code_scopes(evaluator.environment()).of_node(node);
        if !node.is_complete() && of_code().hiding.is_empty() {
            return Arc::clone(evaluator);
        }
        let made = self.world.catalog_evaluator(evaluator.environment(), evaluator.node());
        Arc::new(made.with_back_ends(Arc::clone(evaluator.back_ends())))
    }

    /// Looks a key up, with its sources. The answer is not complete if the request was cancelled.
    pub(crate) fn answer(&self, key: &str) -> Arc<Answer> {
        self.answer_until(key, &self.cancel)
    }

    /// [`Self::answer`] until this request is cancelled. For the parameter of a class, it is what the class gets.
    pub(crate) fn answer_until(&self, key: &str, cancel: &CancelToken) -> Arc<Answer> {
        // Most data does not depend on who asks, and then the class need not be found.
        let look_up = || self.evaluator.answer_with_sources(key, cancel);
        if let Some(found) = self.world.whoever_calls(look_up) {
            return found;
        }
        let environment = self.evaluator.environment();
        let class = key.rsplit_once("::").and_then(|(class, name)| {
            let class = self.world.class_code(environment, class)?;
            class.parameter(name).is_some().then_some(class)
        });
        let module = class.as_ref().and_then(|it| binding::module_of(it, environment));
        let caller = Caller::parameters_of(module, class.as_ref().map(|it| &*it.name));
        self.evaluator.answer_from(caller, key, cancel)
    }

    /// The environment of the file at `path` with its active node; `None` if no environment contains the file, or there is no
    /// node at all. Lookups start no programs, because most features do not run on a user's request.
    pub fn of_file(world: &Arc<World>, path: &str) -> Option<Self> {
        let environment = world.environment_of(path)?;
        let node = world.node_of_file(&environment, path);
        let evaluator = world.quiet_evaluator(&environment, &node);
        Some(Self::new(world, evaluator, false))
    }

    /// [`Self::of_file`] for what shows values: a file that several environments share is shown for the one that has the chosen
    /// node.
    pub(crate) fn shown(world: &Arc<World>, path: &str) -> Option<Self> {
        let environment = world.environment_shown(path)?;
        let node = world.node_of_file(&environment, path);
        let evaluator = world.quiet_evaluator(&environment, &node);
        Some(Self::new(world, evaluator, false))
    }

    /// [`Self::of_file`] for any node that reads the file, whichever node is chosen.
    pub(crate) fn of_readers(world: &Arc<World>, path: &str) -> Option<Self> {
        let environment = world.environment_of(path)?;
        let node = world.view_of_file(&environment, path);
        Some(Self::new(world, world.quiet_evaluator(&environment, &node), false))
    }

    /// [`Self::shown`] for a value that the user requests: functions in other processes are called, and encrypted values
    /// are decrypted if the settings allow it.
    pub fn revealing(world: &Arc<World>, path: &str) -> Option<Self> {
        let environment = world.environment_shown(path)?;
        let node = world.node_of_file(&environment, path);
        Some(Self::revealing_for(world, &environment, &node))
    }

    /// [`Self::revealing`] for any node.
    pub(crate) fn revealing_for(
        world: &Arc<World>,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Self {
        let evaluator = world.revealing_evaluator(environment, node);
        Self::new(world, evaluator, world.reveals_secrets())
    }

    /// With an evaluator that does not decrypt.
    pub(crate) fn hiding(world: &Arc<World>, evaluator: Arc<Evaluator>) -> Self {
        Self::new(world, evaluator, false)
    }

    /// The same point of view with paths relative to a directory.
    #[must_use]
    pub(crate) fn seen_from(self, directory: &str) -> Self {
        Self { seen_from: Some(directory.into()), ..self }
    }

    /// Whether the user chose to see encrypted values.
    pub(crate) fn reveals(&self) -> bool {
        self.reveals
    }

    /// Whether the node reads the file at `path` for keys of `module`.
    pub(crate) fn reading(&self, module: Option<&str>, path: &str) -> Reading {
        let evaluator = &self.evaluator;
        let view = || self.world.view_of_file(evaluator.environment(), path);
        let is_in_name = || Arc::ptr_eq(evaluator.node(), &view());
        let has_ways = !evaluator.node().ways().is_empty();
        if evaluator.reads(module, path) || has_ways && is_in_name() {
            return Reading::Always;
        }
        let may_read = evaluator.may_read(module, &path.into());
        let readers = || self.world.readers_in_words(evaluator.environment(), path);
        may_read.then(readers).flatten().map_or(Reading::Unknown, Reading::Where)
    }

    /// The node of the answers.
    pub(crate) fn asked_for(&self) -> AskedFor {
        let node = self.evaluator.node();
        // If the path of the file names another environment, that is in the node's name.
        let is_told = match node.origin {
            Origin::File(_) => true,
            Origin::Name => node.environment.is_some(),
            Origin::Any => node.environment.as_ref() == Some(&self.evaluator.environment().name),
        };
        AskedFor {
            node: node.name.to_string(),
            origin: node.origin.clone(),
            is_unheard_of: node.origin == Origin::Name && self.is_unheard_of(&node.name),
            environment: is_told.then(|| self.evaluator.environment_name().to_string()),
        }
    }

    /// Whether no environment has a node of this name.
    fn is_unheard_of(&self, name: &Arc<str>) -> bool {
        let world = &self.world;
        let has_it = |it: &Arc<Environment>| world.nodes(it).iter().any(|it| it.name == *name);
        !world.settings().nodes.contains_key(name)
            && !has_it(self.evaluator.environment())
            && !world.environments().iter().any(has_it)
    }

    /// A path for users: relative to the environment's directory, or the one that [`Self::seen_from`] sets.
    pub fn shown_path(&self, path: &str) -> String {
        let environment = self.evaluator.environment();
        let directory = self.seen_from.as_deref().unwrap_or_else(|| environment.directory());
        paths::below(directory, path).unwrap_or(path).to_owned()
    }

    /// `path:line` of a place.
    pub fn shown_place(&self, place: Place) -> String {
        let path = self.world.path(place.file);
        let shown = self.shown_path(&path);
        match self.world.file(&path) {
            Ok(file) => format!("{shown}:{}", file.line_index().line_of(place.range.start) + 1),
            Err(_) => shown,
        }
    }

    /// The place of the root key if the place of its value is given: a hash is written below its key. Other places stay as they
    /// are.
    pub(super) fn place_with_key(&self, place: Place) -> Place {
        let path = self.world.path(place.file);
        let key = || {
            let FileRole::Data { format, .. } = FileRole::of(&self.world, &path)? else {
                return None;
            };
            let data = self.world.data(&path, format).ok()?;
            let entry = data.entry_at(place.range.start)?;
            let is_value = entry.value.range.shifted(entry.start) == place.range;
            is_value.then(|| entry.key.range.shifted(entry.start))
        };
        Place { range: key().unwrap_or(place.range), ..place }
    }

    /// A value that may be shown: without sensitive parts, and without encrypted ones unless the user chose to see them.
    pub fn without_secrets(&self, value: &Located) -> Value {
        if !self.reveals
            && let Some(shown) = self.shown_instead(value)
        {
            return Value::string(shown);
        }
        hidden(value, &|item| self.without_secrets(item))
    }

    /// Whether lookup options make the values of a root key sensitive. If that depends on the node, this returns true if they do so
    /// for some node.
    pub fn makes_sensitive(&self, key: &str) -> bool {
        let Ok(options) = self.evaluator.options_for(key) else {
            // This also holds if lookups fail for another reason.
            let known = || KnownKeys::new(&self.world, self.evaluator.environment().clone());
            return self.are_some_values_sensitive() && known().may_be_sensitive(key);
        };
        options.is_some_and(|it| it.makes_sensitive())
    }

    /// Whether a file with `lookup_options` may make some values sensitive, as its text tells: this is also asked for files that
    /// Puppet cannot parse.
    pub(super) fn are_some_values_sensitive(&self) -> bool {
        let index = self.world.key_index(self.evaluator.environment());
        let speaks = |path: &str| self.world.text(path).is_ok_and(|text| may_name_sensitive(&text));
        index.places(LOOKUP_OPTIONS).iter().any(|it| speaks(&it.path))
    }

    /// [`Self::makes_sensitive`] for a key with sub keys.
    pub fn makes_path_sensitive(&self, key: &str) -> bool {
        let path = key_path::parse(key).ok();
        self.makes_sensitive(path.as_ref().and_then(KeyPath::root_name).map_or(key, |it| it))
    }

    /// The name of a variable in a value of `key`, as it may be shown. In a value that must not be shown, braces can contain a
    /// part of the secret; only names of facts are none.
    pub(crate) fn shown_name<'n>(&self, key: &str, name: &'n str) -> &'n str {
        let bare = name.trim_start_matches("%{").trim_start().trim_start_matches("::");
        let roots = ["facts.", "trusted.", "server_facts."];
        let is_shown =
            roots.iter().any(|it| bare.starts_with(it)) || !self.makes_path_sensitive(key);
        if is_shown { name } else { "…" }
    }

    /// A name in braces, whatever key has it. Puppet takes any text in braces for the name of a variable, such as the secret in
    /// `%{lookup(secret)}`.
    pub(crate) fn shown_variable<'n>(&self, name: &'n str) -> &'n str {
        let is_plain = |it: char| it.is_alphanumeric() || "_:.-'\"".contains(it);
        let (list, part) = mapped::list_and_part(name).unwrap_or((name, ""));
        // To know whether some values are sensitive, all files must have been read, which takes long in a large workspace.
        if list.chars().chain(part.chars()).all(is_plain) || !self.are_some_values_sensitive() {
            name
        } else {
            "…"
        }
    }

    /// A message of a lookup that fails, as it may be shown.
    pub(crate) fn shown_failure<'m>(&self, message: &'m str) -> Cow<'m, str> {
        let Some((name, reason)) =
            message.strip_prefix(UNDEFINED).and_then(|it| it.split_once("'; "))
        else {
            return Cow::Borrowed(message);
        };
        let shown = self.shown_variable(name);
        if shown == name {
            return Cow::Borrowed(message);
        }
        Cow::Owned(format!("{UNDEFINED}{shown}'; {reason}"))
    }

    /// What the cases of an answer leave out, in words that may be shown.
    pub(crate) fn left_out_in_words(&self, left_out: &[LeftOut]) -> Vec<String> {
        let shown = |name: &Arc<str>| match self.shown_variable(name) {
            shown if shown == &**name => Arc::clone(name),
            shown => shown.into(),
        };
        let shown = |it: &LeftOut| LeftOut {
            variables: it.variables.iter().map(shown).collect(),
            ..it.clone()
        };
        left_out_in_words(&left_out.iter().map(shown).collect::<Vec<_>>())
    }

    /// What is shown instead of a value that is encrypted in its file, whatever it was decrypted to.
    fn shown_instead(&self, value: &Located) -> Option<&'static str> {
        let place = value.place?;
        // In a list or a hash, only the encrypted members are hidden.
        if matches!(value.value, Value::Array(_) | Value::Hash(_)) {
            return None;
        }
        let text = self.world.text(&self.world.path(place.file)).ok()?;
        shown_instead_of(place.range.slice(&text))
    }
}

/// Whether a text contains an encrypted value, or one that was decrypted for an edit.
pub(super) fn holds_encrypted(text: &str) -> bool {
    shown_instead_of(text).is_some()
}

/// What is shown instead of a text that contains an encrypted value.
fn shown_instead_of(text: &str) -> Option<&'static str> {
    if text.contains("ENC[") {
        return Some(HIDDEN_ENCRYPTED);
    }
    let is_decrypted = text.contains("DEC") && !edit::decrypted_parts(text).is_empty();
    is_decrypted.then_some(HIDDEN_DECRYPTED)
}

/// A value without sensitive and encrypted parts.
pub fn redacted(value: &Located) -> Value {
    hidden(value, &redacted)
}

/// An error message of a lookup for a report that others read: without encrypted values and the text of files.
pub(super) fn redacted_message(message: &str) -> String {
    blob::shortened(json::without_quoted_text(message))
}

/// A value with its own secrets replaced, and its members converted by `of_member`.
fn hidden(value: &Located, of_member: &dyn Fn(&Located) -> Value) -> Value {
    match &value.value {
        Value::Sensitive(_) => Value::string(HIDDEN_SENSITIVE),
        Value::String(text) => match shown_instead_of(text) {
            Some(shown) => Value::string(shown),
            None => value.value.clone(),
        },
        Value::Array(items) => {
            Value::array(items.iter().map(|item| of_member(item).into()).collect())
        }
        Value::Hash(hash) => {
            let mut shown = Hash::with_capacity(hash.len());
            for (key, member) in hash.as_ref() {
                shown.insert(key.clone(), None, of_member(&member.value).into());
            }
            Value::hash(shown)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::{hover, inlay_hints, preview};
    use crate::text::TextRange;

    const SHARED: &str = r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: g, path: global.yaml}]
#- /data/global.yaml
a$0: "%{trusted.certname} %{lookup('b')}"
#- /modules/m/hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}]
#- /modules/m/data/common.yaml
m::a$1: "%{lookup('b')}"
#- /environments/production/hiera.yaml
version: 5
hierarchy: [{name: n, path: 'nodes/%{trusted.certname}.yaml'}, {name: c, path: common.yaml}]
#- /environments/production/data/common.yaml
b$2: of production
#- /environments/production/data/nodes/p1.yaml
c: 1
#- /environments/dev/hiera.yaml
version: 5
hierarchy: [{name: n, path: 'nodes/%{trusted.certname}.yaml'}, {name: c, path: common.yaml}]
#- /environments/dev/data/common.yaml
b: of dev
#- /environments/dev/data/nodes/d1.yaml
c: 1
"#;

    #[test]
    fn a_file_that_environments_share_is_shown_for_the_one_with_the_chosen_node() {
        let title_and_value = |settings: &str, mark: u8| {
            let text =
                format!("{SHARED}#- /.hiera-ls.yaml\n{{globalHieraYaml: hiera.yaml{settings}}}\n");
            let fixture = Fixture::parse(&text);
            let (file, offset) = fixture.mark(mark).expect("a mark");
            let (world, never) = (fixture.world(), CancelToken::default());
            let hover = hover(&world, &file.world_path(), offset, &never).expect("a key");
            let text = |it: &&str| !it.is_empty() && !it.starts_with("```");
            hover.markdown.lines().filter(text).take(2).collect::<Vec<_>>().join(" / ")
        };
        let d1 = "for node `d1` (known by its name), environment `dev`";
        let any = "for any node, environment `production`";
        assert_eq!(title_and_value(", node: d1", 0), format!("**`a`** {d1} / d1 of dev"));
        assert_eq!(title_and_value(", node: d1", 1), format!("**`m::a`** {d1} / of dev"));
        assert_eq!(title_and_value(", node: d1", 2), format!("**`b`** {any} / of production"));
        assert_eq!(title_and_value("", 1), format!("**`m::a`** {any} / of production"));
        let p1 = "for node `p1` (known by its name), environment `production`";
        assert_eq!(title_and_value(", node: p1", 0), format!("**`a`** {p1} / p1 of production"));
    }

    #[test]
    fn hints_and_previews_of_such_a_file_are_for_the_same_node() {
        let settings = "#- /.hiera-ls.yaml\n{globalHieraYaml: hiera.yaml, node: d1}\n";
        let fixture = Fixture::parse(&format!("{SHARED}{settings}"));
        let (file, offset) = fixture.mark(0).expect("a mark");
        let (world, path, never) = (fixture.world(), file.world_path(), CancelToken::default());
        let all = TextRange::new(0, u32::MAX);
        let hints = inlay_hints(&world, &path, all, &never);
        assert!(hints.iter().any(|it| it.label.contains("of dev")), "{hints:?}");
        let merged = |node: Option<&str>| {
            let node = node.map(Arc::from);
            let path = Some(path.as_str().into());
            let question =
                preview::Question { path, offset: Some(offset), node, ..Default::default() };
            let preview = preview::merged_value(&world, &question, &never);
            preview.map(|it| it.expect("a preview").text)
        };
        assert!(merged(None).is_ok_and(|it| it.contains("d1 of dev")));
        assert!(merged(Some("p1")).is_ok_and(|it| it.contains("p1 of production")));
        assert!(merged(Some("x")).is_err());
    }

    #[test]
    fn the_list_of_mapped_paths_is_named_where_other_names_could_be_secrets() {
        let text = "
#- /hiera.yaml
version: 5
hierarchy: [{name: t, mapped_paths: [teams, it, 'team/%{it}.yaml']}, {name: c, path: common.yaml}]
#- /data/common.yaml
lookup_options: {secret: {convert_to: Sensitive}}
k$0: 1
#- /data/team/a.yaml
k: 2
";
        let fixture = Fixture::parse(text);
        let (file, offset) = fixture.mark(0).expect("a mark");
        let (world, never) = (fixture.world(), CancelToken::default());
        let hover = hover(&world, &file.world_path(), offset, &never).expect("a key");
        assert!(hover.markdown.contains("depending on teams"), "{}", hover.markdown);
        let perspective = Perspective::of_file(&world, &file.world_path()).expect("it is read");
        assert_eq!(perspective.shown_variable("s3(ret"), "…");
    }
}
