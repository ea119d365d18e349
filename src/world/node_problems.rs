//! What is wrong with the nodes: fact sets that cannot be read, and settings that name no node or no fact set.

use std::sync::Arc;

use super::World;
use super::nodes::facts_files;
use crate::config::Environment;
use crate::data::{Files as _, Located, PathKind, Value};
use crate::facts::Node;
use crate::facts::formats::FactsProblem;
use crate::settings::{
    PROJECT_FILE, RawSettings, SettingsProblem, SettingsSource, nearest_name, range_of,
};

impl World {
    /// The problems of fact sets in these environments, by path; each once.
    pub fn fact_set_problems<'e>(
        &self,
        environments: impl IntoIterator<Item = &'e Arc<Environment>>,
    ) -> Vec<(Arc<str>, FactsProblem)> {
        let mut found = Vec::new();
        for environment in environments {
            for problem in &self.sample_nodes(environment).problems {
                // Environments can share fact sets.
                if !found.contains(problem) {
                    found.push(problem.clone());
                }
            }
        }
        found
    }

    /// The settings of the project file that lead to no node or to no fact set.
    pub fn node_setting_problems(&self) -> Vec<SettingsProblem> {
        if self.settings.node.is_none()
            && self.settings.facts.is_empty()
            && self.settings.nodes.is_empty()
        {
            return Vec::new();
        }
        let Ok(file) = self.file(&self.settings_path(PROJECT_FILE)) else { return Vec::new() };
        let (raw, _) = RawSettings::from_yaml(&file.text);
        let mut problems = Vec::new();
        problems.extend(raw.get("node").and_then(|it| self.unknown_node(it)));
        problems.extend(self.missing_fact_sets(&raw));
        problems.extend(self.missing_files_of_nodes(&raw));
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
        let entries = match &setting.value {
            Value::Array(entries) => entries.as_ref(),
            _ => std::slice::from_ref(setting),
        };
        let is_missing = |entry: &&Located| {
            // An entry that leads out of a workspace that is not trusted is no setting.
            let used = self.settings.facts.iter().find(|it| Some(&***it) == entry.value.as_str());
            used.is_some_and(|entry| facts_files(self, entry).is_empty())
        };
        let missing = entries.iter().filter(is_missing);
        let message = |entry: &Located| {
            format!("`{}` leads to no file with facts.", entry.value.as_str().unwrap_or(""))
        };
        missing.map(|entry| problem("facts", entry, message(entry))).collect()
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
            let message = format!("`{file}` is no file, so no facts of node `{name}` are known.");
            (is_used && !is_there)
                .then(|| problem(&format!("nodes.{name}.facts"), setting, message))
        });
        missing.collect()
    }
}

fn problem(key: &str, setting: &Located, message: String) -> SettingsProblem {
    SettingsProblem {
        message,
        range: range_of(setting.place),
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
        let problems = fixture.world().node_setting_problems();
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
        check(
            "nodes: {a: {facts: a.json}, b: {facts: facts/db01.yaml}, c: {facts: {role: web}}}\n",
            &["nodes.a.facts: `a.json` is no file, so no facts of node `a` are known."],
        );
    }

    #[test]
    fn fact_sets_that_cannot_be_read() {
        let fixture = Fixture::parse(
            "#- /hiera.yaml\nversion: 5\n#- /.hiera-ls/facts/web01.yaml\nbroken: [\n",
        );
        let world = fixture.world();
        let problems = world.fact_set_problems(world.environments().iter());
        let paths: Vec<&str> = problems.iter().map(|(path, _)| &**path).collect();
        assert_eq!(paths.len(), 1);
        assert!(paths[0].ends_with("/.hiera-ls/facts/web01.yaml"), "{paths:?}");
    }
}
