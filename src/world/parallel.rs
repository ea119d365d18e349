//! Processes files or nodes in parallel, on all processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The stack size of each thread in bytes: data that is nested as deeply as Puppet allows is walked recursively.
const STACK_BYTES: usize = 16 << 20;

/// The number of processors. To ask the system for it takes longer than much of the work.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// The time that is worked without other threads. To start them takes longer than that.
const ALONE: Duration = Duration::from_micros(200);

/// With fewer items, each may be so much work that other threads are started at once.
const MANY_ITEMS: usize = 64;

/// The results of `work` for all items, in the order of the items.
///
/// It uses its own threads instead of a shared pool: a waiting thread of a pool could get a task that waits for what this
/// very thread is about to produce.
pub(crate) fn map<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run_while = |goes_on: &dyn Fn() -> bool| {
        while goes_on() {
            // Each number is given out once, so no item is worked on twice.
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            results[at].get_or_init(|| work(item));
        }
    };
    let run = || run_while(&|| true);
    if items.len() >= MANY_ITEMS {
        let begun = Instant::now();
        run_while(&|| begun.elapsed() < ALONE);
    }
    let left = items.len().saturating_sub(next.load(Ordering::Relaxed));
    let threads = PROCESSORS.min(left);
    thread::scope(|scope| {
        for _ in 1..threads {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            // If a thread cannot be started, the work only takes longer.
            let _ = thread.spawn_scoped(scope, run);
        }
        // This thread works as well, so all items are done even if no other thread could be started.
        run();
    });
    let done = |result: OnceLock<R>| result.into_inner().expect("every item was worked on");
    results.into_iter().map(done).collect()
}

/// [`map`] for work that consumes its items.
pub(crate) fn map_owned<T: Send, R: Send + Sync>(
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|it| Mutex::new(Some(it))).collect();
    map(&items, |item| {
        let item = item.lock().unwrap_or_else(PoisonError::into_inner).take();
        work(item.expect("each item is given out once"))
    })
}

/// Whether `holds` returns true for all items.
pub(crate) fn all<T: Sync>(items: &[T], holds: impl Fn(&T) -> bool + Sync) -> bool {
    // Items are checked in parts, because a result for each item costs more than a quick check.
    let parts: Vec<&[T]> = items.chunks(items.len().div_ceil(64).max(1)).collect();
    map(&parts, |part| part.iter().all(&holds)).into_iter().all(|it| it)
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(super::map(&items, |item| item + 1), (1..1_001).collect::<Vec<_>>());
        assert!(super::map(&[] as &[u8], |item| *item).is_empty());
        let names: Vec<String> = items.iter().map(ToString::to_string).collect();
        assert_eq!(super::map_owned(names.clone(), |name| name), names);
    }
}
