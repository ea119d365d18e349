//! Actions in files that several environments read.

use super::*;
use crate::ide::fixture_world::ROOT;
use crate::world::paths;

/// A global layer and two environments: the files that are given, and a hierarchy for each environment.
fn workspace(files: &str) -> String {
    let hiera_yaml = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    format!(
        "#- /.hiera-ls.yaml\nglobalHieraYaml: hiera.yaml\n\
         #- /hiera.yaml\nversion: 5\nhierarchy: [{{name: g, paths: [top.yaml, global.yaml, lower.yaml], datadir: gdata}}]\n\
         #- /environments/production/hiera.yaml\n{hiera_yaml}\
         #- /environments/dev/hiera.yaml\n{hiera_yaml}{files}"
    )
}

/// The titles of the actions whose titles start with `begin`; for those that are not possible, the reasons.
fn said(files: &str, begin: &str) -> Vec<String> {
    let (actions, _) = offered(&workspace(files), &ActionKind::ALL);
    let wanted = actions.into_iter().filter(|it| it.title.starts_with(begin));
    wanted.map(|it| it.refusal.unwrap_or(it.title)).collect()
}

#[test]
fn a_value_is_only_inlined_if_it_is_the_same_in_all_environments() {
    let global = "#- /gdata/global.yaml\nwho: \"we are %{lookup('site')$0}\"\n";
    let own = |site: &str| format!("#- /environments/dev/data/common.yaml\nsite: {site}\n");
    let production = "#- /environments/production/data/common.yaml\nsite: oslo\n";
    let files = format!("{global}{production}{}", own("bergen"));
    let why = "`site` is written in another file in environment `dev`.";
    assert_eq!(said(&files, "Inline the value"), [why]);
    let files = format!("{global}{production}");
    let why = "In environment `dev`: No data file has `site`.";
    assert_eq!(said(&files, "Inline the value"), [why]);
    let files = format!("{global}site: oslo\n");
    assert_eq!(said(&files, "Inline the value"), ["Inline the value of `site`"]);
}

#[test]
fn a_key_goes_only_when_the_calls_of_all_environments_do() {
    let global = "#- /gdata/global.yaml\nshared$0: host\n";
    let own = |name: &str, value: &str| {
        format!("#- /environments/{name}/data/common.yaml\nurl: {value}\n")
    };
    let call = "\"http://%{lookup('shared')}\"";
    let files = format!("{global}{}{}", own("production", call), own("dev", call));
    let title = "Inline `shared` everywhere (2 places) and remove it";
    assert_eq!(said(&files, "Inline `shared`"), [title]);
    let (actions, _) = offered(&workspace(&files), &[ActionKind::RefactorInline]);
    let edited: Vec<&str> = actions[0].edits.iter().map(|it| paths::file_name(&it.path)).collect();
    assert_eq!(edited, ["common.yaml", "common.yaml", "global.yaml"]);
    let files = format!("{files}#- /environments/dev/manifests/site.pp\n$x = lookup('shared')\n");
    assert_eq!(said(&files, "Inline `shared`"), ["Not every use of `shared` is a call."]);
}

#[test]
fn titles_say_what_changes_in_other_environments() {
    let files = |dev: &str| {
        format!(
            "#- /gdata/top.yaml\nb: 1\n#- /gdata/global.yaml\na: [1]\n#- /gdata/lower.yaml\na$0: [1, 2]\n\
             #- /environments/production/data/common.yaml\nb: 1\n\
             #- /environments/dev/data/common.yaml\nlookup_options: {{a: {{merge: {dev}}}}}\n"
        )
    };
    let title = format!("Move `a` up to {ROOT}/gdata/top.yaml (g), which leaves the file empty");
    let titles = |dev: &str| said(&files(dev), "Move `a` up");
    let changes = "changes the value for every node";
    assert_eq!(titles("first"), [format!("{title}: {changes}; the same in dev")]);
    assert_eq!(titles("unique"), [format!("{title}: {changes}")]);
}
