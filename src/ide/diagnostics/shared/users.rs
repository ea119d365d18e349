//! The nodes with fact sets that use a value of a data file, so that it can make their lookups fail.
//!
//! A node that reads the file does not use the value if a higher level has the key, or if the lookup fails before it gets there.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::data::EntryTree;
use crate::engine::{Answer, Evaluator, LOOKUP_OPTIONS, Request, Source};
use crate::facts::Node;
use crate::ide::context;
use crate::ide::diagnostics::file::DataContext;
use crate::syntax::key_path::Segment;
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;

/// The users of the value of one entry.
pub(crate) struct Users<'a> {
    /// The nodes that read the file.
    readers: &'a [Arc<Node>],
    /// `None` if all readers use the value.
    value: Option<ValueOfKey<'a>>,
    found: OnceCell<Vec<Arc<Node>>>,
}

struct ValueOfKey<'a> {
    file: &'a DataContext<'a>,
    /// The root key.
    name: Arc<str>,
    /// Where the key is written.
    key_place: TextRange,
}

impl<'a> Users<'a> {
    /// The users of what all readers use, such as the paths of hiera.yaml.
    pub(crate) fn all(readers: &'a [Arc<Node>]) -> Self {
        Self { readers, value: None, found: OnceCell::new() }
    }

    /// The users of the value of an entry.
    pub(crate) fn of_entry(file: &'a DataContext<'a>, entry: &EntryTree<'_>) -> Self {
        let name = match &entry.key.kind {
            NodeKind::Scalar { text, .. } if !matches!(&**text, LOOKUP_OPTIONS | "<<") => {
                Some(Arc::clone(text))
            }
            _ => None,
        };
        let key_place = entry.key.range.shifted(entry.start);
        let value = name.map(|name| ValueOfKey { file, name, key_place });
        Self { value, ..Self::all(file.nodes) }
    }

    /// The nodes, in the order of the readers. The lookups run only if a rule asks.
    pub(crate) fn nodes(&self) -> &[Arc<Node>] {
        let Some(value) = &self.value else { return self.readers };
        self.found.get_or_init(|| value.users().unwrap_or_else(|| self.readers.to_vec()))
    }

    /// Whether the node of an evaluator uses the value in some case.
    pub(crate) fn may_include(&self, evaluator: &Evaluator) -> bool {
        let Some(value) = &self.value else { return true };
        let Some(asked) = value.asked() else { return true };
        let answer = evaluator.call(&Request::key(asked).with_sources());
        answer.each_case().iter().any(|(_, case)| value.is_used_in(case))
    }
}

impl ValueOfKey<'_> {
    /// `None` outside of an environment, or if no lookup can name the key.
    fn users(&self) -> Option<Vec<Arc<Node>>> {
        let readers = self.file.readers()?;
        let answers = readers.answers_by_reads(&Request::key(self.asked()?).with_sources());
        let users = answers.iter().filter(|it| self.is_used_in(&it.answer));
        let mut users: Vec<u32> = users.flat_map(|it| it.nodes.iter().copied()).collect();
        users.sort_unstable();
        Some(users.into_iter().map(|it| Arc::clone(&readers.nodes()[it as usize])).collect())
    }

    /// The key as a lookup names it.
    fn asked(&self) -> Option<String> {
        context::lookup_key([&Segment::Name(self.name.clone())].into_iter())
    }

    fn is_used_in(&self, answer: &Answer) -> bool {
        let is_it = |source: &Source| {
            let place = source.written.as_ref().map(|it| it.root_key_place.range);
            *source.path == *self.file.path && place == Some(self.key_place)
        };
        if answer.outcome.is_err() {
            return reached(answer).iter().any(is_it);
        }
        answer.sources.iter().any(|source| source.counts() && is_it(source))
    }
}

/// The sources that a failed lookup reads: up to the one at which it fails. Those below are known as well.
fn reached(answer: &Answer) -> &[Source] {
    let sources = &*answer.sources;
    let count = match answer.merge.as_deref() {
        // The lookup fails before it reads a source.
        None => 0,
        Some(merge) if merge.is_first_found() => 1,
        Some(_) => {
            let failing = sources.iter().position(|it| it.interpolated.is_none());
            failing.map_or(sources.len(), |at| at + 1)
        }
    };
    &sources[..count.min(sources.len())]
}
