//! What the tasks in the background wait for.

use tokio::sync::watch;

/// One channel for each kind of event. A task that is late sees only the newest event.
#[derive(Debug)]
pub(super) struct Signals {
    revision: watch::Sender<u64>,
    folders_to_watch: watch::Sender<Vec<String>>,
    warm_ups: watch::Sender<()>,
    warm_up_cancels: watch::Sender<()>,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            revision: watch::Sender::new(0),
            folders_to_watch: watch::Sender::new(Vec::new()),
            warm_ups: watch::Sender::new(()),
            warm_up_cancels: watch::Sender::new(()),
        }
    }

    /// Changes with every change of the world.
    pub(super) fn revisions(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// Notes the number of the newest world. Returns whether it is new.
    pub(super) fn note_revision(&self, newest: u64) -> bool {
        // A change without an effect keeps its number, and must not start a round.
        self.revision.send_if_modified(|revision| std::mem::replace(revision, newest) != newest)
    }

    /// The directories that the server must watch itself.
    pub(super) fn folders_to_watch(&self) -> watch::Receiver<Vec<String>> {
        self.folders_to_watch.subscribe()
    }

    /// Sets the directories that the server must watch itself.
    pub(super) fn watch_folders(&self, folders: Vec<String>) {
        self.folders_to_watch.send_replace(folders);
    }

    /// Changes whenever the workspace should be read in advance.
    pub(super) fn warm_ups(&self) -> watch::Receiver<()> {
        self.warm_ups.subscribe()
    }

    /// Starts to read the workspace in advance.
    pub(super) fn start_warm_up(&self) {
        self.warm_ups.send_replace(());
    }

    /// Changes whenever the client cancels the reading.
    pub(super) fn warm_up_cancels(&self) -> watch::Receiver<()> {
        self.warm_up_cancels.subscribe()
    }

    /// Cancels the reading of the workspace.
    pub(super) fn cancel_warm_up(&self) {
        self.warm_up_cancels.send_replace(());
    }
}
