//! Findings in a file that several environments read. What is true for one environment may be wrong for another one, so the rules run
//! for each of them.

use std::fmt::Write as _;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::{Diagnostic, Tag, rule};
use crate::data::Files as _;
use crate::limits::MAX_ENVIRONMENTS_OF_FILE;
use crate::world::World;

/// The maximum number of environments that a finding names.
const MAX_NAMED: usize = 3;

/// The snapshots in which to check the file at `path`: one for each environment that reads it.
pub(super) fn views(world: &Arc<World>, path: &str) -> Vec<(Arc<str>, Arc<World>)> {
    let environments = world.environments_with(path);
    if environments.len() < 2 || world.is_seen_from_one() {
        return Vec::new();
    }
    if environments.len() > MAX_ENVIRONMENTS_OF_FILE {
        let count = environments.len();
        let why = format!(
            "{path}: {count} environments read the file; it is checked for {MAX_ENVIRONMENTS_OF_FILE} of them"
        );
        world.left_out(path, why);
    }
    let environments = environments.iter().take(MAX_ENVIRONMENTS_OF_FILE);
    environments.map(|it| (world.environment_label(it), world.seen_from(it))).collect()
}

/// The findings of all environments. A finding that only some of them have says so, and has no fix, because that would change the
/// other environments, too. What is unnecessary must be unnecessary in all of them.
pub(super) fn merged(all: Vec<(Arc<str>, Vec<Diagnostic>)>) -> Vec<Diagnostic> {
    let labels: Vec<Arc<str>> = all.iter().map(|(label, _)| Arc::clone(label)).collect();
    // A broken file can have thousands of findings.
    let mut groups: IndexMap<_, Group> = IndexMap::new();
    for (number, (_, findings)) in all.into_iter().enumerate() {
        for finding in findings {
            let key = (finding.code, finding.range, finding.message.clone());
            match groups.entry(key) {
                Entry::Occupied(known) => known.into_mut().add(number, &finding),
                Entry::Vacant(place) => {
                    place.insert(Group { finding, environments: vec![number] });
                }
            }
        }
    }
    let is_wanted = |group: &Group| {
        let is_unnecessary =
            rule(group.finding.code).is_some_and(|it| it.tag == Some(Tag::Unnecessary));
        !is_unnecessary || group.environments.len() == labels.len()
    };
    let groups = groups.into_values().filter(is_wanted);
    let mut findings: Vec<Diagnostic> = groups.map(|group| group.in_words(&labels)).collect();
    findings.sort_by_key(|it| (it.range.start, it.range.end));
    findings
}

/// A finding, and the numbers of the environments that have it.
struct Group {
    finding: Diagnostic,
    environments: Vec<usize>,
}

impl Group {
    fn add(&mut self, environment: usize, other: &Diagnostic) {
        self.finding.fixes.retain(|fix| other.fixes.contains(fix));
        // An environment may have the same finding twice.
        if self.environments.last() != Some(&environment) {
            self.environments.push(environment);
        }
    }

    fn in_words(self, labels: &[Arc<str>]) -> Diagnostic {
        let Self { mut finding, environments } = self;
        if environments.len() < labels.len() {
            finding.fixes.clear();
            let named = environments.iter().take(MAX_NAMED).map(|it| format!("`{}`", labels[*it]));
            let named = named.collect::<Vec<_>>().join(", ");
            let what = if environments.len() == 1 { "environment" } else { "environments" };
            let more = environments.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = write!(finding.message, "\nThis applies only to {what} {named}{more}.");
        }
        finding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::fixture::Fixture;

    /// Two environments with a global layer, in which a value may be overridden.
    fn workspace(global: &str, production: &str, dev: &str) -> String {
        let hiera_yaml = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
        format!(
            "#- /.hiera-ls.yaml\nglobalHieraYaml: hiera.yaml\n\
             #- /hiera.yaml\nversion: 5\nhierarchy: [{{name: g, path: global.yaml, datadir: gdata}}]\n\
             #- /environments/production/hiera.yaml\n{hiera_yaml}\
             #- /environments/production/data/common.yaml\n{production}\
             #- /environments/dev/hiera.yaml\n{hiera_yaml}\
             #- /environments/dev/data/common.yaml\n{dev}\
             #- /gdata/global.yaml\n{global}"
        )
    }

    /// The codes of the findings in the global file, with the last lines of their messages.
    #[track_caller]
    fn check(files: &str, expected: &[(&str, &str)]) {
        // The workspace may be one of the environments.
        for folder in ["", "/environments/dev", "/environments/production"] {
            check_in(folder, files, expected);
        }
    }

    #[track_caller]
    fn check_in(folder: &str, files: &str, expected: &[(&str, &str)]) {
        let fixture = Fixture::parse_without_marks(files);
        let file = fixture.file("/gdata/global.yaml").expect("the global file");
        let found = diagnostics(&fixture.world_in(folder), &file.world_path());
        let last = |it: &Diagnostic| it.message.lines().last().unwrap_or_default().to_owned();
        let found: Vec<_> = found.iter().map(|it| (it.code, last(it))).collect();
        let expected: Vec<_> =
            expected.iter().map(|(code, it)| (*code, (*it).to_owned())).collect();
        assert_eq!(found, expected, "{folder}");
    }

    #[test]
    fn what_is_unnecessary_must_be_so_everywhere() {
        check(&workspace("red: same\n", "red: same\n", "red: other\n"), &[]);
        let why = "Removing this entry changes nothing for any node.";
        let everywhere = workspace("red: same\n", "red: same\n", "red: same\n");
        check(&everywhere, &[("redundant-override", why)]);
    }

    #[test]
    fn a_finding_of_one_environment_says_so() {
        let global = "a: \"%{lookup('here')}\"\n";
        let why = "This applies only to environment `dev`.";
        let files = workspace(global, "here: 1\n", "elsewhere: 1\n");
        check(&files, &[("missing-lookup-target", why)]);
        let files = workspace(global, "elsewhere: 1\n", "elsewhere: 1\n");
        check(&files, &[("missing-lookup-target", "Puppet uses an empty string.")]);
    }
}
