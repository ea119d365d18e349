//! Processes files or nodes in parallel, on all processors.

use std::collections::BTreeMap;
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
    on_threads(PROCESSORS.min(left), run);
    let done = |result: OnceLock<R>| result.into_inner().expect("every item was worked on");
    results.into_iter().map(done).collect()
}

/// Runs the same work on this number of threads. This thread is one of them, so the work is done even if no other thread can be
/// started: then it only takes longer.
fn on_threads(threads: usize, work: impl Fn() + Copy + Send) {
    thread::scope(|scope| {
        for _ in 1..threads {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            let _ = thread.spawn_scoped(scope, work);
        }
        work();
    });
}

/// Runs `work` on all processors, or on this thread alone. It passes on results with their numbers, which count from 0 and are
/// given out by the caller. The results go to `done` in the order of these numbers.
pub(crate) fn in_order<R: Send>(
    is_alone: bool,
    work: impl Fn(&dyn Fn(usize, R)) + Sync,
    done: impl FnMut(R) + Send,
) {
    let results = Mutex::new(InOrder { next: 0, early: BTreeMap::new(), done });
    // If a result is slow to go, the threads wait, and results do not pile up.
    let give = |number, result| {
        results.lock().unwrap_or_else(PoisonError::into_inner).give(number, result);
    };
    on_threads(if is_alone { 1 } else { *PROCESSORS }, || work(&give));
}

/// Results that come in any order.
struct InOrder<R, D> {
    /// The number of the next result that goes to `done`.
    next: usize,
    /// Results with greater numbers.
    early: BTreeMap<usize, R>,
    done: D,
}

impl<R, D: FnMut(R)> InOrder<R, D> {
    fn give(&mut self, number: usize, result: R) {
        self.early.insert(number, result);
        while let Some(result) = self.early.remove(&self.next) {
            (self.done)(result);
            self.next += 1;
        }
    }
}

/// Whether `holds` returns true for all items.
pub(crate) fn all<T: Sync>(items: &[T], holds: impl Fn(&T) -> bool + Sync) -> bool {
    // Items are checked in parts, because a result for each item costs more than a quick check.
    let parts: Vec<&[T]> = items.chunks(items.len().div_ceil(64).max(1)).collect();
    map(&parts, |part| part.iter().all(&holds)).into_iter().all(|it| it)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        assert_eq!(super::map(&items, |item| item + 1), (1..1_001).collect::<Vec<_>>());
        assert!(super::map(&[] as &[u8], |item| *item).is_empty());
        let next = AtomicUsize::new(0);
        let work = |give: &dyn Fn(usize, usize)| {
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                give(*item, item + 1);
            }
        };
        let mut given = Vec::new();
        super::in_order(false, work, |it| given.push(it));
        assert_eq!(given, (1..1_001).collect::<Vec<_>>());
    }
}
