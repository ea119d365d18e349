//! Processes files or nodes in parallel, on all processors.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
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

/// The number of calls of [`map`] by threads that are not in the background.
static URGENT: AtomicUsize = AtomicUsize::new(0);

/// The number of threads that wait for a job in the background, which does not give way meanwhile.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// The longest that the threads of one job in the background give way, together. What is urgent may wait for its results.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a thread that gives way checks whether it can go on.
const CHECK: Duration = Duration::from_micros(500);

thread_local! {
    /// The microseconds that the threads of a job in the background have given way so far; `None` if this is no such thread.
    static GIVEN_WAY: RefCell<Option<Arc<AtomicU64>>> = const { RefCell::new(None) };
}

/// Begins a job in the background on this thread: [`map`] does not go on while another thread maps something urgent.
pub(crate) fn begin_in_background() {
    GIVEN_WAY.set(Some(Arc::default()));
}

/// Counts as urgent until it is dropped.
struct Urgent;

impl Urgent {
    fn begin() -> Self {
        URGENT.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        URGENT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs `work`, which may wait for the result of a job in the background.
pub(crate) fn wait_for<R>(work: impl FnOnce() -> R) -> R {
    struct Waiting;
    impl Drop for Waiting {
        fn drop(&mut self) {
            WAITING.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let is_in_background = GIVEN_WAY.with_borrow(Option::is_some);
    let _waiting = (!is_in_background).then(|| {
        WAITING.fetch_add(1, Ordering::Relaxed);
        Waiting
    });
    work()
}

/// The results of `work` for all items, in the order of the items. Threads in the background give way to others between two
/// items.
///
/// It uses its own threads instead of a shared pool: a waiting thread of a pool could get a task that waits for what this
/// very thread is about to produce.
pub(crate) fn map<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let given_way = GIVEN_WAY.with_borrow(Clone::clone);
    let _urgent = given_way.is_none().then(Urgent::begin);
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run_while = |goes_on: &dyn Fn() -> bool| {
        while goes_on() {
            // Each number is given out once, so no item is worked on twice.
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            results[at].get_or_init(|| work(item));
            if let Some(given_way) = &given_way {
                give_way(given_way);
            }
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

/// Waits while something is urgent, unless a thread waits for the background. `waited` counts the microseconds for all threads of the job.
fn give_way(waited: &AtomicU64) {
    let most = PATIENCE.as_micros() as u64;
    let must_wait = || URGENT.load(Ordering::Relaxed) > 0 && WAITING.load(Ordering::Relaxed) == 0;
    while must_wait() && waited.load(Ordering::Relaxed) < most {
        let begun = Instant::now();
        thread::sleep(CHECK);
        waited.fetch_add(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
    }
}

/// Runs the same work on this number of threads. This thread is one of them, so the work is done even if no other thread can be
/// started: then it only takes longer.
fn on_threads(threads: usize, work: impl Fn() + Copy + Send) {
    let given_way = GIVEN_WAY.with_borrow(Clone::clone);
    thread::scope(|scope| {
        for _ in 1..threads {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            let given_way = given_way.clone();
            let _ = thread.spawn_scoped(scope, move || {
                GIVEN_WAY.set(given_way);
                work();
            });
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
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::thread;

    use super::{GIVEN_WAY, Urgent};

    #[test]
    fn work_in_the_background_ends_although_something_stays_urgent() {
        let _urgent = Urgent::begin();
        // Maps within items are in the background as well, on whatever thread they run.
        let nested = |_: &usize| super::map(&[(), ()], |()| GIVEN_WAY.with_borrow(Option::is_some));
        let found = thread::spawn(move || {
            super::begin_in_background();
            super::map(&[0, 1, 2, 3], nested)
        });
        let found = found.join().expect("no panic");
        assert_eq!(found, vec![vec![true, true]; 4]);
        assert!(GIVEN_WAY.with_borrow(Option::is_none));
    }

    #[test]
    fn nothing_gives_way_while_a_thread_waits_for_it() {
        let _urgent = Urgent::begin();
        let waited = AtomicU64::new(0);
        super::wait_for(|| super::give_way(&waited));
        assert_eq!(waited.into_inner(), 0);
    }

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
