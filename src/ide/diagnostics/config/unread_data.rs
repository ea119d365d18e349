//! `unread-data`: a directory that looks like Hiera data although no hierarchy reads it.

use crate::config::{Environment, HieraYaml};
use crate::data::{Files as _, PathKind, inspect};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::file::orphan_file::has_plan_hierarchy;
use crate::ide::diagnostics::shared::known_keys::directory_of;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::text::TextRange;
use crate::world::{World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "unread-data",
    name: "Data that no hierarchy reads",
    severity: Severity::Information,
    since: "0.2.0",
    summary: "A directory looks like Hiera data, but no hierarchy reads it.",
    page: include_str!("../../../../docs/rules/unread-data.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

/// Checks the workspace; reports in the closest `hiera.yaml`, which may be `config`.
pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    let environments = world.environments();
    let is_own = |root: &str| paths::join(root, "hiera.yaml") == *config.path;
    if !environments.iter().any(|it| is_own(it.directory())) {
        return;
    }
    for unread in world.unread_data() {
        let shared = |root: &str| {
            root.split('/').zip(unread.directory.split('/')).take_while(|(a, b)| a == b).count()
        };
        // With several environments, the finding is only in the `hiera.yaml` that is closest to the directory.
        let nearest = environments.iter().max_by_key(|it| shared(it.directory()));
        let mut levels = config.hierarchy.iter().chain(&config.default_hierarchy);
        // If a level reads that directory, or its own directory beside it is missing, other rules report it.
        let beside = paths::parent(&config.path)
            .is_some_and(|it| paths::below(it, &unread.directory).is_some());
        let is_named = levels.any(|level| {
            let is_relative = !paths::is_absolute(&inspect::to_s(&level.datadir.value));
            directory_of(world, config, level).is_some_and(|it| {
                let is_missing = world.kind(&it) == PathKind::Missing;
                *it == *unread.directory || is_relative && beside && is_missing
            })
        });
        if is_named
            || !nearest.is_some_and(|it| is_own(it.directory()))
            || may_be_read_by_plans(world, &unread.directory)
            // Other rules say why.
            || world.unseen_module(&unread.directory).is_some()
            || world.lacks_hiera_yaml(&unread.directory)
        {
            continue;
        }
        let shown = shown(world, &unread.directory);
        let (what, them) = match unread.files {
            1 => (format!("1 file in {shown} looks"), "it"),
            files => (format!("{files} files in {shown} look"), "them"),
        };
        let module = world.hiera_yaml_missing_in_module(&unread.directory);
        // The data of a module is always in the module.
        let may_be_mapped = beside || nearest.is_some_and(|it| it.root.is_some());
        let datadir = written_datadir(world, config).filter(|_| may_be_mapped);
        let nearest = nearest.and_then(|it| module_outside(world, it, &unread.directory));
        let reads = match (module, nearest, datadir) {
            (Some(missing), ..) => format!(
                "Puppet reads the data of a module only if the module has a hiera.yaml. Add `{}`.",
                self::shown(world, &missing)
            ),
            (None, Some((module, holder)), _) => format!(
                "It belongs to the module `{module}`, which is not in the modulepath. Add `{holder}` to `modulepath` in \
                 environment.conf."
            ),
            (None, None, Some((datadir, Some(read)))) if *read != datadir => format!(
                "With `datadirMap` in .hiera-ls.yaml, this hiera.yaml reads `{read}` instead of `{datadir}`."
            ),
            // The setting would take away the files that the levels read.
            (None, None, Some((datadir, Some(_)))) => format!(
                "This hiera.yaml reads `{datadir}`. If a level should read {them}, write that directory as its `datadir`."
            ),
            (None, None, Some((datadir, _))) => format!(
                "This hiera.yaml reads `{datadir}`. If that is where it belongs, write \
                 `datadirMap: {{{datadir}: {shown}}}` in .hiera-ls.yaml."
            ),
            (None, None, None) => format!(
                "If another hiera.yaml reads {them}, name that with `globalHieraYaml` in .hiera-ls.yaml."
            ),
        };
        let message = format!("{what} like Hiera data, but no hierarchy reads {them}\n{reads}");
        report.add(&RULE, start_of(config), message);
    }
}

/// The module with this data directory that the environment does not know, and the directory of such modules.
fn module_outside(
    world: &World,
    environment: &Environment,
    data: &str,
) -> Option<(String, String)> {
    let directory = paths::parent(data)?;
    let name = paths::file_name(directory);
    let is_it = world.module_outside(environment, name).is_some_and(|it| it == directory);
    let holder = paths::below(environment.directory(), paths::parent(directory)?)?;
    is_it.then(|| (name.to_owned(), holder.to_owned()))
}

/// Whether a `hiera.yaml` above a directory has a hierarchy for plans.
fn may_be_read_by_plans(world: &World, directory: &str) -> bool {
    let mut configs = paths::ancestors(directory).map(|it| paths::join(it, "hiera.yaml"));
    configs.any(|it| has_plan_hierarchy(world, &it))
}

/// The directory that levels name, as the setting `datadirMap` names it, and the existing directory that they read.
fn written_datadir(world: &World, config: &HieraYaml) -> Option<(String, Option<String>)> {
    let level = config.hierarchy.first()?;
    let written = inspect::to_s(&level.datadir.value);
    // The setting moves directories by their names, which are not known before a node's variables are.
    if interpolation::may_have_tokens(&written) {
        return None;
    }
    let read = directory_of(world, config, level)?;
    let read = (world.kind(&read) == PathKind::Directory).then(|| shown(world, &read));
    if paths::is_absolute(&written) {
        return Some((written, read));
    }
    Some((shown(world, &paths::join(paths::parent(&config.path)?, &written)), read))
}

/// A path relative to the workspace's folder.
fn shown(world: &World, path: &str) -> String {
    let below = world.folders().iter().find_map(|folder| paths::below(folder, path));
    below.unwrap_or(path).to_owned()
}

/// The position of the first level's directory, or else the first byte.
fn start_of(config: &HieraYaml) -> TextRange {
    let place = config.hierarchy.first().and_then(|level| level.datadir.place);
    place.map_or(TextRange::new(0, 1), |place| place.range)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn plans_may_read_data_in_another_directory() {
        let files = |plans: &str, finding: &str| {
            format!(
                "#- /hiera.yaml\nversion: 5\ndefaults: {{datadir: data, data_hash: yaml_data}}\n{finding}\
                 hierarchy: [{{name: a, path: a.yaml}}]\n#- /data/a.yaml\na: 1\n{plans}\
                 #- /plans/data/s.yaml\na: 1\n#- /plans/data/t.yaml\na: 1\n"
            )
        };
        let plans = "#- /plans/hiera.yaml\nversion: 5\nplan_hierarchy: [{name: s, path: s.yaml}]\n";
        check(&files(plans, ""));
        let finding = "#                   ^^^^ information[unread-data]: 2 files in plans/data look like Hiera data, \
                       but no hierarchy reads them…\n";
        check(&files("", finding));
    }

    #[test]
    fn data_outside_of_the_only_module() {
        check(
            r"
#- /hiera.yaml there:no
#- /m/metadata.json
{}
#- /m/hiera.yaml
version: 5
defaults: {datadir: data, data_hash: yaml_data}
#                   ^^^^ information[unread-data]: 1 file in data looks like Hiera data, but no hierarchy reads it If another hiera.yaml reads it, name that with `globalHieraYaml` in .hiera-ls.yaml.
hierarchy: [{name: a, path: common.yaml}]
#- /m/data/common.yaml
m::a: 1
#- /data/common.yaml
a: 1
",
        );
    }

    #[test]
    fn data_beside_the_directory_that_is_read() {
        check(
            r"
#- /hiera.yaml
version: 5
defaults: {datadir: data, data_hash: yaml_data}
#                   ^^^^ information[unread-data]: 2 files in hieradata look like Hiera data, but no hierarchy reads them This hiera.yaml reads `data`. If a level should read them, write that directory as its `datadir`.
hierarchy: [{name: a, path: a.yaml}]
#- /data/a.yaml
a: 1
#- /hieradata/common.yaml
a: 1
#- /hieradata/role/web.yaml
a: 1
",
        );
    }

    #[test]
    fn data_of_a_module_outside_of_the_modulepath() {
        let files = |conf: &str, finding: &str| {
            format!(
                "#- /hiera.yaml\nversion: 5\ndefaults: {{datadir: data, data_hash: yaml_data}}\n{finding}\
                 hierarchy: [{{name: a, path: a.yaml}}]\n#- /data/a.yaml\na: 1\n{conf}\
                 #- /site/m/hiera.yaml\nversion: 5\n#- /site/m/data/common.yaml\nm::a: 1\n"
            )
        };
        let finding = "#                   ^^^^ information[unread-data]: 1 file in site/m/data looks like Hiera data, but no \
                       hierarchy reads it It belongs to the module `m`, which is not in the modulepath. Add `site` to \
                       `modulepath` in environment.conf.\n";
        check(&files("", finding));
        check(&files("#- /environment.conf\nmodulepath = site:modules\n", ""));
    }

    #[test]
    fn data_of_a_module_without_a_hiera_yaml() {
        let files = |modules: &str, module: &str| {
            format!(
                "#- /hiera.yaml\nversion: 5\ndefaults: {{datadir: data, data_hash: yaml_data}}\n\
                 #                   ^^^^ information[unread-data]: 1 file in {modules}/m/data looks like Hiera data, but no \
                 hierarchy reads it Puppet reads the data of a module only if the module has a hiera.yaml. Add \
                 `{modules}/m/hiera.yaml`.\n\
                 hierarchy: [{{name: a, path: a.yaml}}]\n#- /data/a.yaml\na: 1\n\
                 #- /environment.conf\nmodulepath = site:modules\n{module}"
            )
        };
        for modules in ["site", "modules"] {
            check(&files(modules, &format!("#- /{modules}/m/data/common.yaml\nm::a: 1\n")));
        }
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: a, path: a.yaml}]\n#- /data/a.yaml\na: 1\n\
             #- /modules/m/hiera.yaml\nversion: 5\n#- /modules/m/data/common.yaml\nm::a: 1\n",
        );
    }

    #[test]
    fn directories_of_which_one_file_is_read() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: a, path: a.yaml}]
#- /data/a.yaml
a: 1
",
        );
    }
}
