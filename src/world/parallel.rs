//! Processes files or nodes in parallel, on all processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// The stack size of each thread in bytes: data that is nested as deeply as Puppet allows is walked recursively.
const STACK_BYTES: usize = 16 << 20;

/// The results of `work` for all items, in the order of the items.
///
/// It uses its own threads instead of a shared pool: a waiting thread of a pool could get a task that waits for what this
/// very thread is about to produce.
pub(crate) fn map<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            // Each number is given out once, so no item is worked on twice.
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            results[at].get_or_init(|| work(item));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
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
