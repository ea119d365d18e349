//! `deployed-datadir`: a `datadir` names the directory of this environment on servers. hiera-ls reads it from the workspace.

use crate::config::datadir_map::deployed_prefix;
use crate::data::inspect;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "deployed-datadir",
    name: "Datadir on the server",
    severity: Severity::Information,
    since: "0.2.0",
    summary: "A `datadir` names the environment's directory on a server, and hiera-ls reads this workspace instead.",
    page: include_str!("../../../../docs/rules/deployed-datadir.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

/// Reports it once, at the first level with such a directory.
pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    let Some(environment) = world.environment_of(&config.path) else { return };
    let of_settings = world.settings().datadirs();
    let datadirs = of_settings.clone().of_environment(&environment);
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let Some(place) = level.datadir.place else { continue };
        let written = inspect::to_s(&level.datadir.value);
        let Some(prefix) = deployed_prefix(&written) else { continue };
        let here = datadirs.moved(&written);
        // A mapping in the settings confirms the directory, so there is nothing to report.
        if here == written || of_settings.moved(&written) != written {
            continue;
        }
        let shown = paths::below(environment.directory(), &here).unwrap_or(&here);
        let shown = if shown.is_empty() { "the workspace's directory" } else { shown };
        let message = format!(
            "hiera-ls treats `{prefix}` as this workspace and reads the data from {shown}\n\
             If the data is somewhere else, or to confirm this, write `datadirMap: {{\"{prefix}\": .}}` with the \
             directory in .hiera-ls.yaml."
        );
        report.add(&RULE, place.range, message);
        return;
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    const HIERA_YAML: &str = "#- /hiera.yaml\nversion: 5\ndefaults: {datadir: '/etc/puppetlabs/code/environments/%{environment}/hieradata', data_hash: yaml_data}\n";

    #[test]
    fn all_files_are_checked_and_it_is_said_once() {
        check(&format!(
            "{HIERA_YAML}\
#                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[deployed-datadir]: hiera-ls treats `/etc/puppetlabs/code/environments/%{{environment}}` as this workspace and reads the data from hieradata…
hierarchy:
  - {{name: nodes, path: 'nodes/%{{trusted.certname}}.yaml'}}
  - {{name: common, path: common.yaml}}
#- /hieradata/nodes/one.yaml
a: 0644
#  ^^^^ warning[octal-number]
#- /hieradata/common.yaml
b: 0644
#  ^^^^ warning[octal-number]
"
        ));
    }

    #[test]
    fn settings_say_that_it_is_right_or_where_the_data_lies() {
        let levels = "hierarchy: [{name: common, path: common.yaml}]\n#- /.hiera-ls.yaml\ndatadirMap: {'/etc/puppetlabs/code/environments/%{environment}': ";
        check(&format!(
            "{HIERA_YAML}{levels}.}}\n#- /hieradata/common.yaml\na: 0644\n#  ^^^^ warning[octal-number]\n"
        ));
        check(&format!(
            "{HIERA_YAML}{levels}x}}\n#- /x/hieradata/common.yaml\na: 0644\n#  ^^^^ warning[octal-number]\n"
        ));
    }
}
