//! `path-without-extension`: Hiera 5 uses paths as they are. Only certain cases are reported: the path, or all files beside
//! it, exist with an extension and not without.

use crate::config::hiera_yaml::Locations;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::config::path_empty_becomes_datadir;
use crate::ide::diagnostics::entry::malformed_token::begins_with_number;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::known_keys::{directory_of, is_file_backend};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::text::TextEdit;
use crate::world::{World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "path-without-extension",
    name: "Path without extension",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A path of a level has no extension; Hiera 5 adds none.",
    page: include_str!("../../../../docs/rules/path-without-extension.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

const EXTENSIONS: [&str; 5] = ["yaml", "yml", "eyaml", "json", "conf"];

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let templates = match &level.locations {
            Locations::Paths(templates) if is_file_backend(level) => &**templates,
            Locations::MappedPaths(parts) if is_file_backend(level) => &parts[2..],
            _ => continue,
        };
        let Some(directory) = directory_of(world, config, level) else { continue };
        for template in templates {
            let (Some(text), Some(place)) = (template.value.as_str(), template.place) else {
                continue;
            };
            // Another rule reports names that fail in any path.
            let fails =
                interpolation::tokens(text).iter().any(|it| begins_with_number(it).is_some());
            if fails || report.holds(&path_empty_becomes_datadir::RULE, place.range) {
                continue;
            }
            if let Some(extension) = missing_extension(world, &directory, text) {
                let message = format!(
                    "there is no file `{text}`\nHiera 5 adds no extension to a path. Write `{text}.{extension}`."
                );
                let finding = report.add_once(&RULE, RULE.severity, place.range, message);
                let written = place.range.slice(&config.text);
                if let (Some(finding), Some(at)) = (finding, written.find(text)) {
                    let end = place.range.start + (at + text.len()) as u32;
                    let edit = TextEdit::insert(end, format!(".{extension}"));
                    let title = format!("Write `{text}.{extension}`");
                    finding.with_fix(Fix::changing(title, vec![edit]));
                }
            }
        }
    }
}

/// The extension of the files that are probably meant.
fn missing_extension(world: &World, directory: &str, template: &str) -> Option<&'static str> {
    let (parent, name) = template.rsplit_once('/').unwrap_or(("", template));
    if parent.contains("%{") || EXTENSIONS.contains(&paths::extension(name)) {
        return None;
    }
    let directory = paths::join(directory, parent);
    if !name.contains("%{") {
        let path = paths::join(&directory, name);
        let exists = |it: &&str| world.kind(&format!("{path}.{it}")) == PathKind::File;
        let is_missing = world.kind(&path) == PathKind::Missing;
        return EXTENSIONS.into_iter().find(exists).filter(|_| is_missing);
    }
    // The name of the file depends on the node, so its neighbours show which extension is meant.
    let items = world.list(&directory);
    let mut files = items.iter().filter(|it| !it.is_directory && !it.name.starts_with('.'));
    let first = paths::extension(&files.next()?.name).to_owned();
    let is_everywhere = files.all(|it| paths::extension(&it.name) == first);
    EXTENSIONS.into_iter().find(|it| *it == first).filter(|_| is_everywhere)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn names_with_variables_are_judged_by_the_files() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - name: nodes
    path: "nodes/%{trusted.certname}"
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[path-without-extension]: there is no file `nodes/%{trusted.certname}` Hiera 5 adds no extension to a path. Write `nodes/%{trusted.certname}.yaml`.
  - {name: files, paths: ["files/%{facts.file}", none, "%{facts.dir}/x"]}
  - {name: mixed, paths: ["mixed/%{facts.file}"]}
  - {name: mapped, mapped_paths: [facts.all, one, "nodes/%{one}"]}
#                                                 ^^^^^^^^^^^^^^ warning[path-without-extension]
  - {name: other, mapped_paths: [facts.all, one, "nodes/%{one}"], data_hash: my::data}
#                                                                            ^^^^^^^^ information[unknown-backend]
#- /data/nodes/one.yaml
a: 1
#- /data/files/plain
a: 1
#- /data/mixed/a.json
{}
#- /data/mixed/b.yaml
a: 1
"#,
        );
    }

    #[test]
    fn the_extension_is_added() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: 'common'}\n#- /data/common.yaml\na: 1\n",
            "Write `common.yaml`",
            "version: 5\nhierarchy:\n  - {name: x, path: 'common.yaml'}\n",
        );
    }
}
