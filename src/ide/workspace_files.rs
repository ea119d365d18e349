//! All files of a workspace that rules check, whether or not a level loads them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::nothing_checked;
use crate::world::{DataPlace, UnseenModuleAt, World, paths};

/// The maximum depth below the directories of a hierarchy at which files are searched for.
const MAX_DEPTH: usize = 8;

/// The extensions of data files.
const DATA_EXTENSIONS: [&str; 5] = ["yaml", "yml", "eyaml", "json", "conf"];

/// All data files, `hiera.yaml` files and Puppet code files of all environments.
pub fn workspace_files(world: &Arc<World>) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for environment in world.environments().iter() {
        let index = world.key_index(environment);
        files.extend(index.files().into_iter().map(|(path, _)| path.to_string()));
        let mut beside = BTreeSet::new();
        let directories = data_directories(world, environment, DataPlace::directory);
        let is_topmost = |it: &&String| !paths::ancestors(it).any(|it| directories.contains(it));
        for directory in directories.iter().filter(is_topmost) {
            collect(world, directory, MAX_DEPTH, &mut beside);
        }
        // A file beside the directories of a data directory is one that the hierarchy forgot.
        for datadir in data_directories(world, environment, DataPlace::datadir) {
            collect(world, &datadir, 0, &mut beside);
        }
        // What is read through links is checked under the paths of the links.
        files.extend(beside.into_iter().filter(|it| world.links_to(environment, it).is_empty()));
        for unused in world.unused_configs(environment) {
            for directory in unused.data_directories() {
                collect(world, &directory, MAX_DEPTH, &mut files);
            }
        }
        let directories = environment.root.iter().chain(environment.modules.values());
        let configs = directories.map(|directory| format!("{directory}/hiera.yaml"));
        let global = environment.global_config.iter().map(ToString::to_string);
        let conf = environment.root.iter().map(|root| format!("{root}/environment.conf"));
        files.extend(
            configs.chain(global).chain(conf).filter(|path| world.kind(path) == PathKind::File),
        );
        files.extend(world.unseen_modules(environment).iter().map(UnseenModuleAt::metadata));
        files.extend(world.classifier_files(environment).iter().map(ToString::to_string));
        let code = world.code_index(environment);
        files.extend(code.files().iter().map(|(path, _)| path.to_string()));
    }
    // If nothing is checked, one file gets the diagnostic about that.
    files.extend(nothing_checked(world).iter().map(|nothing| nothing.path.to_string()));
    files
}

/// Those of the directories of an environment's places that contain only data.
fn data_directories(
    world: &World,
    environment: &Environment,
    of: impl Fn(&DataPlace) -> &str,
) -> BTreeSet<String> {
    let roots: Vec<_> = environment.root.iter().chain(environment.modules.values()).collect();
    let is_inside = |directory: &&str| {
        let below = |root: &&Arc<str>| paths::below(root, directory);
        // A datadir that contains the environment or a module has more than data in it.
        let holds_a_root = roots.iter().any(|root| paths::below(directory, root).is_some());
        !holds_a_root && roots.iter().filter_map(below).any(|rest| !rest.is_empty())
    };
    let reach = world.reach(environment);
    reach.places.iter().map(of).filter(is_inside).map(str::to_owned).collect()
}

/// Files beside the data that no level may load, which deserves a hint.
fn collect(world: &World, directory: &str, depth: usize, files: &mut BTreeSet<String>) {
    for item in world.list(directory).iter().filter(|item| !item.name.starts_with('.')) {
        let path = paths::join(directory, &item.name);
        let extension = paths::extension(&item.name);
        // The target of a link also exists elsewhere, or a level leads to it.
        if item.is_directory && !item.is_link && depth > 0 {
            collect(world, &path, depth - 1, files);
        } else if !item.is_directory && DATA_EXTENSIONS.contains(&extension) {
            files.insert(path);
        }
    }
}
