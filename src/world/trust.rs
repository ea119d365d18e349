//! What a workspace may do according to its own files. A user who opens other people's repository has not agreed to anything
//! in it.
//!
//! **Nothing that a repository says can decrypt anything, start anything, read a private key or lead outside its own trees,
//! unless it is trusted from outside**: by the person at the command line (`--trust`), by the editor (`isWorkspaceTrusted`),
//! or by the editor's settings, which can allow each of these things individually.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::file_entry::FileEntry;
use super::paths;
use super::snapshot::World;
use crate::data::Files as _;
use crate::settings::{RawSettings, RuleName, Settings, SettingsProblem};

/// Whether a workspace is trusted from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// It is not.
    #[default]
    Missing,
    /// It is.
    Given,
}

/// The settings of a workspace, and their origin.
#[derive(Debug, Default)]
pub struct WorkspaceSettings {
    /// The effective settings.
    pub settings: Settings,
    /// Their problems, and what is held back.
    pub problems: Vec<SettingsProblem>,
    /// The project file.
    pub file: Option<Arc<FileEntry>>,
    /// Why other project files are not read.
    pub unread: Vec<String>,
}

impl World {
    /// The effective settings in the project file of `folders`, with the editor's settings over them. `rules` are the codes
    /// that both may name.
    pub fn workspace_settings(
        &self,
        folders: &[&str],
        editor: Option<&serde_json::Value>,
        rules: &[RuleName],
        trust: Trust,
    ) -> WorkspaceSettings {
        let mut files = folders.iter().filter_map(|folder| self.project_file(folder));
        let file = files.next();
        if let Some(file) = &file {
            for other in files.filter(|other| other.path != file.path) {
                let (other, file) = (&other.path, &file.path);
                self.left_out(
                    other,
                    format!("{other} is not read: a workspace has one file with settings, {file}"),
                );
            }
        }
        let mut settings = Settings::default();
        let mut problems = Vec::new();
        if let Some(file) = &file {
            let (raw, unreadable) = RawSettings::from_yaml(&file.text);
            problems.extend(unreadable);
            problems.extend(settings.apply(&raw, rules));
            // The editor's settings come after this, so nothing of them is held back.
            if trust == Trust::Missing {
                let trees = self.trees(folders, &file.path);
                problems.extend(hold_back(&mut settings, &raw, &trees));
            }
        }
        if let Some(json) = editor {
            problems.extend(settings.apply(&RawSettings::from_json(json), rules));
        }
        if trust == Trust::Given {
            settings.backends = settings.backends.trusted();
        }
        let directory = file.as_ref().and_then(|file| paths::parent(&file.path));
        settings.directory = directory.or(folders.first().copied()).map(Arc::from);
        settings.baseline_directory = match (&file, folders.first()) {
            (None, Some(folder)) => {
                let baseline = &settings.diagnostics.baseline;
                Some(self.directory_of_baseline(folder, baseline).into())
            }
            _ => settings.directory.clone(),
        };
        let unread = match folders {
            [] => self.project_files_without_folder(),
            _ => folders.iter().flat_map(|it| self.unread_project_files(it)).collect(),
        };
        WorkspaceSettings { settings, problems, file, unread }
    }

    /// What a workspace may read: without trust, only what belongs to it and what these settings name, because the project
    /// file cannot have named anything else.
    pub fn readable(
        folders: &[&str],
        settings: &Settings,
        trust: Trust,
    ) -> Option<BTreeSet<String>> {
        // A file that is open without a folder is in no workspace.
        if trust == Trust::Given || folders.is_empty() {
            return None;
        }
        let directory = settings.directory.as_deref().unwrap_or(folders[0]);
        let at = |path: &Arc<str>| paths::join(directory, fixed_part(path));
        let global = settings.global_hiera_yaml.iter().map(at);
        // The data of the global layer is usually beside its `hiera.yaml`.
        let global = global.filter_map(|path| paths::parent(&path).map(str::to_owned));
        let stand_ins = settings.backends.functions.values().flat_map(|it| &it.stand_in);
        let named = (settings.facts.iter())
            .chain(settings.nodes.values().filter_map(|it| it.facts_file.as_ref()))
            .chain(settings.modulepath.iter().flatten())
            .chain(&settings.basemodulepath)
            .chain(settings.datadir_map.values())
            .chain(&settings.eyaml.public_key)
            .chain(&settings.eyaml.private_key)
            .chain(stand_ins.map(|it| &it.file))
            .map(at);
        let baseline = settings.baseline_directory.iter();
        let baseline = baseline.map(|it| paths::join(it, &settings.diagnostics.baseline));
        Some(
            named
                .chain(global)
                .chain(baseline)
                .chain(settings.directory.iter().map(ToString::to_string))
                .collect(),
        )
    }

    /// The directories of a workspace: its folders, and the repository that contains its project file. The project file's
    /// directory comes first.
    fn trees(&self, folders: &[&str], project_file: &str) -> Vec<String> {
        let own = paths::parent(project_file).unwrap_or("/");
        // A folder may be a part of a repository. Its settings may then name files of the whole repository.
        let repository = self.repository_around(own);
        let all = [own].into_iter().chain(repository).chain(folders.iter().copied());
        all.map(paths::normalise).collect()
    }
}

/// The directories before the first one with a pattern.
pub(super) fn fixed_part(path: &str) -> &str {
    match path.find(['*', '?', '[', '{']) {
        Some(pattern) => path[..pattern].rfind('/').map_or("", |end| &path[..end]),
        None => path,
    }
}

/// Removes what the project file must not set by itself. Its relative paths start in the first of `trees`.
fn hold_back(settings: &mut Settings, raw: &RawSettings, trees: &[String]) -> Vec<SettingsProblem> {
    let mut held = Held { raw, trees, problems: Vec::new() };
    // The default of each of these is off, so taking the value is the same as never having read it.
    if std::mem::take(&mut settings.eyaml.decrypt) {
        held.note("eyaml.decrypt", "decrypts values");
    }
    if settings.eyaml.private_key.take().is_some() {
        held.note("eyaml.privateKey", "names a private key");
    }
    if settings.changes_before.take().is_some() {
        held.note("changes.before", RUNS_GIT);
    }
    if std::mem::take(&mut settings.hover_blame) {
        held.note("hover.blame", RUNS_GIT);
    }
    held.optional("eyaml.publicKey", &mut settings.eyaml.public_key);
    held.list("facts", &mut settings.facts);
    for node in settings.nodes.values_mut() {
        held.optional("nodes", &mut node.facts_file);
    }
    held.optional("globalHieraYaml", &mut settings.global_hiera_yaml);
    if let Some(modulepath) = &mut settings.modulepath {
        held.list("modulepath", modulepath);
    }
    // Puppet's own directories are our default.
    let defaults = Settings::default().basemodulepath;
    let is_default = |path: &Arc<str>| defaults.contains(path);
    held.list_except("basemodulepath", &mut settings.basemodulepath, is_default);
    if let Some(outside) = settings.datadir_map.values().find(|to| held.leads_out(to)).cloned() {
        settings.datadir_map.retain(|_, to| !held.leads_out(to));
        held.note_path("datadirMap", &outside);
    }
    if held.leads_out(&settings.diagnostics.baseline) {
        let default = Settings::default().diagnostics.baseline;
        let outside = std::mem::replace(&mut settings.diagnostics.baseline, default);
        held.note_path("diagnostics.baseline", &outside);
    }
    // The editor's settings may turn the bridge on. The program that is then run must not be the repository's.
    if settings.backends.bridge.ruby.take().is_some() {
        held.note("backends.bridge.ruby", "names a program to run");
    }
    for function in settings.backends.functions.values_mut() {
        let outside = function.stand_in.iter().find(|it| held.leads_out(&it.file));
        if let Some(outside) = outside.map(|it| it.file.clone()) {
            function.stand_in.retain(|it| !held.leads_out(&it.file));
            held.note_path("backends", &outside);
        }
    }
    held.problems
}

const RUNS_GIT: &str = "makes hiera-ls run Git";

struct Held<'a> {
    raw: &'a RawSettings,
    trees: &'a [String],
    problems: Vec<SettingsProblem>,
}

impl Held<'_> {
    fn leads_out(&self, path: &str) -> bool {
        // `join` resolves `..` in the text. Links are not resolved here.
        let path = paths::join(&self.trees[0], path);
        !self.trees.iter().any(|tree| paths::below(tree, &path).is_some())
    }

    fn optional(&mut self, key: &str, path: &mut Option<Arc<str>>) {
        if let Some(outside) = path.take_if(|it| self.leads_out(it)) {
            self.note_path(key, &outside);
        }
    }

    fn list(&mut self, key: &str, paths: &mut Vec<Arc<str>>) {
        self.list_except(key, paths, |_| false);
    }

    /// Removes paths that lead out of the workspace, except for some.
    fn list_except(
        &mut self,
        key: &str,
        paths: &mut Vec<Arc<str>>,
        is_kept: impl Fn(&Arc<str>) -> bool,
    ) {
        let is_outside = |path: &Arc<str>| !is_kept(path) && self.leads_out(path);
        if let Some(outside) = paths.iter().find(|it| is_outside(it)).cloned() {
            paths.retain(|path| !is_outside(path));
            self.note_path(key, &outside);
        }
    }

    fn note(&mut self, key: &str, what: &str) {
        self.add(key, &format!("`{key}` {what}"));
    }

    fn note_path(&mut self, key: &str, path: &str) {
        self.add(key, &format!("`{path}` leads out of the workspace"));
    }

    fn add(&mut self, key: &str, what: &str) {
        let place = self.raw.get(key).and_then(|value| value.place);
        self.problems.push(SettingsProblem {
            message: format!(
                "{what}. It has an effect only with `--trust`, in a workspace that the editor trusts, or in the settings of the \
                 editor."
            ),
            range: place.map(|it| it.range).unwrap_or_default(),
            key: key.to_owned(),
            source: self.raw.source,
            is_warning: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::settings::{Kind, SETTINGS, Scope, Setting};
    use crate::world::{Host, MemoryDisk};

    fn read(project: &str, editor: &Value, trust: Trust) -> (Settings, String) {
        let files = [("/w/r/.git/HEAD", ""), ("/w/r/p/.hiera-ls.yaml", project)];
        let world = Host::new(Arc::new(MemoryDisk::new(files))).snapshot();
        let found = world.workspace_settings(&["/w/r/p"], Some(editor), &[], trust);
        let keys: Vec<&str> = found.problems.iter().map(|it| &*it.key).collect();
        (found.settings, keys.join(" "))
    }

    #[test]
    fn one_folder_has_the_settings() {
        let files = [("/a/x.yaml", ""), ("/b/.hiera-ls.yaml", ""), ("/c/.hiera-ls.yaml", "")];
        let world = Host::new(Arc::new(MemoryDisk::new(files))).snapshot();
        let folders = ["/a", "/b", "/c", "/b"];
        let found = world.workspace_settings(&folders, None, &[], Trust::Missing);
        assert_eq!(found.file.map(|it| it.path.to_string()).as_deref(), Some("/b/.hiera-ls.yaml"));
        let note = "/c/.hiera-ls.yaml is not read: a workspace has one file with settings, /b/.hiera-ls.yaml";
        assert_eq!(world.notes(), [note]);
    }

    /// A line of a project file, its effective part without trust, and the messages about what is held back.
    #[track_caller]
    fn check<T: PartialEq + std::fmt::Debug>(
        line: &str,
        what: impl Fn(&Settings) -> T,
        alone: &T,
        held: &str,
    ) {
        let (settings, problems) = read(line, &Value::Null, Trust::Missing);
        assert_eq!((&what(&settings), &*problems), (alone, held), "{line}");
        let (trusted, problems) = read(line, &Value::Null, Trust::Given);
        assert_eq!(problems, "", "{line}");
        if !held.is_empty() {
            assert_ne!(&what(&trusted), alone, "{line} counts once it is trusted");
            // An editor that does not trust the workspace must not pass it on, either.
            let named = |it: &&Setting| held == it.key || held.starts_with(&format!("{}.", it.key));
            let scope = SETTINGS.iter().find(named).map(|it| it.scope);
            assert!(matches!(scope, Some(Scope::Trusted | Scope::Machine)), "{line}: {scope:?}");
        }
        // The editor's settings apply with or without trust.
        let (raw, _) = RawSettings::from_yaml(line);
        let key = raw.root.iter().next().and_then(|(key, _)| key.as_str().map(ToOwned::to_owned));
        let value: Value = serde_yaml::from_str(line).expect("YAML");
        let said = json!({ key.clone().unwrap_or_default(): value[key.unwrap_or_default()] });
        let (of_editor, problems) = read("", &said, Trust::Missing);
        assert_eq!((what(&of_editor), &*problems), (what(&trusted), ""), "{line}");
    }

    fn text(path: Option<&Arc<str>>) -> Option<String> {
        path.map(ToString::to_string)
    }

    fn texts(paths: &[Arc<str>]) -> String {
        paths.join(" ")
    }

    #[test]
    fn what_a_repository_says_counts_as_far_as_it_harms_nobody() {
        check("eyaml: {decrypt: true}", |it| it.eyaml.decrypt, &false, "eyaml.decrypt");
        let private = |it: &Settings| text(it.eyaml.private_key.as_ref());
        check("eyaml: {privateKey: keys/a.pem}", private, &None, "eyaml.privateKey");
        let before = |it: &Settings| text(it.changes_before.as_ref());
        check("changes: {before: HEAD}", before, &None, "changes.before");
        check("changes: {before: saved}", before, &None, "");
        check("hover: {blame: true}", |it| it.hover_blame, &false, "hover.blame");
        let public = |it: &Settings| text(it.eyaml.public_key.as_ref());
        check("eyaml: {publicKey: keys/a.pem}", public, &Some("keys/a.pem".to_owned()), "");
        check("eyaml: {publicKey: /etc/a.pem}", public, &None, "eyaml.publicKey");
        let programs = |it: &Settings| it.backends.starts_programs();
        check("backends: {f: {stand_in: x.yaml}}", programs, &false, "");
        let ruby = |it: &Settings| text(it.backends.bridge.ruby.as_ref());
        check("backends: {bridge: {ruby: ./evil}}", ruby, &None, "backends.bridge.ruby");
        let facts = |it: &Settings| texts(&it.facts);
        let all = "facts: [a, ../b, /w/r/c, ../../x, /etc, '/**/*', a/../../../x]";
        check(all, facts, &"a ../b /w/r/c".to_owned(), "facts");
        let of_node = |it: &Settings| text(it.nodes["n"].facts_file.as_ref());
        check("nodes: {n: {facts: ~root/x}}", of_node, &Some("~root/x".to_owned()), "");
        check("nodes: {n: {facts: /root/x}}", of_node, &None, "nodes");
        let global = |it: &Settings| text(it.global_hiera_yaml.as_ref());
        check("globalHieraYaml: ../hiera.yaml", global, &Some("../hiera.yaml".to_owned()), "");
        check("globalHieraYaml: /etc/hiera.yaml", global, &None, "globalHieraYaml");
        let modules = |it: &Settings| it.modulepath.as_deref().map(texts);
        check("modulepath: [m, /opt]", modules, &Some("m".to_owned()), "modulepath");
        let base = |it: &Settings| texts(&it.basemodulepath);
        let kept = "/opt/puppetlabs/puppet/modules m".to_owned();
        let written = "basemodulepath: [/opt/puppetlabs/puppet/modules, m, /srv]";
        check(written, base, &kept, "basemodulepath");
        let map = |it: &Settings| it.datadir_map.len();
        check("datadirMap: {/a: data, /b: /etc}", map, &1, "datadirMap");
        let baseline = |it: &Settings| it.diagnostics.baseline.to_string();
        let default = ".hiera-ls-baseline.json".to_owned();
        check("diagnostics: {baseline: ../../x}", baseline, &default, "diagnostics.baseline");
        let stand_ins = |it: &Settings| it.backends.functions["f"].stand_in.len();
        check("backends: {f: {stand_in: {a: x.yaml, b: /etc/passwd}}}", stand_ins, &1, "backends");
    }

    #[test]
    fn no_setting_with_paths_leads_out() {
        for setting in SETTINGS {
            let value = match setting.kind {
                Kind::Path => json!("/etc/x"),
                Kind::PathList => json!(["/etc/x"]),
                Kind::PathMap => json!({"/a": "/etc/x"}),
                _ => continue,
            };
            let whole = setting.key.rsplit('.').fold(value, |inner, part| json!({part: inner}));
            let (_, held) = read(&whole.to_string(), &Value::Null, Trust::Missing);
            assert_eq!(held, setting.key, "a repository can set it without trust");
        }
    }

    #[test]
    fn programs_of_a_repository_need_trust() {
        let line = "backends: {bridge: enabled, f: {command: [f]}}";
        let starts = |trust| read(line, &Value::Null, trust).0.backends.starts_programs();
        assert_eq!((starts(Trust::Missing), starts(Trust::Given)), (false, true));
    }
}
