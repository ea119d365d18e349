//! What a request sees: the snapshot of the moment at which it came in.

use std::collections::BTreeMap;
use std::sync::Arc;

use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::Uri;

use super::capabilities::ClientAbilities;
use super::outgoing::Outgoing;
use super::parts::Parts;
use super::pool::content_modified;
use super::raw::RawAnswer;
use super::remembered::Remembered;
use super::{CancelToken, Features};
use crate::settings::SettingsProblem;
use crate::text::Encoding;
use crate::world::{FileEntry, World};

tokio::task_local! {
    /// The context of the request whose future is being polled.
    static CONTEXT: Context;
}

/// Open files by path, with the URI that the client knows each by: it may spell a path in another way than we do.
pub(super) type ClientUris = BTreeMap<Arc<str>, Uri>;

/// The workspace's settings file, and what is wrong with it; `None` if there is no such file.
pub(super) type SettingsFile = Option<Arc<(Arc<FileEntry>, Vec<SettingsProblem>)>>;

/// A moment of the session. Later messages do not touch it.
#[derive(Clone)]
pub(super) struct Context {
    /// Files, nodes, settings.
    pub(super) world: Arc<World>,
    /// How columns are counted.
    pub(super) encoding: Encoding,
    /// What the client can do.
    pub(super) client: Arc<ClientAbilities>,
    /// The workspace's settings file and what is wrong with it.
    pub(super) settings_file: SettingsFile,
    /// How the client spells the paths of open files.
    pub(super) uris: Arc<ClientUris>,
    /// What is said beside the answer.
    pub(super) outgoing: Outgoing,
    /// What of the answer can be said before its end.
    pub(super) parts: Parts,
    /// Whom to ask.
    pub(super) features: Features,
    /// What was answered before.
    pub(super) remembered: Arc<Remembered>,
    /// Whether the request still stands.
    pub(super) cancel: CancelToken,
    /// The answer, if it is written as JSON.
    pub(super) raw: RawAnswer,
}

impl Context {
    /// Runs `future`, within which [`Self::current`] is this context.
    pub(super) fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CONTEXT.scope(self, future)
    }

    /// Whether the client still shows the text of this moment.
    ///
    /// # Errors
    /// `ContentModified`, if it was edited meanwhile: the client asks again for what it shows.
    pub(super) fn is_still_shown(&self, file: &FileEntry) -> Result<()> {
        let here = self.world.open_file(&file.path).map(|open| open.version);
        match (here, self.remembered.version(&file.path)) {
            (Some(here), Some(now)) if here != now => Err(content_modified()),
            _ => Ok(()),
        }
    }

    /// The context of the request that is being answered.
    pub(super) fn current() -> Self {
        CONTEXT.with(Clone::clone)
    }
}
