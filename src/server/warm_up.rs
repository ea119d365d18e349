//! Reads the whole workspace in advance, so that the first request that needs all keys does not have to wait.
//!
//! Results do not depend on it: the server reads other files when it needs them.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tokio::sync::watch;

use super::CancelToken;
use super::outgoing::Outgoing;
use super::pool::Pool;
use super::session::SharedSession;

/// The token of the progress.
pub(super) const TOKEN: &str = "hiera-ls/index";

/// Reads at the start of the session, and again when the folders of the workspace change.
pub(super) async fn warm_up(
    session: SharedSession,
    mut wanted: watch::Receiver<()>,
    mut cancels: watch::Receiver<()>,
    pool: Pool,
) {
    while wanted.changed().await.is_ok() {
        let (context, outgoing) =
            session.with(|session| (session.context(), session.outgoing().clone()));
        let progress = context.client.progress.then(|| Progress::begin(outgoing));
        let shown = progress.clone();
        let work = move |cancel: &CancelToken| {
            let tell = |read: usize, all: usize| {
                // A cancelled round may continue for a moment; its progress is no longer reported.
                if let Some(progress) = shown.as_ref().filter(|_| !cancel.is_cancelled()) {
                    progress.tell(read, all);
                }
            };
            (context.features.warm_up)(&context.world, cancel, &tell);
            Ok(())
        };
        // An earlier cancel does not apply to this round.
        cancels.mark_unchanged();
        tokio::select! {
            result = pool.run(work) => if let Err(error) = result {
                tracing::warn!("the workspace is not read in advance: {error}");
            },
            // Dropping the future cancels the token of the work.
            Ok(()) = cancels.changed() => tracing::info!("the workspace is not read in advance: cancelled"),
        }
        // The folders may have changed meanwhile. Then the next round starts at once, and the server is not idle in between.
        let is_reading = wanted.has_changed().unwrap_or(false);
        session.with(|session| session.set_status(|status| status.is_reading = is_reading));
        if let Some(progress) = progress {
            progress.end();
        }
    }
}

/// A progress bar in the client. The client creates it, which may take some time.
#[derive(Clone)]
struct Progress {
    state: Arc<Mutex<State>>,
    outgoing: Outgoing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Asked,
    Shown,
    Over,
}

impl Progress {
    fn begin(outgoing: Outgoing) -> Self {
        let state = Arc::new(Mutex::new(State::Asked));
        let (shown, sender) = (state.clone(), outgoing.clone());
        outgoing.request(
            "window/workDoneProgress/create",
            &json!({ "token": TOKEN }),
            move |answer| {
                let mut state = shown.lock().unwrap_or_else(PoisonError::into_inner);
                // The round may be over before the client responds. A bar that starts then would never end.
                if answer.is_ok() && *state == State::Asked {
                    *state = State::Shown;
                    let title = "Reading Hiera data";
                    let begin = json!({"kind": "begin", "title": title, "cancellable": true});
                    report(&sender, &begin);
                }
            },
        );
        Self { state, outgoing }
    }

    /// Reports how many files are read.
    fn tell(&self, read: usize, all: usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Shown && all > 0 {
            let message = format!("{read} of {all} files");
            let percentage = read * 100 / all;
            let progress = json!({"kind": "report", "message": message, "percentage": percentage});
            report(&self.outgoing, &progress);
        }
    }

    fn end(self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state == State::Shown {
            report(&self.outgoing, &json!({"kind": "end"}));
        }
        *state = State::Over;
    }
}

fn report(outgoing: &Outgoing, value: &serde_json::Value) {
    outgoing.notify_custom("$/progress", &json!({ "token": TOKEN, "value": value }));
}
