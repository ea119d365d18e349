//! Which edit other answers of a key come from, if it can only be one. Then no lookup is needed to find the cause of a change.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::affected::{FilesOfKeys, ReferencesOfKeys};
use super::causes::Cause;

/// The edits that other answers come from.
pub(super) struct Origins {
    /// By root key.
    of_keys: BTreeMap<Arc<str>, Origin>,
    /// The only edits of edited root keys.
    edits: BTreeMap<Arc<str>, Cause>,
}

/// The edited root keys that a key is made of, itself among them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    One(Arc<str>),
    Several,
}

impl Origins {
    /// `edited` are the edited root keys with their files, and `references` the keys that strings look up. `edit_of` finds the
    /// edit of a root key in a file.
    pub(super) fn new(
        edited: &FilesOfKeys,
        references: &ReferencesOfKeys,
        edit_of: impl Fn(&str, &Arc<str>) -> Option<Cause>,
    ) -> Self {
        let in_one_file = edited.iter().filter(|(_, files)| files.len() == 1);
        let edits = in_one_file
            .filter_map(|(root, files)| Some((Arc::clone(root), edit_of(files.first()?, root)?)));
        let mut users: BTreeMap<&Arc<str>, Vec<&Arc<str>>> = BTreeMap::new();
        for (key, references) in references {
            for reference in references {
                users.entry(&reference.root).or_default().push(key);
            }
        }
        let mut of_keys: BTreeMap<Arc<str>, Origin> = BTreeMap::new();
        let mut left: Vec<(Arc<str>, Origin)> =
            edited.keys().map(|root| (Arc::clone(root), Origin::One(Arc::clone(root)))).collect();
        while let Some((key, origin)) = left.pop() {
            let known = of_keys.get(&key);
            let joined = match known {
                Some(known) if *known != origin => Origin::Several,
                _ => origin,
            };
            // Each key changes at most twice, so this ends even if keys look each other up.
            if known != Some(&joined) {
                for user in users.get(&key).into_iter().flatten() {
                    left.push((Arc::clone(user), joined.clone()));
                }
                of_keys.insert(key, joined);
            }
        }
        Self { edits: edits.collect(), of_keys }
    }

    /// The only edit that can give a root key another answer.
    pub(super) fn only_edit_of(&self, root: &str) -> Option<&Cause> {
        match self.of_keys.get(root)? {
            Origin::One(edited) => self.edits.get(edited),
            Origin::Several => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spread::Reference;
    use super::*;

    #[test]
    fn a_key_has_one_origin_unless_it_is_made_of_several_edits() {
        let files = |names: &[&str]| names.iter().map(|it| Arc::from(*it)).collect();
        let edited = FilesOfKeys::from([
            ("a".into(), files(&["a.yaml"])),
            ("b".into(), files(&["b.yaml"])),
            ("twice".into(), files(&["a.yaml", "b.yaml"])),
        ]);
        let of = |roots: &[&str]| {
            roots.iter().map(|root| Reference { root: Arc::from(*root), digs: false }).collect()
        };
        let references = ReferencesOfKeys::from([
            ("of_a".into(), of(&["a", "loop"])),
            ("loop".into(), of(&["of_a"])),
            ("of_both".into(), of(&["b", "loop"])),
            ("b".into(), of(&["b"])),
        ]);
        let edit = |path: &str, _: &Arc<str>| Some(Cause { path: path.into(), line: 1 });
        let origins = Origins::new(&edited, &references, edit);
        let file = |root: &str| origins.only_edit_of(root).map(|it| &*it.path);
        let found = ["a", "of_a", "loop", "b", "of_both", "twice", "other"].map(file);
        let a = Some("a.yaml");
        assert_eq!(found, [a, a, a, Some("b.yaml"), None, None, None]);
    }
}
