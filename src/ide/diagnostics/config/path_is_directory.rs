//! `path-is-directory`: a path of a level leads to a directory, or a glob to a link that leads nowhere. Puppet treats it as an
//! existing file, and every lookup fails.

use crate::config::hiera_yaml::Locations;
use crate::config::{glob, path};
use crate::data::{Files as _, Located, PathKind};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::known_keys::{directory_of, is_file_backend};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::world::{World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "path-is-directory",
    name: "Path of a directory",
    severity: Severity::Error,
    since: "0.2.0",
    summary: "A path of a level leads to a directory, or a glob to a broken link, so every lookup fails.",
    page: include_str!("../../../../docs/rules/path-is-directory.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        if !is_file_backend(level) {
            continue;
        }
        let Some(directory) = directory_of(world, config, level) else { continue };
        if let Locations::Globs(templates) = &level.locations {
            for template in templates {
                check_glob(world, &directory, template, report);
            }
        }
        let Locations::Paths(templates) = &level.locations else { continue };
        for template in templates {
            let (Some(text), Some(place)) = (template.value.as_str(), template.place) else {
                continue;
            };
            let path = paths::join(&directory, text.trim_end_matches('/'));
            if interpolation::may_have_tokens(text) || world.kind(&path) != PathKind::Directory {
                continue;
            }
            let message = format!(
                "Is a directory @ io_fread - {path}\nEvery lookup fails. To read all files in it, write `glob: \"{}/*.yaml\"` instead of the path.",
                text.trim_end_matches('/')
            );
            report.add_once(&RULE, RULE.severity, place.range, message);
        }
    }
}

/// Puppet finds a link by a glob without following it, and then follows it.
fn check_glob(world: &World, directory: &str, template: &Located, report: &mut Report) {
    let (Some(text), Some(place)) = (template.value.as_str(), template.place) else { return };
    if interpolation::may_have_tokens(text) {
        return;
    }
    let found = glob::glob(world, &path::join(directory, text));
    let broken = found.iter().find(|it| path::kind(world, it) == PathKind::Missing);
    if let Some(path) = broken {
        let words = match world.text(path) {
            Err(words) if words.starts_with("Too many levels") => {
                "Too many levels of symbolic links"
            }
            _ => "No such file or directory",
        };
        let message = format!(
            "{words} @ rb_file_s_stat - {path}\nThe glob matches a link that leads nowhere, so every lookup fails. Remove the link, or create the file to which it leads."
        );
        report.add_once(&RULE, RULE.severity, place.range, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[cfg(unix)]
    #[test]
    fn links_that_lead_nowhere() {
        use crate::ide::diagnostics::diagnostics;
        use crate::settings::Settings;
        use crate::world::{Disk, World};
        use std::os::unix::fs::symlink;

        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("a path");
        std::fs::create_dir(root.join("data")).expect("a directory");
        let hiera = "version: 5\nhierarchy: [{name: a, glob: '*.yaml'}, {name: b, globs: [x.yml, loop.yml, y.yml]}]\n";
        std::fs::write(root.join("hiera.yaml"), hiera).expect("a file");
        for (name, target) in [("z.yaml", "nowhere"), ("loop.yml", "loop.yml"), ("d.yaml", ".")] {
            symlink(target, root.join("data").join(name)).expect("a link");
        }
        let root = root.to_str().expect("UTF-8");
        let world =
            World::on_disk(std::sync::Arc::new(Disk), vec![root.into()], Settings::default());
        let found = diagnostics(&world, &format!("{root}/hiera.yaml"));
        let found: Vec<_> = found.iter().filter(|it| it.code == super::RULE.code).collect();
        let first = format!("No such file or directory @ rb_file_s_stat - {root}/data/z.yaml\n");
        let second =
            format!("Too many levels of symbolic links @ rb_file_s_stat - {root}/data/loop.yml\n");
        assert!(found[0].message.starts_with(&first), "{found:?}");
        assert!(found[1].message.starts_with(&second), "{found:?}");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn directories() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: nodes}
#                   ^^^^^ error[path-is-directory]: Is a directory @ io_fread - …
  - {name: b, paths: [nodes/, common.yaml, "nodes/%{facts.role}.yaml"]}
#                     ^^^^^^ error[path-is-directory]
  - {name: c, glob: "nodes"}
#          ^ hint[level-never-matches]
#- /data/nodes/one.yaml
a: 1
#- /data/common.yaml
a: 1
"#,
        );
    }
}
