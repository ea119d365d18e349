//! `misspelt-path`: a path of a level leads to no file, and beside it there is a file or a directory with a similar name that
//! no level reads. Or the path repeats the data directory, in which it starts anyway.

use crate::config::hiera_yaml::Locations;
use crate::data::{Files as _, PathKind, Place};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::file::UnreadContext;
use crate::ide::diagnostics::file::orphan_file::may_be_read_by_function;
use crate::ide::diagnostics::shared::fix::{Fix, replaced_in};
use crate::ide::diagnostics::shared::known_keys::{directory_of, fixed_part, is_file_backend};
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::text::TextRange;
use crate::world::{DataPlace, Reach, World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "misspelt-path",
    name: "Path that looks misspelt",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A path of a level does not exist, and a file or directory that no level reads has nearly the same name.",
    page: include_str!("../../../../docs/rules/misspelt-path.md"),
    explains: Some(Subject::UnreadFile),
    checks: &[Check::Config(check), Check::Unread(check_file)],
    ..Rule::USUAL
};

/// The maximum number of files in a directory that is searched.
const MAX_LISTED: usize = 2_000;

/// The maximum number of paths in a file that is checked: each path is compared with all files beside it, and these with all
/// paths.
const MAX_TEMPLATES: usize = 1_000;

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    let Some(environment) = at.environment else { return };
    let reach = world.reach(environment);
    if reach.places.iter().filter(|it| it.config == config.path).count() > MAX_TEMPLATES {
        return;
    }
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let templates = match &level.locations {
            Locations::Paths(templates) | Locations::Globs(templates) => &**templates,
            Locations::MappedPaths(parts) => &parts[2..],
            Locations::Uris(_) | Locations::None => &[],
        };
        if !is_file_backend(level) {
            continue;
        }
        let Some(directory) = directory_of(world, config, level) else { continue };
        for template in templates {
            let (Some(text), Some(place)) = (template.value.as_str(), template.place) else {
                continue;
            };
            if text.contains('*') && matches!(level.locations, Locations::Paths(_)) {
                let message = format!(
                    "Puppet takes a path literally: `{text}` is not a pattern\nWrite `glob` instead of `path`, or `globs` instead of `paths`."
                );
                report.add_once(&RULE, RULE.severity, place.range, message);
                continue;
            }
            let is_explained = report.findings.iter().any(|finding| finding.range == place.range);
            let (name, near, message, fix) = if let Some((name, near)) =
                misspelt(world, &reach, &directory, text)
            {
                let message = format!(
                    "`{name}` does not exist\nDid you mean `{near}`, which exists and is not read by any level? If not, rename `{near}`."
                );
                // The name of the file may be the misspelt one.
                (name, near, message, Fix::by_hand as fn(_, _) -> Fix)
            } else if let Some((name, near, message)) =
                repeated_datadir(world, &reach, &directory, text)
                    .or_else(|| other_extension(world, &reach, place, text))
            {
                (name, near, message, Fix::changing as fn(_, _) -> Fix)
            } else {
                continue;
            };
            if is_explained {
                continue;
            }
            let finding = report.add_once(&RULE, RULE.severity, place.range, message);
            let edit = replaced_in(&config.text, place.range, &name, &near);
            if let (Some(finding), Some(edit)) = (finding, edit) {
                finding.with_fix(fix(format!("Write `{near}`"), vec![edit]));
            }
        }
    }
}

/// Checks a file that no level reads: its directory may have been meant to have the name of another one beside it.
pub(crate) fn check_file(file: &UnreadContext<'_>, report: &mut Report) {
    let UnreadContext { world, path } = *file;
    let Some(environment) = world.environment_of(path) else { return };
    let reach = world.reach(&environment);
    let Some(directory) = paths::parent(path) else { return };
    let (Some(parent), name) = (paths::parent(directory), paths::file_name(directory)) else {
        return;
    };
    let is_beside = |place: &DataPlace| paths::parent(place.directory()) == Some(parent);
    if !is_data(path) || reach.reaches(path) || !reach.places.iter().any(is_beside) {
        return;
    }
    let items = world.list(parent);
    let own = paths::file_name(path);
    let is_read = |it: &&str| reach.reaches(&format!("{parent}/{it}/{own}"));
    let directories = items.iter().filter(|it| it.is_directory).map(|it| &*it.name);
    let Some(near) = near_key(name, directories.filter(is_read)) else { return };
    // This question may read all code of the environment, so it comes last.
    if may_be_read_by_function(world, &environment) {
        return;
    }
    let Ok(text) = world.text(path) else { return };
    let message = format!(
        "no level of the hierarchy can load this file\nIts directory is `{name}`. Did you mean `{near}`, which a level reads?"
    );
    report.add(&RULE, TextRange::first_line(&text), message);
}

/// The first name of a template that does not exist, and the similar name beside it.
fn misspelt(
    world: &World,
    reach: &Reach,
    directory: &str,
    template: &str,
) -> Option<(String, String)> {
    let mut directory = directory.to_owned();
    let mut names = template.split('/').peekable();
    while let Some(name) = names.next() {
        // From here on, the path depends on the node, or is a pattern.
        if name.contains(['%', '*', '?', '[', '{', '\\']) || matches!(name, "" | "." | "..") {
            return None;
        }
        let path = paths::join(&directory, name);
        let is_file = names.peek().is_none();
        if world.kind(&path) == PathKind::Missing {
            let near = if is_file {
                near_file(world, reach, &directory, name)
            } else {
                near_directory(world, reach, &directory, name)
            };
            return near.map(|near| (name.to_owned(), near));
        }
        directory = path;
    }
    None
}

/// For a template that starts with the last names of the data directory, and leads nowhere: the template, what it would lead to files
/// without these names, and the message.
fn repeated_datadir(
    world: &World,
    reach: &Reach,
    directory: &str,
    template: &str,
) -> Option<(String, String, String)> {
    let first = template.split('/').next()?;
    if first.contains('%') || world.kind(&paths::join(directory, first)) != PathKind::Missing {
        return None;
    }
    let starts = template.match_indices('/').map(|(at, _)| template.split_at(at));
    let repeats = |start: &str| directory.strip_suffix(start).is_some_and(|it| it.ends_with('/'));
    let rest = { starts }.find_map(|(start, rest)| repeats(start).then(|| &rest[1..]))?;
    let fixed = fixed_part(rest);
    let is_there = if fixed.is_empty() {
        let items = world.list(directory);
        let mut files = items.iter().take(MAX_LISTED).filter(|it| !it.is_directory);
        files.any(|it| {
            paths::extension(&it.name) == paths::extension(rest)
                && !reach.reaches(&paths::join(directory, &it.name))
        })
    } else {
        world.kind(&paths::join(directory, fixed)) != PathKind::Missing
    };
    let message = format!(
        "`{template}` does not exist in the data directory\nPaths start there and do not repeat its name. Did you mean \
         `{rest}`?"
    );
    is_there.then(|| (template.to_owned(), rest.to_owned(), message))
}

/// For a template that ends in `.yml` and leads to no file: the extensions and the message, if it would lead to files with
/// `.yaml` that other levels read. `yml-extension-trap` reports files that no level reads.
fn other_extension(
    world: &World,
    reach: &Reach,
    template: Place,
    text: &str,
) -> Option<(String, String, String)> {
    // A `**` also leads to files further down, which are not listed here.
    let stem = text.strip_suffix(".yml").filter(|it| !it.contains("**"))?;
    let place = reach.places.iter().find(|it| it.template_place == Some(template))?;
    // Some sites use both extensions.
    if reach.places.iter().any(|it| it.location().strip_suffix(".yaml") == Some(stem)) {
        return None;
    }
    let items = world.list(place.directory());
    let leads_to = |name: &str| place.reaches(&paths::join(place.directory(), name));
    let mut count = 0;
    for item in items.iter().take(MAX_LISTED).filter(|it| !it.is_directory) {
        // If the path leads to a file, its extension is right.
        if leads_to(&item.name) {
            return None;
        }
        let renamed = item.name.strip_suffix(".yaml").map(|it| format!("{it}.yml"));
        if renamed.is_some_and(|it| leads_to(&it)) {
            if !reach.reaches(&paths::join(place.directory(), &item.name)) {
                return None;
            }
            count += 1;
        }
    }
    let files = if count == 1 { "1 file" } else { &format!("{count} files") };
    let message = format!(
        "no file here ends in `.yml`\nDid you mean `.yaml`? Then the path leads to {files}."
    );
    (count > 0).then(|| (".yml".to_owned(), ".yaml".to_owned(), message))
}

/// A file that no level reads, with a similar name, or with the same name and no extension.
fn near_file(world: &World, reach: &Reach, directory: &str, name: &str) -> Option<String> {
    let items = world.list(directory);
    let is_orphan = |it: &str| !it.starts_with('.') && !reach.reaches(&paths::join(directory, it));
    let files = items.iter().take(MAX_LISTED).filter(|it| !it.is_directory && is_orphan(&it.name));
    let files: Vec<&str> = files.map(|it| &*it.name).collect();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let stems = files.iter().filter_map(|it| {
        let (other, its_extension) = it.rsplit_once('.')?;
        (its_extension == extension).then_some(other)
    });
    let near = near_key(stem, stems).map(|it| format!("{it}.{extension}"));
    near.or_else(|| files.contains(&stem).then(|| stem.to_owned()))
}

/// A directory with a similar name that contains a file that no level reads.
fn near_directory(world: &World, reach: &Reach, directory: &str, name: &str) -> Option<String> {
    let items = world.list(directory);
    let is_unread = |it: &&str| {
        let path = paths::join(directory, it);
        let inside = world.list(&path);
        let mut files = inside.iter().take(MAX_LISTED).filter(|it| is_data(&it.name));
        files.any(|it| !reach.reaches(&paths::join(&path, &it.name)))
    };
    let directories = items.iter().filter(|it| it.is_directory).map(|it| &*it.name);
    near_key(name, directories.filter(is_unread)).map(str::to_owned)
}

fn is_data(name: &str) -> bool {
    matches!(paths::extension(name), "yaml" | "yml" | "eyaml" | "json" | "conf")
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn the_data_directory_is_repeated() {
        check(
            r#"
#- /hiera.yaml
version: 5
defaults: {datadir: hiera/data, data_hash: yaml_data}
hierarchy:
  - {name: nodes, path: "data/nodes/%{trusted.certname}.yaml"}
#                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[misspelt-path]: `data/nodes/%{trusted.certname}.yaml` does not exist in the data directory Paths start there and do not repeat its name. Did you mean `nodes/%{trusted.certname}.yaml`?
  - {name: roles, path: "roles/%{facts.role}.yaml"}
  - {name: none, path: data/none.yaml}
#          ^^^^ hint[level-never-matches]
  - {name: common, path: data/common.yaml}
#                        ^^^^^^^^^^^^^^^^ warning[misspelt-path]: `data/common.yaml` does not exist in the data directory Paths start there and do not repeat its name. Did you mean `common.yaml`?
#- /hiera/data/nodes/a.example.com.yaml
a: 1
#- /hiera/data/roles/web.yaml
b: 1
#- /hiera/data/common.yaml
c: 1
#- /.hiera-ls.yaml
diagnostics: {severity: {orphan-file: 'off'}}
"#,
        );
        let fixed = |text: &str| {
            let path = |it: &str| text.replace("PATH", it);
            let data = "#- /data/roles/web.yaml\na: 1\n#- /data/common.yaml\na: 1\n\
                        #- /.hiera-ls.yaml\ndiagnostics: {severity: {orphan-file: 'off'}}\n";
            check_fix(
                &format!("#- /hiera.yaml\n{}{data}", path("data/common.yaml")),
                "Write `common.yaml`",
                &path("common.yaml"),
            );
        };
        fixed("version: 5\nhierarchy:\n  - {name: a, path: PATH}\n");
    }

    /// The names are those of a directory in the data directory.
    #[test]
    fn a_directory_with_the_name_of_the_data_directory() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: roles, path: "data/%{facts.role}.yaml"}
  - {name: common, path: common.yaml}
#- /data/data/web.yaml
a: 1
#- /data/common.yaml
b: 1
"#,
        );
    }

    #[test]
    fn files_and_directories() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {orphan-file: 'off'}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: "roles/%{facts.role}.yaml"}
#                   ^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[misspelt-path]: `roles` does not exist Did you mean `role`, which exists and is not read by any level? If not, rename `role`.
  - {name: b, path: "site/%{facts.site}.yaml"}
#          ^ hint[level-never-matches]
  - {name: c, paths: ["sites/%{facts.site}.yaml", other.yaml]}
  - {name: d, path: comon.yaml}
#                   ^^^^^^^^^^ warning[misspelt-path]
#- /data/role/web.yaml
a: 1
#- /data/sites/one.yaml
a: 1
#- /data/common.yaml
a: 1
"#,
        );
    }

    #[test]
    fn a_file_in_a_directory_beside_the_one_that_is_read() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: "roles/%{facts.role}.yaml"}
#- /data/roles/web.yaml
a: 1
#- /data/role/db.yaml
a: 1
#^^^ warning[misspelt-path]: no level of the hierarchy can load this file Its directory is `role`. Did you mean `roles`, which a level reads?
"#,
        );
    }

    #[test]
    fn a_path_with_the_other_extension() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: "os/%{facts.os.name}-%{facts.os.release.major}.yml"}
#                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[misspelt-path]: no file here ends in `.yml` Did you mean `.yaml`? Then the path leads to 1 file.
  - {name: b, path: "os/%{facts.os.family}.yaml"}
  - {name: c, path: "site/%{facts.site}.yml"}
#          ^ hint[level-never-matches]
  - {name: d, path: "site/%{facts.site}.yaml"}
  - {name: e, path: "team/%{facts.team}.yml"}
  - {name: f, globs: ["conf.d/*.yaml", "conf.d/**/*.yml"]}
#- /data/os/Debian-12.yaml
a: 1
#- /data/os/Debian.yaml
a: 1
#- /data/site/one.yaml
a: 1
#- /data/team/web.yml
a: 1
#- /data/conf.d/a.yaml
b: 1
#- /data/conf.d/b/c.yml
c: 1
"#,
        );
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: 'role/%{facts.x}.yml'}\n  \
             - {name: y, path: 'role/%{facts.y}.yaml'}\n#- /data/role/web.yaml\na: 1\n",
            "Write `.yaml`",
            "version: 5\nhierarchy:\n  - {name: x, path: 'role/%{facts.x}.yaml'}\n  - {name: y, path: 'role/%{facts.y}.yaml'}\n",
        );
    }

    #[test]
    fn a_pattern_in_a_path() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: "nodes/*.yaml"}
#                   ^^^^^^^^^^^^^^ warning[misspelt-path]: Puppet takes a path literally: `nodes/*.yaml` is not a pattern…
  - {name: b, glob: "nodes/*.yaml"}
#- /data/nodes/one.yaml
a: 1
"#,
        );
    }

    #[test]
    fn the_name_that_is_there() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: 'roles/%{facts.x}.yaml'}\n\
             #- /data/role/web.yaml\na: 1\n#- /.hiera-ls.yaml\ndiagnostics: {severity: {orphan-file: 'off'}}\n",
            "Write `role`",
            "version: 5\nhierarchy:\n  - {name: x, path: 'role/%{facts.x}.yaml'}\n",
        );
    }
}
