//! Watches the disk for clients that do not do so, such as Neovim on Linux.

use std::time::{Duration, SystemTime};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::CancelToken;
use super::pool::Pool;
use super::session::SharedSession;
use crate::world::Change;

/// A Git checkout changes files for a while. All changes within this time after the first one are one change.
const BATCH: Duration = Duration::from_millis(100);

/// How long the first requests of a session have the disk and the processors for themselves. To watch thousands of files takes a while.
const DELAY: Duration = Duration::from_secs(1);

/// The clock of a file system may be this much behind.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(1);

/// Watches the session's folders until the session ends. Does nothing while there are none.
pub(super) async fn watch(
    session: SharedSession,
    mut folders: watch::Receiver<Vec<String>>,
    pool: Pool,
) {
    let started = SystemTime::now() - CLOCK_TOLERANCE;
    let (events, mut changed) = unbounded_channel();
    let mut watcher = None;
    loop {
        tokio::select! {
            still_there = folders.changed() => {
                if still_there.is_err() {
                    return;
                }
                sleep(DELAY).await;
                let wanted = folders.borrow_and_update().clone();
                let (begun, events) = (wanted.clone(), events.clone());
                // Drop the old watcher first, because a new one takes time in large folders.
                drop(watcher.take());
                watcher = tokio::task::spawn_blocking(|| watcher_of(wanted, events)).await.ok();
                // Files may have changed after they were read and before the watcher saw that.
                let world = session.with(|session| session.context().world);
                let look = move |_: &CancelToken| Ok(world.changed_on_disk_since(started, &begun));
                if let Ok(paths) = pool.run(look).await
                    && !paths.is_empty()
                {
                    session.with(|session| session.apply(Change::DiskChanged(paths)));
                }
            }
            Some(first) = changed.recv() => {
                let paths = batch(first, &mut changed).await;
                session.with(|session| session.apply(Change::DiskChanged(paths)));
            }
        }
    }
}

fn watcher_of(
    folders: Vec<String>,
    events: UnboundedSender<Vec<String>>,
) -> Option<RecommendedWatcher> {
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let paths = event.map(|event| changed_paths(&event)).unwrap_or_default();
        if !paths.is_empty() {
            // After the end of the session, there is no receiver.
            let _ = events.send(paths);
        }
    });
    let mut watcher =
        watcher.inspect_err(|error| tracing::warn!("files are not watched: {error}")).ok()?;
    for folder in folders {
        if let Err(error) = watcher.watch(folder.as_ref(), RecursiveMode::Recursive) {
            tracing::warn!("{folder} is not watched: {error}");
        }
    }
    Some(watcher)
}

/// The paths of an event that may change a result.
fn changed_paths(event: &notify::Event) -> Vec<String> {
    // Reading a file is an event, too. Without this, the server's own reads would cause changes.
    if matches!(event.kind, EventKind::Access(_)) {
        return Vec::new();
    }
    let paths = event.paths.iter().filter_map(|path| path.to_str());
    // Git's own files change with every command and hold no data.
    paths.filter(|path| !path.contains("/.git/")).map(str::to_owned).collect()
}

async fn batch(
    mut paths: Vec<String>,
    changed: &mut UnboundedReceiver<Vec<String>>,
) -> Vec<String> {
    // The time is counted from the first change, so a steady flow of changes cannot delay the batch forever.
    let end = Instant::now() + BATCH;
    while let Ok(Some(more)) = timeout_at(end, changed.recv()).await {
        paths.extend(more);
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}
