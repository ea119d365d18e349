//! Finds the edits of lookup_options that change a node's answer.

use std::sync::Arc;

use super::{Cause, Differs, Finder, first_difference};
use crate::engine::footprint::hash_of;
use crate::engine::{AppliedOptions, Footprint, LOOKUP_OPTIONS};

impl Finder<'_> {
    /// The places at which the lookup_options of keys that were searched for on both sides differ.
    pub(super) fn edited_options(&self, before: &Footprint, after: &Footprint) -> Vec<Cause> {
        let mut causes = Vec::new();
        let mut roots: Vec<&Arc<str>> = after.options().map(|(root, _)| root).collect();
        roots.sort_unstable();
        roots.dedup();
        for root in roots {
            let [earlier, now] = [before, after].map(|footprint| options_of(footprint, root));
            // What applies on both sides in some cases explains nothing, unless it is all that one side has.
            let only_earlier = without_those_of(&earlier, &now);
            let only_now = without_those_of(&now, &earlier);
            if only_earlier.is_empty() && only_now.is_empty() {
                continue;
            }
            let earlier = if only_earlier.is_empty() { earlier } else { only_earlier };
            let now = if only_now.is_empty() { now } else { only_now };
            let pairs = now.iter().flat_map(|now| earlier.iter().map(move |it| (*it, *now)));
            causes.extend(pairs.filter_map(|(earlier, now)| self.edit_of_options(earlier, now)));
        }
        causes
    }

    /// The place at which the options of a key were edited. An edit elsewhere can make a node read other options.
    fn edit_of_options(
        &self,
        earlier: Option<&AppliedOptions>,
        now: Option<&AppliedOptions>,
    ) -> Option<Cause> {
        let changed = match (earlier, now) {
            (Some(one), Some(other)) if one.entry == other.entry => {
                if hash_of(&one.options.value) == hash_of(&other.options.value) {
                    return None;
                }
                first_difference(&one.options, &other.options)
            }
            _ => None,
        };
        let place_now = now.and_then(|it| it.key_place).map(Differs::Now);
        let place_earlier = earlier.and_then(|it| it.key_place).map(Differs::Earlier);
        let places = [changed, place_now, place_earlier];
        let mut candidates = places.into_iter().flatten().filter_map(|place| self.cause_of(place));
        candidates.find(|it| self.has_edited_options(&it.path))
    }

    /// Whether the lookup_options of a file were edited, or the file is read in another format now.
    fn has_edited_options(&self, path: &str) -> bool {
        match self.formats_of(path) {
            [Some(one), Some(other)] if one != other => self.edited_file(path).is_some(),
            // Perhaps only one side has a level that reads the file.
            [Some(format), _] | [None, Some(format)] => {
                self.edited_entry(path, format, LOOKUP_OPTIONS).is_some()
            }
            [None, None] => self.edited_file(path).is_some(),
        }
    }
}

/// The lookup_options that apply to a root key in the cases of an answer; `None` if none do in one of them.
fn options_of<'a>(footprint: &'a Footprint, root: &str) -> Vec<Option<&'a AppliedOptions>> {
    let of_root = footprint.options().filter(|(it, _)| ***it == *root);
    of_root.map(|(_, options)| options).collect()
}

/// The options that are not among the `others`. The same options in another file are others.
fn without_those_of<'a>(
    options: &[Option<&'a AppliedOptions>],
    others: &[Option<&AppliedOptions>],
) -> Vec<Option<&'a AppliedOptions>> {
    let found = |it: Option<&AppliedOptions>| {
        let files =
            |it: &AppliedOptions| [it.key_place, it.options.place].map(|it| it.map(|it| it.file));
        it.map(|it| (Arc::clone(&it.entry), hash_of(&it.options.value), files(it)))
    };
    let others: Vec<_> = others.iter().copied().map(found).collect();
    options.iter().copied().filter(|it| !others.contains(&found(*it))).collect()
}
