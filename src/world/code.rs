//! The Puppet code of an environment in one snapshot, parsed on demand, and again only where it changed.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use super::indexes::key_of;
use super::modulepath::manifest_of;
use super::shards::Shards;
use super::snapshot::World;
use super::{parallel, paths};
use crate::code::roots::{CodeRoots, files_of_class, is_code};
use crate::code::summary::known_as;
use crate::code::{ClassCode, CodeFile, CodeIndex};
use crate::config::Environment;
use crate::data::{Files, PathKind};
use crate::syntax::puppet::DeclarationKind;

/// Parts of the names of functions that look something up or include classes, and of resources that are classes.
const CALLS: [&str; 6] = ["lookup", "hiera", "include", "contain", "require", "class"];

/// The indexes of the environments that were used.
pub(super) type CodeCache = Shards<KeptIndex>;

/// The index of one environment.
#[derive(Debug, Default)]
pub(super) struct KeptIndex {
    here: OnceLock<Arc<CodeIndex>>,
    /// The index before some of its files changed, and these files.
    earlier: Option<(Arc<CodeIndex>, BTreeSet<Arc<str>>)>,
}

impl KeptIndex {
    /// What remains after `edited` files changed.
    fn after_edit(&self, edited: &[&Arc<str>]) -> Self {
        // If nobody used the slot since an earlier edit, that edit's files are still not parsed again, so edits in a row add up.
        let (index, mut changed) = match (self.here.get(), &self.earlier) {
            (Some(index), _) => (index.clone(), BTreeSet::new()),
            (None, Some(earlier)) => earlier.clone(),
            (None, None) => return Self::default(),
        };
        changed.extend(edited.iter().map(|it| Arc::clone(it)));
        Self { here: OnceLock::new(), earlier: Some((index, changed)) }
    }
}

impl World {
    /// The file of code at `path`; `None` if it cannot be read.
    pub fn code_file(&self, path: &str) -> Option<Arc<CodeFile>> {
        self.texts.file(path).ok().map(|file| file.code().clone())
    }

    /// The code of an environment. The first call parses all of it; after an edit, only the edited files are parsed again.
    pub fn code_index(&self, environment: &Environment) -> Arc<CodeIndex> {
        let slot = self.code.slot(&key_of(environment));
        let edited =
            || slot.earlier.as_ref().and_then(|(index, changed)| self.edited(index, changed));
        let make = || Arc::new(edited().unwrap_or_else(|| self.build_code_index(environment)));
        slot.here.get_or_init(make).clone()
    }

    /// The caches after `paths` changed, which are those that may contain code.
    pub(super) fn code_after(&self, before: &Self, paths: &[&Arc<str>]) -> Arc<CodeCache> {
        let is_file = |world: &Self, path: &str| world.kind(path) == PathKind::File;
        let is_edit =
            |path: &&&Arc<str>| is_code(path) && is_file(before, path) && is_file(self, path);
        if paths.is_empty() {
            before.code.clone()
        } else if paths.iter().all(|it| is_edit(&it)) {
            Arc::new(before.code.changed(|_, slot| Some(Arc::new(slot.after_edit(paths)))))
        } else {
            Arc::default()
        }
    }

    /// The index with the `changed` files parsed again; `None` if it does not contain one of them.
    fn edited(&self, index: &CodeIndex, changed: &BTreeSet<Arc<str>>) -> Option<CodeIndex> {
        let mut files = index.files().to_vec();
        for path in changed {
            // The index lacks a file that could not be read when it was built. Only a new search tells where it belongs.
            let at = files.binary_search_by(|(known, _)| known.cmp(path)).ok()?;
            files[at].1 = self.texts.file(path).ok()?.code_summary().clone();
        }
        Some(CodeIndex::new(files))
    }

    /// The class of this name that Puppet loads: its file, and the index of its declaration in the file. A class of the main
    /// manifest wins; otherwise only the files are read in which Puppet looks for it.
    pub fn loaded_class(
        &self,
        environment: &Environment,
        name: &str,
    ) -> Option<(Arc<str>, Arc<CodeFile>, usize)> {
        self.loaded(environment, DeclarationKind::Class, name)
    }

    /// [`Self::loaded_class`] for a class, a defined type or a function.
    pub(super) fn loaded(
        &self,
        environment: &Environment,
        kind: DeclarationKind,
        name: &str,
    ) -> Option<(Arc<str>, Arc<CodeFile>, usize)> {
        // Puppet loads the main manifest before any other code, so a class in it hides the file that its name leads to.
        let main =
            CodeRoots { modules: Vec::new(), environment: None, ..self.code_roots(environment) };
        let mut files = main.files(self, &mut self.directories_met_once());
        let candidates = files_to_load(environment, kind, name).into_iter();
        files.extend(candidates.filter(|it| self.texts.is_file(it)).map(Arc::from));
        files.into_iter().find_map(|path| {
            let file = self.code_file(&path)?;
            let index = file.declaration_of(kind, name)?;
            Some((path, file, index))
        })
    }

    /// [`Self::loaded_class`] as a [`ClassCode`].
    pub fn class_code(&self, environment: &Environment, name: &str) -> Option<ClassCode> {
        let name = known_as(DeclarationKind::Class, name);
        let (path, file, index) = self.loaded_class(environment, &name)?;
        ClassCode::of(path, file, index)
    }

    /// Whether the module of a class that [`Self::class_code`] does not find is here and certainly does not have it: Puppet would
    /// find it only in files that are not there, or that were read completely. No class has a name with an empty part.
    pub(super) fn lacks_class(&self, environment: &Environment, name: &str) -> bool {
        let module = name.split("::").next().and_then(|it| environment.modules.get(it));
        let is_read = |path: &String| match self.kind(path) {
            PathKind::Missing => true,
            _ => self.code_file(path).is_some_and(|it| it.manifest.errors.is_empty()),
        };
        let has_empty_part = name.split("::").any(str::is_empty);
        has_empty_part
            || module.is_some_and(|it| self.may_read_in(it))
                && self.may_read_main_manifest(environment)
                && files_to_load(environment, DeclarationKind::Class, name).iter().all(is_read)
    }

    /// Whether a file of code is a main manifest of the environment.
    pub fn is_main_manifest(&self, environment: &Environment, path: &str) -> bool {
        let main = environment.root.as_ref().map(|root| manifest_of(self, root));
        main.is_some_and(|main| paths::below(&main, path).is_some())
    }

    /// Whether the environment's main manifest, which is a directory or a file, may be read or is not there.
    pub fn may_read_main_manifest(&self, environment: &Environment) -> bool {
        let Some(path) = self.code_roots(environment).manifests else { return true };
        match self.kind(&path) {
            PathKind::Directory => self.may_read_in(&path),
            PathKind::File => self.may_read_in(paths::parent(&path).unwrap_or_default()),
            PathKind::Missing => true,
        }
    }

    /// The locations of an environment's code.
    pub fn code_roots(&self, environment: &Environment) -> CodeRoots {
        let modules = environment.modules.iter();
        let mut modules: Vec<_> =
            modules.map(|(name, path)| (name.clone(), path.clone())).collect();
        if environment.root.is_none() {
            // A module on its own comes first among the modules. Its tests link to others, which its code may use.
            let linked = modules.first().map(|(_, path)| fixtures(self, path)).unwrap_or_default();
            let is_new = |name: &Arc<str>| !environment.modules.contains_key(name);
            modules.extend(linked.into_iter().filter(|(name, _)| is_new(name)));
        }
        let manifests = environment.root.as_ref().map(|root| manifest_of(self, root).into());
        CodeRoots { manifests, environment: environment.root.clone(), modules }
    }

    /// The variables of functions that look something up or include classes. Puppet calls functions in the top scope, so such a lookup
    /// sees their variables as those of that scope, and so do the lookups of parameters.
    pub(super) fn variables_of_functions(&self, environment: &Environment) -> HashSet<Arc<str>> {
        let roots = self.code_roots(environment);
        let mut variables = HashSet::new();
        for path in roots.functions(self, &mut self.directories_met_once()) {
            let calls = |text: &Arc<str>| CALLS.iter().any(|it| text.contains(it));
            // Most functions compute something, and need not be parsed for this.
            if !self.text(&path).is_ok_and(|it| calls(&it)) {
                continue;
            }
            let Some(file) = self.code_file(&path) else { continue };
            let manifest = &file.manifest;
            if manifest.calls.is_empty() && manifest.resources.is_empty() {
                continue;
            }
            let functions =
                manifest.declarations.iter().filter(|it| it.kind == DeclarationKind::Function);
            let parameters = functions.flat_map(|it| &it.parameters).map(|it| &it.name);
            let assigned = manifest.assigned.iter().map(|it| &it.name);
            variables.extend(assigned.chain(parameters).map(|it| it.as_str().into()));
        }
        variables
    }

    /// Returns false for a directory that was already visited by another path, because links can form cycles.
    pub(crate) fn directories_met_once(&self) -> impl FnMut(&str) -> bool {
        let mut met = HashSet::new();
        move |directory| {
            let real = self.texts.base.real_path(directory);
            met.insert(real.unwrap_or_else(|| directory.to_owned()))
        }
    }

    fn build_code_index(&self, environment: &Environment) -> CodeIndex {
        let mut is_new = self.directories_met_once();
        let files = self.code_roots(environment).files(self, &mut is_new);
        let summaries = parallel::map(&files, |path| {
            let file = self.texts.file(path).ok()?;
            Some(file.code_summary().clone())
        });
        let found = files.into_iter().zip(summaries);
        CodeIndex::new(found.filter_map(|(path, it)| Some((path, it?))).collect())
    }
}

/// The files outside of the main manifest that may declare a class, a defined type or a function, in Puppet's order.
fn files_to_load(environment: &Environment, kind: DeclarationKind, name: &str) -> Vec<String> {
    let namespace = name.split("::").next().unwrap_or_default();
    let is_function = kind == DeclarationKind::Function;
    let home = match &environment.root {
        // Functions of the environment itself are in this namespace.
        Some(root) if is_function && namespace == "environment" => Some(root),
        _ => environment.modules.get(namespace),
    };
    let Some(home) = home else { return Vec::new() };
    let mut files = files_of_class(name);
    if is_function {
        // A function is only in the file of its own name.
        files.truncate(1);
        return files.iter().map(|it| format!("{home}/functions/{it}")).collect();
    }
    files.iter().map(|it| format!("{home}/manifests/{it}")).collect()
}

/// Whether a change of `path` may change the code of an environment.
pub(super) fn may_hold_code(path: &str, before: &World, after: &World) -> bool {
    let is_directory = |world: &World| world.kind(path) == PathKind::Directory;
    is_code(path)
        || paths::file_name(path) == ".fixtures.yml"
        || is_directory(before)
        || is_directory(after)
}

/// The modules that a module's tests link to: `symlinks` in `.fixtures.yml`.
fn fixtures(world: &World, module: &str) -> Vec<(Arc<str>, Arc<str>)> {
    let text = world.text(&paths::join(module, ".fixtures.yml")).ok();
    let read = text.and_then(|it| serde_yaml::from_str::<serde_yaml::Value>(&it).ok());
    let links = read.as_ref().and_then(|it| it.get("fixtures")?.get("symlinks")?.as_mapping());
    let links = links.into_iter().flatten().filter_map(|(name, target)| {
        let target = target.as_str()?.replace("#{source_dir}", module);
        Some((name.as_str()?.into(), paths::join(module, &target).into()))
    });
    links.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk};

    fn classes(world: &World) -> Vec<String> {
        let environment = world.environments()[0].clone();
        let names = world.code_index(&environment).names(DeclarationKind::Class);
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn code_of_modules_and_of_the_environment_is_found() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/manifests/a/site.pp", "class site { }"),
            ("/r/modules/m/manifests/a/b.pp", "class m::a::b { }"),
            ("/r/environment.conf", "modulepath = site:site-modules:modules\n"),
            ("/r/site-modules/profile/manifests/init.pp", "class profile { }"),
            ("/r/site/role/manifests/.hidden.pp", "class hidden { }"),
            ("/r/modules/m/files/x.pp", "class x { }"),
            ("/r/modules/m/templates/x.epp", "<%= lookup('in::template') %>"),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let world = World::on_disk(disk, vec!["/r".into()], Settings::default());
        assert_eq!(classes(&world), ["m::a::b", "profile", "site"]);
        let index = world.code_index(&world.environments()[0]);
        assert!(index.is_looked_up("in::template"));
    }

    #[test]
    fn environment_conf_names_the_main_manifest() {
        let files = [
            ("/r/environment.conf", "manifest = code/main.pp\n"),
            ("/r/manifests/site.pp", "class site { }"),
            ("/r/code/main.pp", "class main { }"),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let world = World::on_disk(disk, vec!["/r".into()], Settings::default());
        assert_eq!(classes(&world), ["main"]);
    }

    #[test]
    fn the_modules_that_tests_link_to_count() {
        let files = [
            ("/m/hiera.yaml", "version: 5\n"),
            ("/m/metadata.json", "{\"name\": \"a-m\"}"),
            ("/m/manifests/init.pp", "class m { }"),
            (
                "/m/.fixtures.yml",
                "fixtures: {symlinks: {n: '#{source_dir}/../n', m: '#{source_dir}'}}",
            ),
            ("/n/manifests/init.pp", "class n { }"),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let world = World::on_disk(disk, vec!["/m".into()], Settings::default());
        assert_eq!(classes(&world), ["m", "n"]);
    }

    #[test]
    fn an_edit_changes_the_index_and_one_of_data_leaves_it() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/manifests/site.pp", "class a { }"),
            ("/r/data/common.yaml", "a: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let index = |host: &Host| {
            let world = host.snapshot();
            world.code_index(&world.environments()[0])
        };
        let first = index(&host);
        let open = |path: &str, text: &str| Change::OpenBuffer {
            path: path.to_owned(),
            text: text.to_owned(),
            version: 1,
        };
        host.apply(open("/r/data/common.yaml", "a: 2\n"));
        assert!(Arc::ptr_eq(&first, &index(&host)));
        host.apply(open("/r/manifests/site.pp", "class b { }"));
        assert_eq!(classes(&host.snapshot()), ["b"]);
    }

    #[test]
    fn an_edited_index_is_that_of_a_workspace_opened_afresh() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/manifests/site.pp", "class a { lookup('x') }"),
            ("/r/modules/m/manifests/init.pp", "class m { lookup(\"m_${x}\") }"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let shown = |world: &World| {
            let index = world.code_index(&world.environments()[0]);
            let looked_up = ["x", "y", "m_1", "n_1"].map(|key| index.is_looked_up(key));
            (classes(world), looked_up, index.files().len())
        };
        assert_eq!(
            shown(&host.snapshot()),
            (vec!["a".into(), "m".into()], [true, false, true, false], 2)
        );
        let open = |path: &str, text: &str, version| Change::OpenBuffer {
            path: path.to_owned(),
            text: text.to_owned(),
            version,
        };
        // There is no request in between.
        host.apply(open("/r/manifests/site.pp", "class b { }", 1));
        host.apply(open("/r/modules/m/manifests/init.pp", "class m { lookup(\"n_${x}\") }", 1));
        host.apply(open("/r/manifests/site.pp", "class b { lookup('y') }", 2));
        assert_eq!(
            shown(&host.snapshot()),
            (vec!["b".into(), "m".into()], [false, true, false, true], 2)
        );
        host.apply(open("/r/modules/m/manifests/new.pp", "class m::new { }", 1));
        let classes_now = vec!["b".into(), "m".into(), "m::new".into()];
        assert_eq!(shown(&host.snapshot()), (classes_now, [false, true, false, true], 3));
        host.apply(Change::CloseBuffer { path: "/r/modules/m/manifests/new.pp".to_owned() });
        assert_eq!(shown(&host.snapshot()).2, 2);
    }
}
