//! Where modules and environments define their types, in one snapshot.

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use regex::Regex;

use super::indexes::key_of;
use super::shards::Shards;
use super::snapshot::World;
use super::texts::Texts;
use super::{modulepath, paths};
use crate::config::Environment;
use crate::data::puppet_type::{AliasFile, AliasFiles, TypeAliases};
use crate::data::{Files as _, PathKind};

/// The aliases of the environments that were used.
pub(super) type AliasCache = Shards<OnceLock<Arc<TypeAliases>>>;

impl World {
    /// The type aliases of an environment and its modules; each is loaded when a type first names it.
    pub fn type_aliases(&self, environment: &Environment) -> Arc<TypeAliases> {
        let slot = self.type_aliases.slot(&key_of(environment));
        slot.get_or_init(|| {
            TypeAliases::new(Box::new(TypeFiles {
                texts: self.texts.clone(),
                modules: self.code_roots(environment).modules.into_iter().collect(),
                environment: environment.root.clone(),
            }))
        })
        .clone()
    }

    /// The type aliases of the modules in these directories; the first module of a name wins.
    pub fn type_aliases_in(&self, directories: &[String]) -> Arc<TypeAliases> {
        let (modules, _) = modulepath::modules(self, directories, self.settings().puppet_version);
        let texts = self.texts.clone();
        TypeAliases::new(Box::new(TypeFiles { texts, modules, environment: None }))
    }
}

/// Whether a change of `path` may change type definitions.
pub(super) fn may_define_types(path: &str) -> bool {
    paths::file_name(path) == "metadata.json" || path.contains("/lib/puppet/type/")
}

/// The directories of modules, and of an environment's own types.
struct TypeFiles {
    // The texts instead of the world, which would otherwise keep itself in memory.
    texts: Texts,
    modules: IndexMap<Arc<str>, Arc<str>>,
    environment: Option<Arc<str>>,
}

impl AliasFiles for TypeFiles {
    fn alias(&self, name: &str) -> Option<AliasFile> {
        // An alias without a module can only be one of the environment.
        let (first, rest) = name.split_once("::").unwrap_or(("", name));
        let directory = match (first, &self.environment) {
            ("", environment) => environment.as_ref()?,
            ("environment", Some(environment)) => environment,
            (module, _) => self.modules.get(module)?,
        };
        let below = if first == "environment" { "types/environment" } else { "types" };
        let path = format!("{directory}/{below}/{}.pp", rest.replace("::", "/"));
        let text = self.texts.text(&path).ok()?.to_string();
        Some(AliasFile { path, text })
    }

    fn is_resource_type(&self, name: &str) -> bool {
        let below = format!("lib/puppet/type/{}.rb", name.replace("::", "/"));
        let is_there = |module: &Arc<str>| self.is_file(&format!("{module}/{below}"));
        // A defined type is a resource type as well.
        self.modules.values().any(is_there) || self.is_define(name)
    }
}

impl TypeFiles {
    fn is_define(&self, name: &str) -> bool {
        let (module, rest) = name.split_once("::").unwrap_or((name, "init"));
        let Some(directory) = self.modules.get(module) else { return false };
        let path = format!("{directory}/manifests/{}.pp", rest.replace("::", "/"));
        self.texts.text(&path).is_ok_and(|text| defines(&text, name))
    }

    fn is_file(&self, path: &str) -> bool {
        self.texts.kind(path) == PathKind::File
    }
}

/// Whether a line of a manifest starts with the definition of this resource type.
fn defines(text: &str, name: &str) -> bool {
    // A search for the line is enough. Parsing all files that types name would take too long.
    let pattern = format!(r"(?mi)^\s*define\s+(::)?{}\b", regex::escape(name));
    Regex::new(&pattern).is_ok_and(|it| it.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;
    use crate::data::puppet_type::{evaluate, fit};
    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn a_define_is_a_resource_type() {
        assert!(defines("# a\ndefine a::b (\n) { }\n", "a::b"));
        assert!(!defines("# define a::b is gone\nclass a::b { }\n", "a::b"));
        assert!(!defines("define a::bc { }\n", "a::b"));
    }

    #[track_caller]
    fn check(world: &World, wanted: &str, value: i64, message: Option<&str>) {
        let aliases = world.type_aliases(&world.environments()[0]);
        let wanted = evaluate(wanted, &aliases).expect("a type");
        let found = fit(&wanted, &Value::Integer(value)).expect("no failure");
        assert_eq!(found.message.as_deref(), message);
    }

    #[test]
    fn types_of_modules_and_of_the_environment_change_with_their_files() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/modules/m/types/port.pp", "type M::Port = Integer[0, 10]"),
            ("/r/modules/hidden/types/port.pp", "type Hidden::Port = Integer[0, 10]"),
            ("/r/modules/hidden/metadata.json", "{\"name\": \"a-hidden\"}"),
            ("/r/types/own.pp", "type Own = Variant[M::Port, Array[Own]]"),
            ("/r/types/environment/x.pp", "type Environment::X = Own"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let refused = "expects a M::Port = Integer[0, 10] value, got Integer[11, 11]";
        check(&host.snapshot(), "M::Port", 11, Some(refused));
        check(&host.snapshot(), "Environment::X", 7, None);
        let world = host.snapshot();
        let aliases = world.type_aliases(&world.environments()[0]);
        assert!(evaluate("Hidden::Port", &aliases).is_err());
        let path = "/r/modules/m/types/port.pp".to_owned();
        let text = "type M::Port = Integer[0, 20]".to_owned();
        host.apply(Change::OpenBuffer { path, text, version: 1 });
        check(&host.snapshot(), "M::Port", 11, None);
    }

    #[test]
    fn the_first_module_of_a_name_wins() {
        let files = [
            ("/a/m/types/t.pp", "type M::T = Integer[1]"),
            ("/b/m/types/t.pp", "type M::T = String"),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let world = World::on_disk(disk, Vec::new(), Settings::default());
        let aliases = world.type_aliases_in(&["/a".to_owned(), "/b".to_owned()]);
        let wanted = evaluate("M::T", &aliases).expect("a type");
        assert!(wanted.is_instance(&Value::Integer(1)));
    }
}
