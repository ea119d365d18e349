//! Evaluators by environment and node: created on demand, and kept as long as the snapshot.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::code_variables::CodeScopesCache;
use super::indexes::key_of;
use super::open_files::OpenFilesByEnvironment;
use super::shards::Shards;
use super::snapshot::{Kept, World};
use super::texts::Texts;
use crate::backends::Registry;
use crate::backends::eyaml::{Decryption, Eyaml, Keyring};
use crate::config::Environment;
use crate::data::{DataFile, DirItem, FileId, Files, Format, InvalidUtf8, OddItem, PathKind};
use crate::engine::{Evaluator, OpenFilesTable, OpenOptionsTable, Prepared};
use crate::facts::Node;
use crate::syntax::ruby_regex::RubyRegex;

/// The environment's key, the node's name, and the purpose.
type Key = (String, Arc<str>, Purpose);

/// What an evaluator may do, which depends on its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    /// A user requested the value.
    Asked,
    /// Background work, which starts no programs.
    Quiet,
    /// A user who may see secrets requested the value.
    Revealing,
}

/// The evaluators that a snapshot has created so far.
#[derive(Default)]
pub(super) struct Evaluators {
    made: Mutex<HashMap<Key, Arc<Evaluator>>>,
    /// Which files of open paths matter, as [`World::new_evaluator`] reads them.
    pub(super) open_files: OpenFilesByEnvironment,
    /// The same by environment, as [`World::exact_evaluator`] reads them. There, broken files matter, too.
    exact_open_files: Shards<Arc<OpenFilesTable>>,
    /// The lookup_options in files of open paths, by environment.
    open_options: Shards<Arc<OpenOptionsTable>>,
    pub(super) code_scopes: CodeScopesCache,
    /// Outlives the snapshot until a hiera.yaml changes; some of it only until files are added or deleted.
    prepared: Arc<Prepared>,
    /// Outlives the snapshot: it identifies keys and values by their texts.
    keyring: Arc<Keyring>,
}

impl Evaluators {
    /// An empty set, with everything that the next snapshot can share with this one. In that snapshot, the files at `paths`
    /// have other texts than in `texts`.
    pub(super) fn successors(&self, kept: Kept, paths: &[Arc<str>], texts: &Texts) -> Self {
        let (prepared, open_files) = match kept {
            // The root keys of an edited file decide whether the table still holds, so its text before the edit is needed later.
            Kept::All => (self.prepared.clone(), self.open_files.after_edit(paths, texts)),
            Kept::Structure | Kept::Nothing => {
                // Open paths and globs may lead to other files now.
                (Arc::new(self.prepared.for_other_files()), OpenFilesByEnvironment::default())
            }
        };
        Self { prepared, open_files, keyring: self.keyring.clone(), ..Self::default() }
    }
}

impl World {
    /// The translation of a pattern in lookup_options; `None` if Ruby refuses it, or if it cannot be translated.
    pub fn pattern(&self, text: &str) -> Option<Arc<RubyRegex>> {
        self.evaluators.prepared.regex(text).ok()
    }

    /// What `look_up` returns, if it is the same wherever the lookup is called from.
    pub(crate) fn whoever_calls<T>(&self, look_up: impl FnOnce() -> T) -> Option<T> {
        self.evaluators.prepared.whoever_calls(look_up)
    }

    /// Whether some text read a variable that depends on the code that calls a lookup.
    pub(crate) fn reads_caller(&self) -> bool {
        self.evaluators.prepared.reads_caller()
    }

    /// The evaluator for `node` in `environment`, which returns what Puppet would, with encrypted values as they are written.
    /// The same evaluator is returned for the same node.
    pub fn evaluator(&self, environment: &Arc<Environment>, node: &Arc<Node>) -> Arc<Evaluator> {
        self.kept_evaluator(environment, node, Purpose::Asked)
    }

    /// [`Self::evaluator`] for background work, such as diagnostics: it starts no programs, so their results are unknown.
    pub fn quiet_evaluator(
        &self,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Arc<Evaluator> {
        self.kept_evaluator(environment, node, Purpose::Quiet)
    }

    /// [`Self::evaluator`] for a value that is shown to the user who requested it: encrypted values are decrypted if the
    /// settings allow it. Nothing that it returns may appear in diagnostics, reports or logs.
    pub fn revealing_evaluator(
        &self,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Arc<Evaluator> {
        self.kept_evaluator(environment, node, self.revealing_purpose())
    }

    /// [`Self::revealing_evaluator`], but a new one: its first trace shows how lookup_options are collected, later ones do
    /// not.
    pub fn new_revealing_evaluator(
        &self,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Evaluator {
        let back_ends = self.back_ends_for(self.revealing_purpose());
        self.evaluator_asking(back_ends, environment, node)
    }

    fn revealing_purpose(&self) -> Purpose {
        if self.reveals_secrets() { Purpose::Revealing } else { Purpose::Asked }
    }

    /// Whether the settings allow encrypted values to be shown decrypted.
    pub fn reveals_secrets(&self) -> bool {
        self.settings.eyaml.decrypt
    }

    /// How encrypted values are treated, with the keys that the settings name.
    pub fn eyaml(&self, decryption: Decryption) -> Eyaml {
        let settings = &self.settings.eyaml;
        let path =
            |path: &Option<Arc<str>>| path.as_ref().map(|it| Arc::from(self.settings_path(it)));
        Eyaml {
            decryption,
            private_key: path(&settings.private_key),
            public_key: path(&settings.public_key),
            keyring: self.evaluators.keyring.clone(),
        }
    }

    fn kept_evaluator(
        &self,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
        purpose: Purpose,
    ) -> Arc<Evaluator> {
        let back_ends = self.back_ends_for(purpose);
        // Without back ends of its own, the purpose makes no difference, so both users share one evaluator and its results.
        let purpose = if back_ends.is_none() { Purpose::Asked } else { purpose };
        let key = (key_of(environment), node.name.clone(), purpose);
        let evaluators = &self.evaluators.made;
        let mut evaluators = evaluators.lock().unwrap_or_else(PoisonError::into_inner);
        // The name does not identify a node: assumptions make another node of the same name.
        if let Some(known) = evaluators.get(&key)
            && Arc::ptr_eq(known.node(), node)
            && known.environment() == environment
        {
            return known.clone();
        }
        let made = Arc::new(self.evaluator_asking(back_ends, environment, node));
        evaluators.insert(key, made.clone());
        made
    }

    fn evaluator_asking(
        &self,
        back_ends: Option<Registry>,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Evaluator {
        let made = self.new_evaluator(environment, node);
        match back_ends {
            Some(back_ends) => made.with_back_ends(Arc::new(back_ends)),
            None => made,
        }
    }

    /// `None` if the workspace's own back ends serve the purpose.
    fn back_ends_for(&self, purpose: Purpose) -> Option<Registry> {
        match purpose {
            Purpose::Asked => None,
            Purpose::Quiet => self.back_ends().quiet(),
            Purpose::Revealing => {
                let eyaml = self.eyaml(Decryption::WhereKeysAreReadable);
                Some(self.back_ends().with_eyaml(eyaml))
            }
        }
    }

    /// The evaluator of the active node.
    pub fn active_evaluator(&self, environment: &Arc<Environment>) -> Arc<Evaluator> {
        self.evaluator(environment, &self.active_node(environment))
    }

    /// [`Self::new_evaluator`] for the structure of levels only: their files are not read ahead.
    pub(super) fn structural_evaluator(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Evaluator {
        self.evaluator_reading(Arc::new(ReadOnDemand(self.texts.clone())), environment, node)
    }

    /// [`Self::evaluator`], but one that is not shared, for passes over all nodes of a fleet.
    pub fn new_evaluator(&self, environment: &Arc<Environment>, node: &Arc<Node>) -> Evaluator {
        // It uses the texts instead of this world, which would otherwise keep itself in memory through its evaluators.
        let made = self.evaluator_reading(Arc::new(self.texts.clone()), environment, node);
        let made = made.reading_broken_files();
        // Only open variables make a path open, so a complete node never needs to know which files have a key.
        if node.is_complete() {
            return made;
        }
        made.with_key_finder(self.key_finder(environment))
            .sharing_open_files(self.evaluators.open_files.of(self, environment))
            .sharing_open_options(self.open_options(environment))
    }

    /// [`Self::quiet_evaluator`] for the lookups in catalogs, where code may have set variables.
    pub fn catalog_evaluator(&self, environment: &Arc<Environment>, node: &Arc<Node>) -> Evaluator {
        let made = self.new_evaluator(environment, node).with_back_ends(self.quiet_back_ends());
        made.with_code_variables(self.code_scopes(environment).of_node(node))
    }

    /// The back ends without those that start programs.
    pub fn quiet_back_ends(&self) -> Arc<Registry> {
        let quiet = self.back_ends().quiet().map(Arc::new);
        quiet.unwrap_or_else(|| self.back_ends().clone())
    }

    /// An evaluator that returns exactly what `puppet lookup` does, also for files that Puppet refuses, and uses these back ends. Its
    /// files are not read ahead.
    pub fn exact_evaluator(
        &self,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
        back_ends: &Arc<Registry>,
    ) -> Evaluator {
        let files = Arc::new(ReadOnDemand(self.texts.clone()));
        let made = self.evaluator_reading(files, environment, node);
        let made = made.with_back_ends(back_ends.clone());
        if node.is_complete() {
            return made;
        }
        // A file that Puppet refuses fails the lookup, whichever keys it has. The table of the editor leaves such files out.
        let open_files = self.evaluators.exact_open_files.slot(&key_of(environment));
        made.sharing_open_files(open_files.as_ref().clone())
            .sharing_open_options(self.open_options(environment))
    }

    fn open_options(&self, environment: &Environment) -> Arc<OpenOptionsTable> {
        self.evaluators.open_options.slot(&key_of(environment)).as_ref().clone()
    }

    fn evaluator_reading(
        &self,
        files: Arc<dyn Files>,
        environment: &Arc<Environment>,
        node: &Arc<Node>,
    ) -> Evaluator {
        let settings = &self.settings;
        Evaluator::new(files, environment.clone(), node.clone(), settings.puppet_version)
            .with_datadir_map(settings.datadirs())
            .with_back_ends(self.back_ends().clone())
            .sharing(self.evaluators.prepared.clone())
    }
}

/// Texts that are read only when they are needed.
struct ReadOnDemand(Texts);

impl Files for ReadOnDemand {
    fn kind(&self, path: &str) -> PathKind {
        self.0.kind(path)
    }

    fn list(&self, directory: &str) -> Arc<[DirItem]> {
        self.0.list(directory)
    }

    fn odd_items(&self, directory: &str) -> Arc<[OddItem]> {
        self.0.odd_items(directory)
    }

    fn target_of_link(&self, path: &str) -> Option<String> {
        self.0.target_of_link(path)
    }

    fn text(&self, path: &str) -> Result<Arc<str>, String> {
        self.0.text(path)
    }

    fn data(&self, path: &str, format: Format) -> Result<Arc<DataFile>, String> {
        self.0.data(path, format)
    }

    fn invalid_utf8(&self, path: &str) -> Option<InvalidUtf8> {
        self.0.invalid_utf8(path)
    }

    fn environment_variable(&self, name: &str) -> Option<Arc<str>> {
        self.0.environment_variable(name)
    }

    fn may_have(&self, files: &[(&str, Format)], key: &str) -> Vec<bool> {
        self.0.may_have(files, key)
    }

    fn left_out(&self, path: &str, why: String) {
        self.0.left_out(path, why);
    }

    fn id(&self, path: &str) -> FileId {
        self.0.id(path)
    }

    fn path(&self, file: FileId) -> Arc<str> {
        self.0.path(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Request;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn every_lookup_fails_without_the_environment() {
        let files = [
            ("/r/environment.conf", "modulepath = ${codedir}/x\n"),
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/data/common.yaml", "a: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        let failure = |host: &Host| {
            let world = host.snapshot();
            let environment = world.environment_of("/r/hiera.yaml").expect("there is one");
            let node = world.any_node(&environment);
            let evaluator = world.evaluator(&environment, &node);
            let outcome = evaluator.call(&Request::key("a")).outcome;
            (evaluator.config_failure(None), outcome.err().map(|it| it.message))
        };
        let message: Option<Arc<str>> = Some("Could not parse '${codedir}/x'".into());
        assert_eq!(failure(&host), (message.clone(), message));
        let (path, text) = ("/r/environment.conf".to_owned(), "# none\n".to_owned());
        host.apply(Change::OpenBuffer { path, text, version: 1 });
        assert_eq!(failure(&host), (None, None));
    }

    const FILES: [(&str, &str); 4] = [
        (
            "/r/hiera.yaml",
            "version: 5\nhierarchy: [{name: n, paths: ['nodes/%{trusted.certname}.yaml', c.yaml]}]\n",
        ),
        ("/r/data/nodes/one.yaml", "a: node one\n"),
        ("/r/data/nodes/two.yaml", "b: node two\n"),
        ("/r/data/c.yaml", "a: common\nb: common\n"),
    ];

    fn answer(world: &World, node: &str, key: &str) -> Option<String> {
        let environment = world.environment_of("/r/data/c.yaml")?;
        let node = world.node_named(&environment, node);
        let evaluator = world.evaluator(&environment, &node);
        assert!(Arc::ptr_eq(&evaluator, &world.evaluator(&environment, &node)), "made once");
        let found = evaluator.lookup(key).outcome.expect("no failure")?;
        found.value.as_str().map(str::to_owned)
    }

    #[track_caller]
    fn check(world: &World, node: &str, key: &str, expected: &str) {
        assert_eq!(answer(world, node, key).as_deref(), Some(expected));
    }

    #[test]
    fn each_snapshot_answers_from_its_own_texts() {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        let before = host.snapshot();
        check(&before, "one", "a", "node one");
        check(&before, "two", "a", "common");
        let text = "a: typed\n".to_owned();
        host.apply(Change::OpenBuffer { path: "/r/data/c.yaml".to_owned(), text, version: 1 });
        check(&host.snapshot(), "two", "a", "typed");
        check(&before, "two", "a", "common");
    }

    #[test]
    fn globs_see_files_that_come_and_go() {
        let hiera_yaml = "version: 5\nhierarchy: [{name: g, glob: '*.yaml'}]\n";
        let files = [("/r/hiera.yaml", hiera_yaml), ("/r/data/c.yaml", "c: 1\nd: old\n")];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        let find = |host: &Host, key: &str| {
            let world = host.snapshot();
            answer(&world, "x", key)
        };
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        assert_eq!(find(&host, "a"), None);
        let path = || "/r/data/a.yaml".to_owned();
        let text = "a: new\nd: new\n".to_owned();
        host.apply(Change::OpenBuffer { path: path(), text, version: 1 });
        assert_eq!(find(&host, "a").as_deref(), Some("new"));
        assert_eq!(find(&host, "d").as_deref(), Some("new"), "a.yaml comes before c.yaml");
        host.apply(Change::CloseBuffer { path: path() });
        assert_eq!(find(&host, "a"), None);
        assert_eq!(find(&host, "d").as_deref(), Some("old"));
    }

    /// The cases of the key `b` for any node if a role's file has this text, in an editor and on the command line.
    fn cases(text: &str, has_index: bool) -> [String; 2] {
        let files = [
            (
                "/r/hiera.yaml",
                "version: 5\nhierarchy: [{name: n, paths: ['roles/%{role}.yaml', c.yaml]}]\n",
            ),
            ("/r/data/roles/web.yaml", "a: 1\n"),
            ("/r/data/roles/db.yaml", "b: db\n"),
            ("/r/data/c.yaml", "a: common\nb: common\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        let lookup = |host: &Host| {
            let world = host.snapshot();
            let environment = world.environment_of("/r/data/c.yaml").expect("an environment");
            if has_index {
                world.key_index(&environment);
            }
            let node = world.any_node(&environment);
            let editor = world.evaluator(&environment, &node);
            let exact = world.exact_evaluator(&environment, &node, world.back_ends());
            let told = |answer: &crate::engine::Answer| match &answer.outcome {
                Ok(found) => found
                    .as_ref()
                    .map_or("nothing".to_owned(), |it| crate::data::inspect::to_s(&it.value)),
                Err(failure) => failure.message.to_string(),
            };
            [editor.as_ref(), &exact].map(|evaluator| {
                // An index of all files is used after several keys.
                (0..10).for_each(|number| drop(evaluator.lookup(&format!("none{number}"))));
                let answer = evaluator.lookup("b");
                let each = answer.each_case().into_iter();
                let each = each.map(|(conditions, case)| {
                    format!("{}: {}", crate::engine::cases::in_words(conditions), told(case))
                });
                each.collect::<Vec<_>>().join("; ")
            })
        };
        lookup(&host);
        let path = "/r/data/roles/web.yaml".to_owned();
        host.apply(Change::OpenBuffer { path, text: text.to_owned(), version: 1 });
        lookup(&host)
    }

    #[test]
    fn a_file_that_is_no_hash_fails_lookups_of_all_keys() {
        let usual = "role is db: db; : common";
        let no_hash = "role is web: /r/data/roles/web.yaml: file does not contain a valid yaml hash; \
                       role is db: db; : common";
        for has_index in [false, true] {
            for text in ["x\n", "- a\n", "[b, c]\n", "--- x\n", "5\n"] {
                assert_eq!(cases(text, has_index), [no_hash, no_hash], "{text:?} {has_index}");
            }
            for text in ["", "~\n", "{}\n", "a: 2\n", "5: 1\n", "---\n"] {
                assert_eq!(cases(text, has_index), [usual, usual], "{text:?} {has_index}");
            }
            // While the user types, the entries of a file with a syntax error are used.
            let [editor, exact] = cases("c: [1\n", has_index);
            assert_eq!(editor, usual);
            assert!(exact.contains("role is web: Unable to parse"), "{exact}");
        }
    }

    #[test]
    fn a_directory_fails_lookups_of_all_keys_in_editors_too() {
        let hiera_yaml =
            "version: 5\nhierarchy: [{name: n, paths: ['roles/%{role}', '%{site}.d/x', c.yaml]}]\n";
        let files = [
            ("/r/hiera.yaml", hiera_yaml),
            ("/r/data/roles/web", "a: web\n"),
            ("/r/data/roles/deep/x.yaml", "x: 1\n"),
            ("/r/data/oslo.d/x/x.yaml", "x: 1\n"),
            ("/r/data/c.yaml", "a: common\nb: common\n"),
        ];
        let cases = |key: &str, has_index: bool| {
            let world = Host::new(Arc::new(MemoryDisk::new(files))).snapshot();
            let environment = world.environment_of("/r/data/c.yaml").expect("an environment");
            if has_index {
                world.key_index(&environment);
            }
            let answer = world.active_evaluator(&environment).lookup(key);
            let each = answer.each_case().into_iter();
            let each = each.map(|(conditions, case)| {
                let fails = case.outcome.is_err();
                format!(
                    "{}{}",
                    crate::engine::cases::in_words(conditions),
                    if fails { " fails" } else { "" }
                )
            });
            each.collect::<Vec<_>>()
        };
        for has_index in [false, true] {
            let [empty, deep] = ["role is empty fails", "role is deep fails"];
            let oslo = "site is oslo fails";
            assert_eq!(cases("b", has_index), [empty, deep, oslo, ""], "{has_index}");
            assert_eq!(
                cases("a", has_index),
                [empty, deep, oslo, "role is web", ""],
                "{has_index}"
            );
        }
    }

    #[test]
    fn a_snapshot_that_nobody_holds_goes() {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        let before = host.snapshot();
        check(&before, "one", "a", "node one");
        let still_there = Arc::downgrade(&before);
        drop(before);
        host.apply(Change::ActiveNode(None));
        assert!(still_there.upgrade().is_none());
    }
}
