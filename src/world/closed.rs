//! What the user may not read: files and directories of a workspace whose rights do not allow it.

use std::collections::BTreeSet;

use super::loader::PERMISSION_DENIED;
use super::modulepath::modulepath;
use super::paths;
use super::reach::DataPlace;
use super::snapshot::World;
use crate::config::Environment;
use crate::data::{DirItem, Files as _, PathKind};

/// The maximum depth below a directory of data or code at which such directories are searched for.
const MAX_DEPTH: usize = 8;

impl World {
    /// Ruby's message if the file at `path` is there and may not be read, so that lookups that read it fail.
    pub fn why_closed(&self, path: &str) -> Option<String> {
        let why = self.file(path).err().filter(|why| is_denied(why))?;
        (self.kind(path) == PathKind::File).then_some(why)
    }

    /// Ruby's messages about files and directories of the workspace that may not be read, as far as they were needed so far. Those
    /// of data and code were, if all files were checked.
    pub fn closed(&self) -> BTreeSet<String> {
        let files = self.notes().into_iter().filter(|why| is_denied(why));
        let settings = self.folders().iter().flat_map(|it| self.unread_project_files(it));
        let environments = self.environments();
        let directories = environments.iter().flat_map(|it| self.closed_directories(it));
        files.chain(settings.filter(|why| is_denied(why))).chain(directories).collect()
    }

    /// Ruby's messages about directories with data, modules or manifests that may not be listed. Nothing is known of the files in
    /// them.
    pub fn closed_directories(&self, environment: &Environment) -> Vec<String> {
        let root = environment.root.as_deref();
        let code = self.code_roots(environment);
        let manifests = code.modules.iter().map(|(_, module)| paths::join(module, "manifests"));
        let reach = self.reach(environment);
        // A datadir that contains the environment has more than data in it.
        let is_whole = |it: &str| root.is_some_and(|root| paths::below(it, root).is_some());
        let data = reach.places.iter().map(DataPlace::directory).filter(|it| !is_whole(it));
        let modulepath = root.map(|it| modulepath(self, it)).unwrap_or_default();
        let tops =
            data.map(str::to_owned).chain(manifests).chain(code.manifests.map(|it| it.to_string()));
        let tops = tops.map(|it| (it, MAX_DEPTH)).chain(modulepath.into_iter().map(|it| (it, 1)));
        let own = || root.into_iter().chain(self.folders().iter().map(|it| &**it));
        let mut closed = BTreeSet::new();
        for (top, depth) in tops.collect::<BTreeSet<_>>() {
            if own().any(|it| paths::below(it, &top).is_some()) {
                self.look_for_closed(&top, depth, &mut closed);
            }
        }
        let message = |it| format!("{PERMISSION_DENIED} @ dir_initialize - {it}");
        closed.into_iter().map(message).collect()
    }

    fn look_for_closed(&self, directory: &str, depth: usize, closed: &mut BTreeSet<String>) {
        if self.texts.base.is_closed_directory(directory) {
            closed.insert(directory.to_owned());
        }
        let items = self.list(directory);
        let is_own = |it: &&DirItem| it.is_directory && !it.is_link && !it.name.starts_with('.');
        let directories = items.iter().filter(is_own);
        for item in directories.filter(|_| depth > 0) {
            self.look_for_closed(&paths::join(directory, &item.name), depth - 1, closed);
        }
    }
}

fn is_denied(why: &str) -> bool {
    why.starts_with(PERMISSION_DENIED)
}
