//! Checks the `node_name` patterns of the settings against the nodes and hierarchies of the workspace, and finds the pattern
//! that the names of the data files suggest.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::nodes::known_texts;
use super::snapshot::World;
use crate::config::Environment;
use crate::facts::infer::names_machines;
use crate::facts::mapped::is_member;
use crate::facts::variable::name_of_text;
use crate::facts::{Origin, Suggestion, suggest_pattern};
use crate::settings::{SettingsProblem, SettingsSource};

impl World {
    /// The pattern that the names of an environment's nodes without fact sets suggest. `None` if they suggest none, or if the
    /// settings already have patterns.
    pub fn suggested_name_pattern(&self, environment: &Environment) -> Option<Suggestion> {
        if self.settings.node_name.iter().next().is_some() {
            return None;
        }
        let nodes = self.nodes(environment);
        let named = nodes.iter().filter(|node| node.origin == Origin::Name);
        let names: Vec<Arc<str>> = named.map(|node| Arc::clone(&node.name)).collect();
        let mut texts: Vec<(Arc<str>, BTreeSet<Arc<str>>)> = Vec::new();
        let mut whole: Vec<Arc<str>> = Vec::new();
        let known = known_texts(&self.settings, environment);
        for template in self.own_reach(environment).templates() {
            let Some(path) = template.open_path(&known) else { continue };
            // A group of a pattern can have the name of a fact, but not that of a member of a fact.
            let is_simple = |name: &Arc<str>| !name.contains(['.', ':']) && !is_member(name);
            let machines = path.variables().into_iter().filter(|it| names_machines(it));
            whole.extend(machines.filter(|it| is_simple(it) && &**it != "clientcert"));
            for fit in path.fits(self).unwrap_or_default() {
                for (name, text) in fit.texts {
                    if !is_simple(&name) || names_machines(&name) || text.is_empty() {
                        continue;
                    }
                    match texts.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, texts)) => _ = texts.insert(text),
                        None => texts.push((name, BTreeSet::from([text]))),
                    }
                }
            }
        }
        whole.sort_unstable();
        whole.dedup();
        suggest_pattern(&names, &texts, &whole)
    }

    /// Patterns of the settings that match no node, and groups that no hierarchy reads.
    pub fn name_pattern_problems(&self) -> Vec<SettingsProblem> {
        let mut problems = Vec::new();
        if self.settings.node_name.iter().next().is_none() {
            return problems;
        }
        let environments = self.environments();
        let mut read: HashSet<Arc<str>> = HashSet::new();
        let mut names: Vec<Arc<str>> = Vec::new();
        for environment in environments.iter() {
            let reach = self.reach(environment);
            read.extend(reach.beside_paths.iter().filter_map(|it| name_of_text(it)));
            for template in reach.templates() {
                if let Some(path) = template.open_path(|_| None) {
                    read.extend(path.variables());
                }
                read.extend(template.mapped.as_ref().and_then(|it| name_of_text(&it.variable)));
            }
            let nodes = self.sample_nodes(environment);
            names.extend(nodes.nodes.iter().map(|node| Arc::clone(&node.name)));
            // The pattern may be what says that they are in other environments.
            names.extend(nodes.elsewhere.iter().map(|node| Arc::clone(&node.name)));
        }
        if environments.len() > 1 {
            read.insert("environment".into());
        }
        for pattern in self.settings.node_name.iter() {
            let mut add = |message: String| {
                problems.push(SettingsProblem {
                    message,
                    range: pattern.range,
                    key: "node_name".to_owned(),
                    source: SettingsSource::ProjectFile,
                    is_warning: true,
                });
            };
            if !names.is_empty() && !names.iter().any(|name| pattern.read(name).is_some()) {
                add(format!(
                    "`{}` matches the name of no node in this workspace, such as `{}`. A pattern must match a whole name.",
                    pattern.source, names[0]
                ));
            }
            for group in pattern.groups() {
                let name = name_of_text(group);
                if !environments.is_empty() && name.is_none_or(|name| !read.contains(&name)) {
                    add(format!("No hierarchy reads `{group}`: the group has no effect."));
                }
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk, World};

    const FILES: [(&str, &str); 6] = [
        (
            "/r/hiera.yaml",
            "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
             - {name: r, path: 'roles/%{::role}.yaml'}\n",
        ),
        ("/r/data/nodes/web01.ex.com.yaml", "a: 1\n"),
        ("/r/data/nodes/web02.ex.com.yaml", "a: 1\n"),
        ("/r/data/nodes/db01.ex.com.yaml", "a: 1\n"),
        ("/r/data/roles/web.yaml", "a: 1\n"),
        ("/r/data/roles/db.yaml", "a: 1\n"),
    ];

    fn world(settings: &str) -> Arc<World> {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        host.apply(Change::Settings(Settings::read(Some(settings), None, &[]).0));
        host.snapshot()
    }

    #[test]
    fn what_names_of_files_suggest_is_not_suggested_twice() {
        let suggested = |settings: &str| {
            let world = world(settings);
            let environment = world.environments()[0].clone();
            world.suggested_name_pattern(&environment)
        };
        let pattern = suggested("").expect("names of roles are in the names of nodes");
        assert_eq!(pattern.effect(), "proves role for 3 of 3 nodes");
        assert_eq!(suggested(&format!("node_name: '{}'\n", pattern.pattern)), None);
    }

    #[track_caller]
    fn check(settings: &str, expected: &[&str]) {
        let problems = world(settings).name_pattern_problems();
        let messages: Vec<_> = problems.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, expected);
    }

    #[test]
    fn patterns_that_do_nothing() {
        check("node_name: '(?<role>[a-z]+)\\d+.*'\n", &[]);
        check(
            "node_name: '(?<role>[a-z]+)'\n",
            &[
                "`(?<role>[a-z]+)` matches the name of no node in this workspace, such as `db01.ex.com`. A pattern must \
               match a whole name.",
            ],
        );
        check(
            "node_name: '(?<rolle>[a-z]+)\\d+.*'\n",
            &["No hierarchy reads `rolle`: the group has no effect."],
        );
    }

    #[test]
    fn uris_and_options_of_levels_read_variables() {
        let files = [
            (
                "/r/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                 - {name: v, lookup_key: vault, uri: 'vault:%{role}', options: {mounts: ['%{facts.site}']}}\n",
            ),
            ("/r/data/nodes/web01.yaml", "a: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let settings = "node_name: '(?<role>[a-z]+)(?<site>\\d+)'\n";
        host.apply(Change::Settings(Settings::read(Some(settings), None, &[]).0));
        assert_eq!(host.snapshot().name_pattern_problems().len(), 0);
    }
}
