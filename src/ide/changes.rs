//! The effect of a workspace's edits on its nodes: as a document that follows typing, and as a few words above an edited key.
//! The edits are compared with the saved files, or with a revision.

mod alike;
mod edit;
mod edited;
mod line_diff;
mod page;
mod secrets;
mod sides;
mod words;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::preview::{Preview, Question};
use crate::config::Environment;
use crate::data::{Files as _, Format};
use crate::engine::{CancelToken, LOOKUP_OPTIONS};
use crate::syntax::key_path;
use crate::world::git::GitDisk;
use crate::world::{Asker, Before, Differences, FleetPair, World, parallel, paths};
pub use edited::{EditedKey, edited_keys, is_edited};
pub use secrets::{Secrets, without_own_secrets};
pub use sides::{change_lines, change_texts};
pub use words::{counted, first_line, first_names, not_shown};
pub(super) use words::{in_other_environment, nodes_where, on_one_line};

/// The changes, as a document and as data.
#[derive(Debug, Clone)]
pub struct Changes {
    /// The document.
    pub preview: Preview,
    /// `14 of 622 nodes change, 3 keys; nothing else`
    pub summary: String,
    /// The same as data.
    pub differences: Arc<Differences>,
    /// What could not be compared properly, in sentences.
    pub problems: Vec<String>,
}

/// The nodes that get another value for some keys, compared with the earlier state. `None` if there is no environment, or the
/// request was cancelled.
///
/// # Errors
/// An error in the repository or the revision, as a sentence.
pub fn changes(
    world: &Arc<World>,
    question: &Question,
    before: &Before,
    cancel: &CancelToken,
) -> Result<Option<Changes>, String> {
    // The comparison is about all nodes, so the node of the question does not matter.
    let question = Question { node: None, ..question.clone() };
    let Some((question, others)) = with_changes(world, question, before, cancel) else {
        return Ok(None);
    };
    let asked = question.find(world).map_err(|error| error.to_string())?;
    let Some(asked) = asked else { return Ok(None) };
    let environment = asked.perspective.evaluator.environment().clone();
    let Some(compared) = Compared::new(world, &environment, before, Asker::User)? else {
        return Ok(None);
    };
    let key = asked.key.as_deref().map(Arc::from);
    let Some(differences) = compared.differences(key.as_ref(), cancel) else { return Ok(None) };
    let problems = others.into_iter().chain(compared.problems()).collect::<Vec<_>>();
    let summary = compared.summary(&differences);
    let preview =
        page::page(&compared, &asked.perspective, key.as_deref(), &differences, &problems);
    Ok(Some(Changes { preview, summary, differences, problems }))
}

/// A question without a document as one about the first environment in which an answer changes, if there are several; with a
/// line for each of the others. A document that several environments read is one of all of them. `None` if the request was
/// cancelled.
fn with_changes(
    world: &Arc<World>,
    mut question: Question,
    before: &Before,
    cancel: &CancelToken,
) -> Option<(Question, Vec<String>)> {
    let mut others = Vec::new();
    let all = match &question.path {
        // The document's own environment is in the answer anyway.
        Some(path) => world.environments_with(path).into_iter().skip(1).collect(),
        None => world.environments().to_vec(),
    };
    if question.path.is_none() && all.len() < 2 {
        return Some((question, others));
    }
    for environment in &all {
        // What cannot be compared here does not hide what changes elsewhere.
        let Ok(Some(compared)) = Compared::new(world, environment, before, Asker::User) else {
            continue;
        };
        let found = compared.differences(question.key.as_ref(), cancel)?;
        if !found.has_changes() {
            continue;
        }
        if question.path.is_none() {
            question.path = Some(format!("{}/hiera.yaml", environment.directory()).into());
        } else {
            let label = world.environment_label(environment);
            others.push(format!("environment {label}: {}", compared.summary(&found)));
        }
    }
    Some((question, others))
}

/// A workspace and its earlier state.
struct Compared<'a> {
    world: &'a Arc<World>,
    environment: &'a Arc<Environment>,
    what: &'a Before,
    before: Arc<World>,
    environment_before: Arc<Environment>,
    /// The revision that the earlier state is read from, if it is one.
    revision: Option<Arc<GitDisk>>,
    pair: FleetPair,
    /// See [`Self::broken_files`].
    broken: OnceLock<[BTreeSet<Arc<str>>; 2]>,
}

impl<'a> Compared<'a> {
    /// `None` if there is nothing to compare with.
    fn new(
        world: &'a Arc<World>,
        environment: &'a Arc<Environment>,
        what: &'a Before,
        asker: Asker,
    ) -> Result<Option<Self>, String> {
        let directory = world.directory_of_revision(environment);
        let (before, revision) = world.before(what, &directory)?;
        let pair = world.beside(&before, environment, asker);
        let environment_before = before.environment_like(environment);
        let broken = OnceLock::new();
        Ok(Some(Self {
            world,
            environment,
            what,
            before,
            environment_before,
            revision,
            pair,
            broken,
        }))
    }

    /// The differences for a key, or for all keys; cached until one side changes.
    fn differences(
        &self,
        key: Option<&Arc<str>>,
        cancel: &CancelToken,
    ) -> Option<Arc<Differences>> {
        if let Some(key) = key {
            return self.pair.differences(std::slice::from_ref(key), cancel, || {}).map(Arc::new);
        }
        self.pair.all_differences(cancel, |affected| match affected {
            Some(keys) => keys.into_iter().collect(),
            None => self.all_keys(),
        })
    }

    fn all_keys(&self) -> Vec<Arc<str>> {
        let earlier = self.before.all_keys(&self.environment_before);
        let both = earlier.into_iter().chain(self.world.all_keys(self.environment));
        let samples = [&self.before, self.world].into_iter().flat_map(|it| it.sample_keys());
        let mut keys: BTreeSet<Arc<str>> = both.chain(samples).collect();
        // Puppet never finds `lookup_options` as a key.
        keys.remove(LOOKUP_OPTIONS);
        keys.iter().map(key_path::of_root).collect()
    }

    /// What prevents a complete comparison.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let now = (self.world, self.environment);
        let earlier = (&self.before, &self.environment_before);
        for ((world, environment), side) in [(earlier, self.name()), (now, "now".to_owned())] {
            if let Some(failure) = failure_of_all_keys(world, environment) {
                problems.push(format!("{side}: {failure}; its answers are errors"));
            }
        }
        for path in self.revision.iter().flat_map(|it| it.submodules()) {
            problems.push(format!(
                "{path}: a submodule; what it holds at {} is not in this repository, so the files of the working tree count",
                self.name()
            ));
        }
        for (path, why) in self.revision.iter().flat_map(|it| it.not_as_data()) {
            problems.push(format!("{}: {why}", self.shown_path(&path)));
        }
        if let Some(path) = self.revision.iter().find_map(|it| it.missing()) {
            problems.push(format!(
                "{path} at {} is not in this clone, and nothing is fetched",
                self.name()
            ));
        }
        let no_data = self.files_without_data().into_iter();
        problems.extend(no_data.map(|(path, why)| format!("{}: {why}", self.shown_path(&path))));
        let as_it_was = match self.what {
            Before::Saved => "as it was saved".to_owned(),
            Before::Revision(revision) => format!("as it is at {revision}"),
        };
        for (paths, as_it_is) in self.broken_files().iter().zip([&*as_it_was, "as it is now"]) {
            problems.extend(paths.iter().map(|path| {
                let shown = self.shown_path(path);
                format!(
                    "{shown}: Puppet cannot read the file {as_it_is}; hiera-ls compares the entries that it can read"
                )
            }));
        }
        problems
    }

    /// The differences in a few words. While Puppet cannot read a file, lookups of any key may fail.
    fn summary(&self, differences: &Differences) -> String {
        let are_all_read = self.broken_files().iter().all(BTreeSet::is_empty);
        differences.summary_if(are_all_read)
    }

    /// The files on either side that certainly do not contain what they should, each once, with the reason.
    fn files_without_data(&self) -> Vec<(Arc<str>, &'static str)> {
        let now = self.world.data_files(self.environment);
        let mut earlier = self.before.data_files(&self.environment_before).to_vec();
        // Most files are the same on both sides.
        if *earlier == *now
            && let Some(differ) = self.before.files_that_may_differ(self.world)
        {
            earlier.retain(|(path, _)| differ.contains(path));
        }
        let in_files = |world: &World, files: &[(Arc<str>, Format)]| {
            parallel::map(files, |(path, format)| {
                Some((path.clone(), world.what_is_no_data(path, *format)?.why))
            })
        };
        let (now, earlier) = (in_files(self.world, &now), in_files(&self.before, &earlier));
        let mut named: BTreeSet<Arc<str>> = BTreeSet::new();
        let all = now.into_iter().chain(earlier).flatten();
        all.filter(|(path, _)| named.insert(path.clone())).collect()
    }

    /// The data files that Puppet refuses before and now, each unless both sides read the same text in the same way. Then the broken
    /// part changes no answer.
    fn broken_files(&self) -> &[BTreeSet<Arc<str>>; 2] {
        self.broken.get_or_init(|| {
            let earlier = (&*self.before, &*self.environment_before);
            let now = (&**self.world, &**self.environment);
            [(earlier, now), (now, earlier)].map(|(side, other)| files_broken_in(side, other))
        })
    }

    /// The name of the earlier state, for users.
    fn name(&self) -> String {
        match self.what {
            Before::Saved => "saved".to_owned(),
            Before::Revision(revision) => revision.to_string(),
        }
    }

    fn shown_path<'p>(&self, path: &'p str) -> &'p str {
        paths::below(self.environment.directory(), path).unwrap_or(path)
    }
}

/// The data files of one side that Puppet refuses, and that the other side does not read in the same way with the same text.
fn files_broken_in(
    (world, environment): (&World, &Environment),
    (other, other_environment): (&World, &Environment),
) -> BTreeSet<Arc<str>> {
    let (reach, other_reach) = (world.reach(environment), other.reach(other_environment));
    // Both share the formats unless the hierarchy may differ.
    let differ = world.files_that_may_differ(other).filter(|_| Arc::ptr_eq(&reach, &other_reach));
    let files = match differ {
        Some(differ) => {
            let differ = differ.into_iter();
            differ.filter_map(|path| Some((path.clone(), reach.format_of(&path)?))).collect()
        }
        None => world.data_files(environment).to_vec(),
    };
    let is_broken = |(path, format): &(Arc<str>, Format)| {
        let is_same =
            other_reach.format_of(path) == Some(*format) && world.has_same_text_in(other, path);
        !is_same && world.data(path, *format).is_ok_and(|it| it.is_broken())
    };
    let are_broken = parallel::map(&files, is_broken);
    let files = files.into_iter().zip(are_broken);
    files.filter_map(|((path, _), is_broken)| is_broken.then_some(path)).collect()
}

/// Why every lookup fails: the hierarchy cannot be loaded, or a path in it not interpolated.
fn failure_of_all_keys(world: &World, environment: &Arc<Environment>) -> Option<Arc<str>> {
    world.new_evaluator(environment, &world.any_node(environment)).failure_of_all_keys()
}

#[cfg(test)]
mod tests;
