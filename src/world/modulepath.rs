//! Where an environment's modules are: `environment.conf`, `$basemodulepath`, and the modules found there.

use std::sync::Arc;

use indexmap::IndexMap;

use super::paths;
use super::snapshot::World;
use crate::config::environment_conf::{EnvironmentConf, is_glob};
use crate::config::glob;
use crate::config::module_metadata::{UnseenModule, unseen_module};
use crate::config::{EnvironmentRefusal, PuppetVersion};
use crate::data::{Files, PathKind};

/// Puppet's own code directory.
const CODEDIR: &str = "/etc/puppetlabs/code";
const CONFDIR: &str = "/etc/puppetlabs/puppet";

/// The usual directories of control repositories for the site's own modules. Only environment.conf adds them to the
/// modulepath.
const SITE_DIRECTORIES: [&str; 3] = ["site-modules", "site", "dist"];

/// The path of the `environment.conf` of the environment at `root`.
pub(super) fn conf_of(root: &str) -> String {
    paths::join(root, "environment.conf")
}

/// The module directories of the environment at `root`, in order of precedence; not all need to exist.
pub(super) fn modulepath(world: &World, root: &str) -> Vec<String> {
    // The setting replaces what environment.conf says, so its paths start where those of environment.conf do.
    if let Some(modulepath) = &world.settings().modulepath {
        return modulepath.iter().map(|directory| paths::join(root, directory)).collect();
    }
    let codedir = codedir(root);
    let codedir = codedir.as_deref();
    let text = world.text(&conf_of(root)).ok();
    let conf = text.as_deref().map(|text| EnvironmentConf::read(text, None));
    if let Some(written) = conf.as_ref().and_then(|it| it.value("modulepath")) {
        let entries = split_path(written, cfg!(windows));
        let of_entry = |it| directories_of(world, (root, codedir), it);
        return entries.flat_map(of_entry).collect();
    }
    let mut directories = vec![paths::join(root, "modules")];
    directories.extend(basemodulepath(world, codedir));
    directories
}

/// The directory of a module that is in one of the usual places, but not in the modulepath, so that Puppet does not know it.
pub(super) fn module_outside(files: &dyn Files, root: &str, name: &str) -> Option<String> {
    let places = SITE_DIRECTORIES.iter().map(|it| paths::join(root, &format!("{it}/{name}")));
    { places }.find(|it| is_module_name(name) && files.kind(it) == PathKind::Directory)
}

/// The main manifest of the environment at `root`, or the directory that contains its manifests.
pub(super) fn manifest_of(files: &dyn Files, root: &str) -> String {
    let text = files.text(&conf_of(root)).ok();
    let conf = text.as_deref().map(|text| EnvironmentConf::read(text, None));
    paths::join(root, conf.as_ref().and_then(|it| it.value("manifest")).unwrap_or("manifests"))
}

/// The modules in `directories` that Puppet sees, by name, and the error with which it refuses all of them.
pub(super) fn modules(
    files: &dyn Files,
    directories: &[String],
    puppet: PuppetVersion,
) -> (IndexMap<Arc<str>, Arc<str>>, Option<EnvironmentRefusal>) {
    let mut modules = directories_of_modules(files, directories);
    let mut refusal = None;
    modules.retain(|name, directory| {
        let Some(unseen) = unseen_by_puppet(files, name, directory, puppet) else { return true };
        let UnseenModule { error_class, message, .. } = unseen;
        refusal = refusal.take().or_else(|| {
            let (file, message) = ("metadata.json", message.into());
            error_class.map(|class| EnvironmentRefusal { file, class, message })
        });
        false
    });
    (modules, refusal)
}

/// Why Puppet does not see the module in this directory.
pub(super) fn unseen_by_puppet(
    files: &dyn Files,
    name: &str,
    directory: &str,
    puppet: PuppetVersion,
) -> Option<UnseenModule> {
    let text = files.text(&paths::join(directory, "metadata.json")).ok()?;
    unseen_module(name, &text, puppet)
}

/// The directories of modules in `directories`, by name. The first of a name wins, even if Puppet does not see it.
pub(super) fn directories_of_modules(
    files: &dyn Files,
    directories: &[String],
) -> IndexMap<Arc<str>, Arc<str>> {
    let mut modules = IndexMap::new();
    for directory in directories {
        for item in files.list(directory).iter() {
            if item.is_directory && is_module_name(&item.name) {
                let path = || Arc::from(paths::join(directory, &item.name));
                // The first directory of the modulepath that has the module wins.
                modules.entry(item.name.clone()).or_insert_with(path);
            }
        }
    }
    modules
}

/// The directory that contains `environments`, for an environment in such a directory.
pub(super) fn codedir(root: &str) -> Option<String> {
    let environments = paths::parent(root)?;
    let is_among_others = paths::file_name(environments) == "environments";
    is_among_others.then(|| paths::parent(environments).unwrap_or("/").to_owned())
}

/// Puppet accepts only directories with these names as modules: `[a-z][a-z0-9_]*`.
fn is_module_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|it| it.is_ascii_lowercase())
        && bytes.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
}

/// Splits at `:` as Puppet does, so that an empty name is the environment's own directory, unless it is the last. On Windows,
/// Puppet splits at `;`, but most repositories there are for servers with Linux.
fn split_path(path: &str, is_windows: bool) -> impl Iterator<Item = &str> {
    let separator = if is_windows && path.contains(';') { ';' } else { ':' };
    let path = path.trim_end_matches(separator);
    path.split(separator).filter(move |_| !path.is_empty())
}

/// The directories that an entry of the modulepath means.
fn directories_of(
    world: &World,
    (root, codedir): (&str, Option<&str>),
    entry: &str,
) -> Vec<String> {
    if matches!(entry, "$basemodulepath" | "${basemodulepath}") {
        return basemodulepath(world, codedir);
    }
    let is_glob = is_glob(entry);
    match entry.starts_with('$') {
        // Puppet expands globs before variables, so such a path leads nowhere.
        true if is_glob => Vec::new(),
        true => vec![paths::join(root, &with_variables(entry, root, codedir))],
        false if is_glob => {
            let found = glob::glob_directories(world, &paths::join(root, entry));
            found.iter().map(ToString::to_string).collect()
        }
        false => vec![paths::join(root, entry)],
    }
}

/// The path with Puppet's settings in place of their names. `$environment` stays: Puppet does not replace it here.
fn with_variables(entry: &str, root: &str, codedir: Option<&str>) -> String {
    let replaced = [
        ("codedir", codedir.unwrap_or(CODEDIR)),
        ("confdir", CONFDIR),
        ("environmentpath", paths::parent(root).unwrap_or_default().trim_end_matches('/')),
    ];
    replaced.iter().fold(entry.to_owned(), |text, (name, value)| {
        text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
    })
}

/// The directories of the setting, which start where other paths of the settings do. Its default contains Puppet's own code
/// directory; for an environment in another code directory, it is that one.
fn basemodulepath(world: &World, codedir: Option<&str>) -> Vec<String> {
    let directories = world.settings().basemodulepath.iter().map(|directory| {
        // A copy of a code directory, as in a checkout, has the modules that the machine's own directory would have.
        let of_copy = codedir
            .and_then(|codedir| Some(paths::join(codedir, paths::below(CODEDIR, directory)?)));
        of_copy.unwrap_or_else(|| world.settings_path(directory))
    });
    directories.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::world::MemoryDisk;

    #[track_caller]
    fn check(root: &str, files: &[(&str, &str)], expected: &[&str]) {
        let disk = MemoryDisk::new(files.iter().copied());
        let world = World::on_disk(Arc::new(disk), Vec::new(), Settings::default());
        assert_eq!(modulepath(&world, root), expected);
    }

    const SYSTEM: &str = "/opt/puppetlabs/puppet/modules";

    #[test]
    fn environment_conf_decides() {
        let conf = "# comment\nmodulepath = site-modules:modules:$basemodulepath\nmanifest = x\n";
        check(
            "/r",
            &[("/r/environment.conf", conf)],
            &["/r/site-modules", "/r/modules", "/etc/puppetlabs/code/modules", SYSTEM],
        );
        let conf = "[main]\n  modulepath='/abs:./m/../n:$codedir/x'  \n";
        check(
            "/c/environments/p",
            &[("/c/environments/p/environment.conf", conf)],
            &["/abs", "/c/environments/p/n", "/c/x"],
        );
    }

    #[test]
    fn without_environment_conf_modules_and_the_base_path_count() {
        check("/r", &[], &["/r/modules", "/etc/puppetlabs/code/modules", SYSTEM]);
        check("/c/environments/p", &[], &["/c/environments/p/modules", "/c/modules", SYSTEM]);
        check(
            "/r",
            &[("/r/site/role/x.pp", "")],
            &["/r/modules", "/etc/puppetlabs/code/modules", SYSTEM],
        );
    }

    #[test]
    fn paths_of_settings_start_in_their_directory_or_in_the_environment() {
        let directories = |settings: Settings| {
            let settings = Settings { directory: Some("/c".into()), ..settings };
            let world =
                World::on_disk(Arc::new(MemoryDisk::new([("/x", "")])), Vec::new(), settings);
            modulepath(&world, "/c/environments/p")
        };
        let paths = || ["shared", "/etc/puppetlabs/code/x", "../y"].map(Arc::from).to_vec();
        let base = Settings { basemodulepath: paths(), ..Settings::default() };
        assert_eq!(directories(base), ["/c/environments/p/modules", "/c/shared", "/c/x", "/y"]);
        let whole = Settings { modulepath: Some(paths()), ..Settings::default() };
        let expected = ["/c/environments/p/shared", "/etc/puppetlabs/code/x", "/c/environments/y"];
        assert_eq!(directories(whole), expected);
    }

    #[test]
    fn the_modulepath_is_split_as_by_puppet() {
        let check = |written: &str, expected: &[&str]| {
            let conf = format!("modulepath = {written}\n");
            let files = [
                ("/r/environment.conf", &*conf),
                ("/r/teams/b/modules/m/x", ""),
                ("/r/teams/a/modules/m/x", ""),
                ("/r/teams/c/modules", "a file"),
            ];
            check("/r", &files, expected);
        };
        check("site : modules", &["/r/site ", "/r/ modules"]);
        check("site;modules", &["/r/site;modules"]);
        check(":site::", &["/r", "/r/site"]);
        check("", &[]);
        check("teams/*/modules:x", &["/r/teams/a/modules", "/r/teams/b/modules", "/r/x"]);
        check("teams/[bc]/modules:nosuch*", &["/r/teams/b/modules"]);
        check("$codedir/*/x:x", &["/r/x"]);
        check("site {owner = root}", &["/r/site"]);
        check("teams/a{}/modules:b{c", &["/r/teams/a/modules"]);
        check("$environmentpath/r/x:y/$environment", &["/r/x", "/r/y/$environment"]);
        let split = |it| split_path("C:/x;y", it).collect::<Vec<_>>();
        assert_eq!((split(true), split(false)), (vec!["C:/x", "y"], vec!["C", "/x;y"]));
    }

    #[test]
    fn the_first_module_of_a_name_wins() {
        let metadata = "{\"name\": \"x-hidden\"}";
        let files = [
            ("/a/one/x", ""),
            ("/b/one/x", ""),
            ("/b/two/x", ""),
            ("/b/Not-One/x", ""),
            ("/b/file", ""),
            // Puppet does not see it, and does not look for another one.
            ("/a/hidden/metadata.json", metadata),
            ("/b/hidden/x", ""),
            ("/b/broken/metadata.json", "{"),
        ];
        let disk = MemoryDisk::new(files);
        let world = World::on_disk(Arc::new(disk), Vec::new(), Settings::default());
        let check = |puppet, expected: &[(&str, &str)]| {
            let (found, _) = modules(&*world, &["/a".to_owned(), "/b".to_owned()], puppet);
            let found: Vec<_> = found.iter().map(|(name, path)| (&**name, &**path)).collect();
            assert_eq!(found, expected);
        };
        let seen = [("one", "/a/one"), ("broken", "/b/broken"), ("two", "/b/two")];
        check(PuppetVersion::V7, &seen);
        check(PuppetVersion::V8, &[seen[0], seen[2]]);
    }
}
