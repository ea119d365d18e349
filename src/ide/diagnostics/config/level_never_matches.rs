//! `level-never-matches`: a level whose paths lead to no file, whatever the node.

use std::collections::HashMap;

use crate::config::hiera_yaml::Locations;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::known_keys::{directory_of, reads_files};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "level-never-matches",
    name: "Level without files",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "None of the files that a level of `hiera.yaml` could read exists.",
    page: include_str!("../../../../docs/rules/level-never-matches.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    let Some(environment) = at.environment else { return };
    let reach = world.reach(environment);
    let files = world.key_index(environment).files();
    // Computed once for each name: hundreds of levels may have the same name, or a finding each.
    let mut has_file = HashMap::<_, bool>::new();
    for place in reach.places.iter().filter(|it| it.config == config.path) {
        let has_file = has_file.entry((&*place.level, place.is_default)).or_default();
        // Where files may not be read, any may exist.
        *has_file = *has_file
            || files.iter().any(|(path, _)| place.reaches(path))
            || !world.may_read_in(place.directory());
    }
    let mut explained: Vec<TextRange> = report.findings.iter().map(|it| it.range).collect();
    explained.sort_unstable_by_key(|it| it.start);
    let levels = config.hierarchy.iter().map(|level| (level, false));
    for (level, is_default) in levels.chain(config.default_hierarchy.iter().map(|it| (it, true))) {
        let is_path = !matches!(level.locations, Locations::None | Locations::Uris(_));
        // Outside this workspace, any file may exist.
        let is_here = directory_of(world, config, level)
            .is_some_and(|directory| world.kind(&directory) == PathKind::Directory);
        if !reads_files(level) || !is_path || !is_here {
            continue;
        }
        // Only a level whose places are known and lead to no file is reported.
        if has_file.get(&(&*level.name, is_default)) != Some(&false) {
            continue;
        }
        let Some(place) = level.name_place.or(level.place) else { continue };
        let is_explained = |whole: TextRange| {
            let first = explained.partition_point(|it| it.start < whole.start);
            let begun = explained[first..].iter().take_while(|it| it.start <= whole.end);
            begun.into_iter().any(|it| it.end <= whole.end)
        };
        // Another finding within the level already says what is wrong with it.
        if level.place.is_some_and(|place| is_explained(place.range)) {
            continue;
        }
        let message = format!(
            "no file exists for level \"{}\", whatever the node\n\
             Compare its paths with the files. If the files exist only on the server, the level is right.",
            level.name
        );
        report.add(&RULE, place.range, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn levels_without_any_file() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: nodes, path: "nodes/%{trusted.certname}.yaml"}
  - {name: roles, path: "team/%{facts.team}.yaml"}
#          ^^^^^ hint[level-never-matches]: no file exists for level "roles", whatever the node…
  - {name: sites, glob: "sites/*.yaml"}
#          ^^^^^ hint[level-never-matches]
  - {name: secrets, path: x.yaml, datadir: /etc/secrets}
#                                          ^^^^^^^^^^^^ information[missing-datadir]
  - {name: functions, lookup_key: mine}
#                                 ^^^^ information[unknown-backend]
#- /data/nodes/one.yaml
a: 1
#- /data/roles/web.yaml
a: 1
"#,
        );
    }

    #[test]
    fn levels_of_environments_and_of_functions() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: environments, path: 'environments/%{environment}.yaml'}
  - {name: own, path: 'own/%{facts.role}.yaml', data_hash: site::reader}
#                                                          ^^^^^^^^^^^^ information[unknown-backend]
#- /data/environments/staging.yaml
a: 1
",
        );
    }
}
