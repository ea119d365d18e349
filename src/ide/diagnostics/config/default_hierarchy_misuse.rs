//! `default-hierarchy-misuse`: things that a module's `default_hierarchy` cannot do.
//!
//! Puppet reads it only if no ordinary level of any layer has the key. Its values are never merged with others, and only its
//! own `lookup_options` apply to it.

use std::sync::Arc;

use crate::config::HieraYaml;
use crate::config::hiera_yaml::{Level, Locations};
use crate::data::{Files as _, Located, Place, RootEntry, Value};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::known_keys::fixed_part;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::world::{DataPlace, KeyIndex, KeyPlace, Reach, World};

pub(crate) const RULE: Rule = Rule {
    code: "default-hierarchy-misuse",
    name: "Default hierarchy without effect",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A path, a key or options in a module's default hierarchy, or meant for it, have no effect.",
    page: include_str!("../../../../docs/rules/default-hierarchy-misuse.md"),
    checks: &[Check::Config(check), Check::File(check_data)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let config = at.config;
    for level in &config.default_hierarchy {
        for template in templates(level) {
            let Some(place) = template.place else { continue };
            let Some(other) = same_template(config, level, template) else { continue };
            let message = "the hierarchy reads this path already\n\
                           Puppet searches the default hierarchy only for keys that no ordinary level has. Remove the path from one of the two.";
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let message = "asked first".to_owned();
            finding.related.push(Related { path: None, range: other.range, message });
        }
    }
}

/// Checks the data of `module` in the file at `path`.
pub(crate) fn check_data(file: &FileContext<'_>, report: &mut Report) {
    let Some(file) = file.file else { return };
    let (Some(around), Some(module)) = (&file.around, file.module) else { return };
    let (world, environment, path, data) = (file.world, around.environment, file.path, file.data);
    let (reach, index) = (world.reach(environment), world.key_index(environment));
    let keys = DefaultKeys { world, reach: &reach, index: &index, module };
    let is_default = keys.is_in(path, true);
    let is_ordinary = keys.is_in(path, false);
    for entry in data.entries() {
        match entry.key.as_str() {
            // If both hierarchies read the file, its options apply to the keys of both.
            Some(LOOKUP_OPTIONS) if is_default != is_ordinary => {
                keys.check_options(entry, is_default, report);
            }
            Some(key) if is_default && !is_ordinary => keys.check_key(key, entry, report),
            _ => {}
        }
    }
}

/// The keys in the files of a module with a default hierarchy.
struct DefaultKeys<'a> {
    world: &'a Arc<World>,
    reach: &'a Reach,
    index: &'a KeyIndex,
    module: &'a str,
}

impl DefaultKeys<'_> {
    fn is_own(&self, place: &DataPlace) -> bool {
        place.module.as_deref() == Some(self.module)
    }

    /// Whether a level of the module's hierarchy, or of its default one, can lead to the file.
    fn is_in(&self, path: &str, is_default: bool) -> bool {
        self.reach.places_of(path).any(|it| it.is_default == is_default && self.is_own(it))
    }

    /// The files with the key in the module's hierarchy, or in its default one.
    fn holders(&self, key: &str, is_default: bool) -> Vec<KeyPlace> {
        let mut places = self.index.places(key);
        places.retain(|place| self.is_in(&place.path, is_default));
        places
    }

    /// Checks a key that an ordinary level has for every node.
    fn check_key(&self, key: &str, entry: &RootEntry, report: &mut Report) {
        let is_fixed = |place: &DataPlace| {
            self.is_own(place)
                && !place.is_default
                && fixed_part(place.location()) == place.location()
        };
        // A missing member of a hash or list is looked up in the default hierarchy, too.
        let has_members = |place: &KeyPlace| {
            let value = self.world.data(&place.path, place.format).ok();
            let value = value.and_then(|data| data.get(key).map(|it| it.value.value.clone()));
            matches!(value, None | Some(Value::Hash(_) | Value::Array(_)))
        };
        let mut holders = self.holders(key, false).into_iter();
        let always =
            holders.find(|it| self.reach.places_of(&it.path).any(is_fixed) && !has_members(it));
        let Some(always) = always else { return };
        let message = format!(
            "`{key}` is never found here: the module's hierarchy has it for every node\n\
             Puppet searches the default hierarchy only for keys that no other level has. Remove one of the two."
        );
        let finding = report.add_as(&RULE, RULE.severity, entry.key_place.range, message);
        let (path, message) = (Some(always.path), "asked first".to_owned());
        finding.related.push(Related { path, range: always.key, message });
    }

    /// Options of one hierarchy for keys of the other.
    fn check_options(&self, entry: &RootEntry, is_default: bool, report: &mut Report) {
        for (key, member) in entry.value.value.as_hash().into_iter().flat_map(|it| it.iter()) {
            let (Some(name), Some(place)) = (key.as_str(), member.key_place) else { continue };
            let options = member.value.value.as_hash();
            if is_default && options.is_some_and(|it| it.get("convert_to").is_some()) {
                let message = "this `convert_to` has no effect: Puppet converts no value as options of a default hierarchy say\n\
                     Move it to the lookup_options of the hierarchy.";
                report.add_as(&RULE, RULE.severity, place.range, message);
            }
            let merges = options.is_some_and(|it| it.get("merge").is_some());
            // A pattern may be for keys of both hierarchies.
            if name.starts_with('^') || !merges || !self.holders(name, is_default).is_empty() {
                continue;
            }
            let others = self.holders(name, !is_default);
            let message = if is_default {
                "this merge has no effect: lookup_options of a default hierarchy only apply to its own keys\n\
                 Move them to a file of the hierarchy."
            } else {
                "this merge has no effect for the values of the default hierarchy\n\
                 They are merged as its own lookup_options say. Move these to one of its files."
            };
            // A single value of the default hierarchy needs no merge. One of the hierarchy may be merged with those of
            // other layers.
            let is_merged = if is_default { !others.is_empty() } else { others.len() > 1 };
            if is_merged {
                let finding = report.add_as(&RULE, RULE.severity, place.range, message);
                let related = |it: KeyPlace| Related {
                    path: Some(it.path),
                    range: it.key,
                    message: "a value of the key".to_owned(),
                };
                finding.related.extend(others.into_iter().map(related));
            }
        }
    }
}

fn same_template(config: &HieraYaml, level: &Level, template: &Located) -> Option<Place> {
    let is_same =
        |it: &&Level| it.datadir == level.datadir && it.function.name == level.function.name;
    // With another datadir, the same template leads to other files.
    let mut others = config.hierarchy.iter().filter(is_same).flat_map(templates);
    others.find(|it| it.value == template.value)?.place
}

fn templates(level: &Level) -> &[Located] {
    match &level.locations {
        Locations::Paths(templates) | Locations::Globs(templates) => templates,
        Locations::MappedPaths(_) | Locations::Uris(_) | Locations::None => &[],
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn the_same_path_in_both() {
        check(
            r#"
#- /modules/m/hiera.yaml
version: 5
hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: common, path: common.yaml}
default_hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml", datadir: defaults}
  - {name: common, path: common.yaml}
#                        ^^^^^^^^^^^ warning[default-hierarchy-misuse]: the hierarchy reads this path already…
  - {name: defaults, path: defaults.yaml}
#- /modules/m/data/common.yaml
m::a: 1
#- /modules/m/data/defaults.yaml
m::b: 1
#- /modules/m/data/os/Debian.yaml
m::c: 1
#- /modules/m/defaults/os/Debian.yaml
m::c: 1
"#,
        );
    }

    #[test]
    fn the_other_level_is_shown() {
        check_related(
            r"
#- /modules/m/hiera.yaml
version: 5
hierarchy: [{name: x, path: a.yaml}]
default_hierarchy: [{name: y, path: a.yaml}]
#- /modules/m/data/a.yaml
m::a: 1
",
            "default-hierarchy-misuse",
            &["/modules/m/hiera.yaml: a.yaml: asked first"],
        );
    }

    const MODULE: &str = r#"
#- /modules/m/hiera.yaml
version: 5
hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: common, path: common.yaml}
default_hierarchy:
  - {name: defaults, paths: [one.yaml, two.yaml]}
"#;

    #[test]
    fn keys_that_the_hierarchy_has_for_every_node() {
        let fixture = format!(
            "{MODULE}{}",
            r"
#- /modules/m/data/common.yaml
m::aa: 1
m::hash: {a: 1}
m::list: [1]
#- /modules/m/data/os/Debian.yaml
m::os: 1
#- /modules/m/data/one.yaml
m::aa: 2
#^^^^ warning[default-hierarchy-misuse]: `m::aa` is never found here: the module's hierarchy has it for every node…
m::hash: {b: 1}
m::list: [1, 2]
m::os: 2
m::own: 1
#- /data/common.yaml
m::own: 2
"
        );
        check(&fixture);
        let shown = ["/modules/m/data/common.yaml: m::aa: asked first"];
        check_related(&fixture, "default-hierarchy-misuse", &shown);
    }

    /// Puppet takes `convert_to` only from the options of the hierarchies that it searches first.
    #[test]
    fn options_that_convert_nothing() {
        check(&format!(
            "{MODULE}{}",
            r"
#- /modules/m/data/os/Debian.yaml
m::os: 1
#- /modules/m/data/common.yaml
lookup_options:
  m::a: {convert_to: String}
#- /modules/m/data/one.yaml
lookup_options:
  m::a: {convert_to: String}
# ^^^^ warning[default-hierarchy-misuse]: this `convert_to` has no effect…
  ^m::b: {convert_to: Array}
# ^^^^^ warning[default-hierarchy-misuse]
m::a: 1
m::b: 1
"
        ));
    }

    #[test]
    fn options_that_merge_nothing() {
        let fixture = format!(
            "{MODULE}{}",
            r"
#- /modules/m/data/common.yaml
lookup_options:
  m::aa: {merge: unique}
# ^^^^^ warning[default-hierarchy-misuse]: this merge has no effect for the values of the default hierarchy…
  m::b: {merge: unique}
  m::c: {convert_to: Array}
  m::d: {merge: unique}
m::b: [1]
m::e: [1]
#- /modules/m/data/os/Debian.yaml
m::os: 1
#- /modules/m/data/one.yaml
lookup_options:
  m::e: {merge: unique}
# ^^^^ warning[default-hierarchy-misuse]: this merge has no effect: lookup_options of a default hierarchy only apply to its own…
  m::c: {merge: unique}
m::aa: [1]
m::c: [1]
m::d: [1]
#- /modules/m/data/two.yaml
m::aa: [2]
m::b: [2]
m::c: [2]
"
        );
        check(&fixture);
        check_related(
            &fixture,
            "default-hierarchy-misuse",
            &[
                "/modules/m/data/one.yaml: m::aa: a value of the key",
                "/modules/m/data/two.yaml: m::aa: a value of the key",
                "/modules/m/data/common.yaml: m::e: a value of the key",
            ],
        );
    }
}
