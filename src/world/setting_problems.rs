//! Settings that lead nowhere: to no node, no fact set, or no other file or directory.

use std::sync::Arc;

use super::facts_files::facts_files;
use super::reach::DataPlace;
use super::trust::fixed_part;
use super::{World, paths};
use crate::data::{Files as _, Located, Member, PathKind, Value};
use crate::facts::Node;
use crate::settings::{
    PROJECT_FILE, RawSettings, SettingsProblem, SettingsSource, nearest_name, range_of,
};
use crate::text::TextRange;

impl World {
    /// The settings of the project file that lead nowhere.
    pub fn setting_problems(&self) -> Vec<SettingsProblem> {
        if self.settings.node.is_none()
            && self.settings.facts.is_empty()
            && self.settings.nodes.is_empty()
            && self.settings.global_hiera_yaml.is_none()
            && self.settings.modulepath.is_none()
            && self.settings.datadir_map.is_empty()
            && self.settings.diagnostics.severity_by_path.is_empty()
        {
            return Vec::new();
        }
        let Ok(file) = self.file(&self.settings_path(PROJECT_FILE)) else { return Vec::new() };
        let (raw, _) = RawSettings::from_yaml(&file.text);
        let mut problems = Vec::new();
        problems.extend(raw.get("node").and_then(|it| self.unknown_node(it)));
        problems.extend(self.missing_fact_sets(&raw));
        problems.extend(self.missing_files_of_nodes(&raw));
        problems.extend(raw.get("globalHieraYaml").and_then(|it| self.missing_global_config(it)));
        problems.extend(
            raw.get("modulepath").map(|it| self.missing_module_directories(it)).unwrap_or_default(),
        );
        problems.extend(self.missing_data_directories(&raw));
        problems.extend(self.patterns_without_files(&raw));
        problems
    }

    /// The setting `node`, if no node has the name.
    fn unknown_node(&self, setting: &Located) -> Option<SettingsProblem> {
        let name = setting.value.as_str()?;
        // The editor may have set another node.
        if self.settings.node.as_deref() != Some(name) {
            return None;
        }
        let environments = self.environments();
        let is_known = |nodes: Arc<[Arc<Node>]>| nodes.iter().any(|node| *node.name == *name);
        if environments.is_empty() || environments.iter().any(|it| is_known(self.nodes(it))) {
            return None;
        }
        let nodes: Vec<_> = environments.iter().map(|it| self.nodes(it)).collect();
        let names = nodes.iter().flat_map(|nodes| nodes.iter().map(|node| &*node.name));
        let meant = nearest_name(name, names);
        let meant = meant.map_or(String::new(), |it| format!(" Did you mean `{it}`?"));
        let message = format!("No fact set and no data file belongs to a node `{name}`.{meant}");
        Some(problem("node", setting, message))
    }

    /// The entries of `facts` that lead to no file.
    fn missing_fact_sets(&self, raw: &RawSettings) -> Vec<SettingsProblem> {
        let Some(setting) = raw.get("facts") else { return Vec::new() };
        let entries = entries(setting);
        let is_missing = |entry: &&Located| {
            // An entry that leads out of a workspace that is not trusted is no setting. A note says so if a link leads out.
            let used = self.settings.facts.iter().find(|it| Some(&***it) == entry.value.as_str());
            used.is_some_and(|entry| {
                facts_files(self, entry).is_empty()
                    && !self.is_outside(fixed_part(&self.settings_path(entry)))
            })
        };
        let missing = entries.iter().filter(is_missing);
        let message = |entry: &Located| {
            format!("`{}` leads to no file with facts.", entry.value.as_str().unwrap_or(""))
        };
        missing.map(|entry| problem("facts", entry, message(entry))).collect()
    }

    /// The setting `globalHieraYaml`, if it does not lead to a file. If nothing is there, Puppet uses a hierarchy of its own.
    fn missing_global_config(&self, setting: &Located) -> Option<SettingsProblem> {
        let path = setting.value.as_str()?;
        if self.settings.global_hiera_yaml.as_deref() != Some(path) {
            return None;
        }
        let kind = self.kind(&self.settings_path(path));
        let message = match kind {
            PathKind::File => return None,
            PathKind::Directory => format!("`{path}` is a directory, so every lookup fails."),
            PathKind::Missing => {
                format!(
                    "`{path}` is not there, so the global layer has Puppet's default hierarchy."
                )
            }
        };
        let is_warning = kind == PathKind::Missing;
        Some(SettingsProblem { is_warning, ..problem("globalHieraYaml", setting, message) })
    }

    /// The entries of `modulepath` that are not directories of any environment, if none has any of them, or if something else was
    /// meant. Modules may be installed only on the servers.
    fn missing_module_directories(&self, setting: &Located) -> Vec<SettingsProblem> {
        let environments = self.environments();
        let roots: Vec<_> = environments.iter().filter_map(|it| it.root.as_deref()).collect();
        let used = self.settings.modulepath.iter().flatten();
        let used: Vec<&str> = used.map(|it| &**it).collect();
        let is_one = |entry: &str, kind: PathKind| {
            roots.iter().any(|root| self.kind(&paths::join(root, entry)) == kind)
        };
        let is_missing = |entry: &str| !is_one(entry, PathKind::Directory);
        let are_all_missing = used.iter().all(|it| is_missing(it));
        let missing = entries(setting).iter().filter_map(|entry| {
            let path = entry.value.as_str().filter(|it| used.contains(it) && is_missing(it))?;
            let meant = roots.iter().find_map(|root| self.directory_near(root, path, &used));
            let meant = match meant {
                Some(meant) => format!(" Did you mean `{meant}`?"),
                None if is_path_of_conf(path) => {
                    format!(" Write a list: `[{}]`.", path.replace(':', ", "))
                }
                None if are_all_missing || is_one(path, PathKind::File) => String::new(),
                None => return None,
            };
            let message = format!("`{path}` is not a directory, so it has no modules.{meant}");
            Some(problem("modulepath", entry, message))
        });
        missing.collect()
    }

    /// The members of `datadirMap` that lead to no directory.
    fn missing_data_directories(&self, raw: &RawSettings) -> Vec<SettingsProblem> {
        let members = raw.get("datadirMap").and_then(|it| it.value.as_hash());
        let missing = members.into_iter().flat_map(|it| it.iter()).filter_map(|(from, member)| {
            let to = member.value.value.as_str().filter(|it| !it.contains("%{"))?;
            let is_used = self.settings.datadir_map.get(from.as_str()?).map(|it| &**it) == Some(to);
            let is_there = self.kind(&self.settings_path(to)) == PathKind::Directory;
            let message = format!("`{to}` is not a directory, so it has no data.");
            (is_used && !is_there).then(|| problem("datadirMap", &member.value, message))
        });
        missing.collect()
    }

    /// The path of a directory beside a missing one with a similar name, unless it is used.
    fn directory_near(&self, root: &str, path: &str, used: &[&str]) -> Option<String> {
        let name = paths::file_name(path);
        let above = path.strip_suffix(name)?;
        let items = self.list(&paths::join(root, above));
        let names = items.iter().filter(|it| it.is_directory).map(|it| &*it.name);
        let is_free = |name: &&str| !used.contains(&&*format!("{above}{name}"));
        nearest_name(name, names.filter(is_free)).map(|it| format!("{above}{it}"))
    }

    /// The patterns of `diagnostics.severityByPath` that no path can match.
    fn patterns_without_files(&self, raw: &RawSettings) -> Vec<SettingsProblem> {
        let patterns = raw.get("diagnostics.severityByPath").and_then(|it| it.value.as_hash());
        let problem_of = |(key, member): (&Value, &Member)| {
            let message = self.why_nothing_matches(key.as_str()?)?;
            Some(problem_at("diagnostics.severityByPath", range_of(member.key_place), message))
        };
        patterns.into_iter().flat_map(|it| it.iter()).filter_map(problem_of).collect()
    }

    fn why_nothing_matches(&self, pattern: &str) -> Option<String> {
        if pattern.rfind('[') > pattern.rfind(']') {
            return Some(format!("`{pattern}` matches no file, because a `[` needs a `]`."));
        }
        let top = self.settings_directory();
        let exists = |directory: &str, pattern: &str| {
            self.kind(&paths::join(directory, fixed_part(pattern))) != PathKind::Missing
        };
        let mut starts = std::iter::once(&top).chain(self.folders.iter());
        if starts.any(|it| exists(it, pattern)) {
            return None;
        }
        let below = pattern.trim_start_matches('/');
        let environments = self.environments();
        let reaches: Vec<_> = environments.iter().map(|it| self.reach(it)).collect();
        let data = reaches.iter().flat_map(|it| it.places.iter().map(DataPlace::datadir));
        let mut meant = std::iter::once(&*top).chain(data).filter(|it| exists(it, below));
        let meant =
            meant.find_map(|it| paths::below(&top, &paths::join(it, below)).map(str::to_owned));
        let advice = match meant {
            Some(meant) => format!(" Did you mean `{meant}`?"),
            // Modules that are not installed here may have such files.
            None if !pattern.starts_with('/') => return None,
            None => String::new(),
        };
        Some(format!(
            "`{pattern}` matches no file. Patterns start in the directory of {PROJECT_FILE}.{advice}"
        ))
    }

    /// The members of `nodes` whose file with facts does not exist.
    fn missing_files_of_nodes(&self, raw: &RawSettings) -> Vec<SettingsProblem> {
        let nodes = raw.get("nodes").and_then(|it| it.value.as_hash());
        let members = nodes.into_iter().flat_map(|nodes| nodes.iter());
        let missing = members.filter_map(|(name, node)| {
            let name = name.as_str()?;
            let setting = &node.value.value.as_hash()?.get("facts")?.value;
            let file = setting.value.as_str()?;
            // A file outside of a workspace that is not trusted is no setting.
            let is_used = self.settings.nodes.get(name)?.facts_file.as_deref() == Some(file);
            let is_there = self.kind(&self.settings_path(file)) == PathKind::File;
            let message =
                format!("`{file}` is not a file, so no facts of node `{name}` are known.");
            (is_used && !is_there)
                .then(|| problem(&format!("nodes.{name}.facts"), setting, message))
        });
        missing.collect()
    }
}

/// Whether a path has several directories, as in an `environment.conf`. A drive of Windows has one letter.
fn is_path_of_conf(path: &str) -> bool {
    path.find(':').is_some_and(|at| at > 1)
}

/// The entries of a list, which may be a single text.
fn entries(setting: &Located) -> &[Located] {
    match &setting.value {
        Value::Array(entries) => entries,
        _ => std::slice::from_ref(setting),
    }
}

fn problem(key: &str, setting: &Located, message: String) -> SettingsProblem {
    problem_at(key, range_of(setting.place), message)
}

fn problem_at(key: &str, range: TextRange, message: String) -> SettingsProblem {
    SettingsProblem {
        message,
        range,
        key: key.to_owned(),
        source: SettingsSource::ProjectFile,
        is_warning: true,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::fixture::Fixture;

    /// `expected`: the key and the message of each problem.
    #[track_caller]
    fn check(settings: &str, expected: &[&str]) {
        let files = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: N, path: 'nodes/%{trusted.certname}.yaml'}]\n\
                     #- /data/nodes/web01.yaml\na: 1\n#- /facts/db01.yaml\nrole: db\n";
        let fixture = Fixture::parse(&format!("{files}#- /.hiera-ls.yaml\n{settings}"));
        let problems = fixture.world().setting_problems();
        let shown = problems.iter().map(|it| format!("{}: {}", it.key, it.message));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn settings_that_lead_to_nothing() {
        check("node: web01\nfacts: facts\n", &[]);
        check("node: db01\nfacts: [facts/*.yaml]\n", &[]);
        check(
            "node: webb01\n",
            &[
                "node: No fact set and no data file belongs to a node `webb01`. Did you mean `web01`?",
            ],
        );
        check("facts: [facts, nofacts]\n", &["facts: `nofacts` leads to no file with facts."]);
        check("facts: no.json\n", &["facts: `no.json` leads to no file with facts."]);
        check("globalHieraYaml: hiera.yaml\n", &[]);
        let no_file = "globalHieraYaml: `global.yaml` is not there, so the global layer has Puppet's default hierarchy.";
        check("globalHieraYaml: global.yaml\n", &[no_file]);
        check(
            "globalHieraYaml: data\n",
            &["globalHieraYaml: `data` is a directory, so every lookup fails."],
        );
        check("globalHieraYaml: ''\n", &[]);
        check(
            "nodes: {a: {facts: a.json}, b: {facts: facts/db01.yaml}, c: {facts: {role: web}}}\n",
            &["nodes.a.facts: `a.json` is not a file, so no facts of node `a` are known."],
        );
    }

    #[test]
    fn directories_of_modules() {
        check("modulepath: [facts, data, not-installed]\n", &[]);
        let near =
            "modulepath: `datas` is not a directory, so it has no modules. Did you mean `data`?";
        check("modulepath: [facts, datas]\n", &[near]);
        check("modulepath: [data, datas]\n", &[]);
        check("modulepath: x\n", &["modulepath: `x` is not a directory, so it has no modules."]);
        let file = "modulepath: `hiera.yaml` is not a directory, so it has no modules.";
        check("modulepath: [data, hiera.yaml]\n", &[file]);
        let list = "modulepath: `data:facts` is not a directory, so it has no modules. Write a list: `[data, facts]`.";
        check("modulepath: data:facts\n", &[list]);
    }

    #[test]
    fn directories_of_data() {
        check("datadirMap: {/etc/x: data}\n", &[]);
        let missing = "datadirMap: `nosuch` is not a directory, so it has no data.";
        check("datadirMap: {/etc/x: nosuch, /etc/y: data}\n", &[missing]);
    }

    #[test]
    fn patterns_of_paths() {
        let check = |pattern: &str, expected: Option<&str>| {
            let expected = expected
                .map(|it| format!("diagnostics.severityByPath: `{pattern}` matches no file{it}"));
            let settings =
                format!("diagnostics: {{severityByPath: {{'{pattern}': {{all: hint}}}}}}\n");
            check(&settings, &expected.iter().map(|it| &**it).collect::<Vec<_>>());
        };
        for pattern in ["data/nodes/*.yaml", "*.yaml", "**", "modules/**", "data/{nodes,x}/*"] {
            check(pattern, None);
        }
        let start = ". Patterns start in the directory of .hiera-ls.yaml.";
        let meant = format!("{start} Did you mean `data/nodes/*.yaml`?");
        check("nodes/*.yaml", Some(&meant));
        check("/data/nodes/*.yaml", Some(&meant));
        check("/x/**", Some(start));
        check("data/[", Some(", because a `[` needs a `]`."));
    }
}
