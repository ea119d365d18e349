//! What a request sees: the snapshot of the moment at which it arrived.

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

/// The open files by path, each with the client's URI. The client may spell a path in another way than we do.
pub(super) type ClientUris = BTreeMap<Arc<str>, Uri>;

/// The workspace's settings file, and what is wrong with it; `None` if there is no such file.
pub(super) type SettingsFile = Option<Arc<(Arc<FileEntry>, Vec<SettingsProblem>)>>;

/// A moment of the session. Later messages do not change it.
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
    /// Notifications that accompany the response.
    pub(super) outgoing: Outgoing,
    /// Sends parts of the response in advance.
    pub(super) parts: Parts,
    /// Requests to the client.
    pub(super) features: Features,
    /// What earlier responses contained.
    pub(super) remembered: Arc<Remembered>,
    /// Says whether the request was cancelled.
    pub(super) cancel: CancelToken,
    /// The result, if the handler writes it as JSON.
    pub(super) raw: RawAnswer,
}

impl Context {
    /// Runs `future`, within which [`Self::current`] is this context.
    pub(super) fn scope<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CONTEXT.scope(self, future)
    }

    /// Checks that the client still shows the text of this moment.
    ///
    /// # Errors
    /// `ContentModified` if the text was edited meanwhile. The client then sends the request again.
    pub(super) fn is_still_shown(&self, file: &FileEntry) -> Result<()> {
        let here = self.world.open_file(&file.path).map(|open| open.version);
        match (here, self.remembered.version(&file.path)) {
            // A file that was closed meanwhile has no version to compare, and the client ignores the response.
            (Some(here), Some(now)) if here != now => Err(content_modified()),
            _ => Ok(()),
        }
    }

    /// The context of the current request.
    pub(super) fn current() -> Self {
        CONTEXT.with(Clone::clone)
    }
}
