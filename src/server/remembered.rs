//! What the server keeps from earlier responses: semantic tokens, so that it can send differences; the pieces of results
//! about files; and the previews to refresh.
//!
//! It only saves work: the results of requests do not depend on it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::handlers::{FileTokens, FoldPiece, LensPiece, SymbolPiece, TokensPiece};
use super::pieces::Pieces;

/// The maximum number of preview documents that are kept up to date: those that were requested last.
const MAX_DOCUMENTS: usize = 64;

/// Shared by all requests of a session.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    state: Mutex<State>,
    /// The pieces of outlines of open files.
    pub(super) symbols: Pieces<Box<[SymbolPiece]>>,
    /// The pieces of their folding ranges.
    pub(super) folds: Pieces<Box<[FoldPiece]>>,
    /// The pieces of their tokens.
    pub(super) pieces_of_tokens: Pieces<TokensPiece>,
    /// The pieces of their lenses.
    pub(super) lenses: Pieces<Box<[LensPiece]>>,
}

#[derive(Debug, Default)]
struct State {
    last_id: u64,
    tokens: BTreeMap<String, (String, Arc<FileTokens>)>,
    documents: VecDeque<String>,
    versions: BTreeMap<String, i32>,
}

impl Remembered {
    /// Keeps the tokens of a document, and returns an id for them.
    pub(super) fn keep_tokens(&self, uri: &str, tokens: Arc<FileTokens>) -> String {
        self.with(|state| {
            state.last_id += 1;
            // The id is never used twice, so a client with older tokens cannot get a difference from newer ones.
            let id = state.last_id.to_string();
            state.tokens.insert(uri.to_owned(), (id.clone(), tokens));
            id
        })
    }

    /// The tokens of a document, if they still have this id.
    pub(super) fn tokens(&self, uri: &str, id: &str) -> Option<Arc<FileTokens>> {
        self.with(|state| {
            let (known, tokens) = state.tokens.get(uri)?;
            (known == id).then(|| tokens.clone())
        })
    }

    /// Remembers that the client shows a preview.
    pub(super) fn keep_document(&self, uri: &str) {
        self.with(|state| {
            state.documents.retain(|known| known != uri);
            state.documents.push_back(uri.to_owned());
            if state.documents.len() > MAX_DOCUMENTS {
                state.documents.pop_front();
            }
        });
    }

    /// The previews that the client may show.
    pub(super) fn documents(&self) -> Vec<String> {
        self.with(|state| state.documents.iter().cloned().collect())
    }

    /// Notes that the client shows this text of a file now.
    pub(super) fn keep_version(&self, path: &str, version: i32) {
        self.with(|state| state.versions.insert(path.to_owned(), version));
    }

    /// The number of the text that the client shows now.
    pub(super) fn version(&self, path: &str) -> Option<i32> {
        self.with(|state| state.versions.get(path).copied())
    }

    /// Notes that the client has closed a document.
    pub(super) fn forget(&self, uri: &str, path: Option<&str>) {
        self.with(|state| {
            state.tokens.remove(uri);
            state.documents.retain(|known| known != uri);
            if let Some(path) = path {
                state.versions.remove(path);
            }
        });
        // The pieces have locks of their own, which are taken only after that of the state is free.
        if let Some(path) = path {
            self.symbols.forget(path);
            self.folds.forget(path);
            self.pieces_of_tokens.forget(path);
            self.lenses.forget(path);
        }
    }

    fn with<R>(&self, visit: impl FnOnce(&mut State) -> R) -> R {
        visit(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
