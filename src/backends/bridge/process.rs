//! A program that responds to requests: one JSON-RPC message per line in both directions, over its standard input and output.
//!
//! Callers always get a result in time. A program that is late, writes invalid messages or writes without end is killed. It
//! is started again when it is needed, after a pause if it failed before. While it works on a request, it may send requests
//! itself, and these may lead to further requests to it, so requests nest.

use std::collections::BTreeMap;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::messages::{Message, NO_MESSAGE, read, response};
use super::running::{MAX_MESSAGE, Output, Running};
use super::turn::Turn;

/// The maximum size in bytes of a program's output for one request.
const MAX_PER_QUESTION: u64 = 64 << 20;

/// The interval at which a waiting thread checks for cancellation.
const PAUSE: Duration = Duration::from_millis(20);

/// The pause after a first failure; doubled with each further one.
const FIRST_REST: Duration = Duration::from_secs(1);

/// The longest pause.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// JSON-RPC's error code for a cancelled request.
const CANCELLED: i64 = -32800;

/// A program that is started on the first request, and ends when this is dropped.
pub(super) struct Process {
    command: Vec<Arc<str>>,
    directory: Arc<str>,
    /// The additional time for its first response.
    time_to_start: Duration,
    turn: Turn,
    state: Mutex<State>,
    /// Why it failed, by the function that was called.
    problems: Mutex<BTreeMap<Arc<str>, Arc<str>>>,
    announce: Arc<dyn Fn() + Send + Sync>,
}

/// A request.
pub(super) struct Question<'q> {
    /// The function that it is for.
    pub(super) function: &'q Arc<str>,
    /// The JSON-RPC method.
    pub(super) method: &'q str,
    /// Its parameters.
    pub(super) params: Json,
    /// When the response is late.
    pub(super) timeout: Duration,
}

/// The caller, which responds to requests from the program.
pub(super) trait Asker {
    /// Whether the response is no longer needed.
    fn is_cancelled(&self) -> bool;

    /// Responds to a request, or handles a notification; the error is a JSON-RPC error object.
    fn answer(&mut self, method: &str, params: &Json) -> Result<Json, Json>;
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoResponse {
    /// It was cancelled.
    Cancelled,
    /// The program failed; the reason is worded to follow the function's name.
    Failed(Arc<str>),
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    last_id: u64,
    /// Failures since the last response.
    failures: u32,
    rest: Option<(Instant, Arc<str>)>,
    is_stopped: bool,
}

impl Process {
    pub(super) fn new(
        command: Vec<Arc<str>>,
        directory: Arc<str>,
        time_to_start: Duration,
        announce: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        Self {
            command,
            directory,
            time_to_start,
            turn: Turn::default(),
            state: Mutex::default(),
            problems: Mutex::default(),
            announce,
        }
    }

    /// Sends a request and waits for the response: the result, or a JSON-RPC error object.
    pub(super) fn ask(
        &self,
        question: Question<'_>,
        asker: &mut dyn Asker,
    ) -> Result<Result<Json, Json>, NoResponse> {
        let Some(_held) = self.turn.take(&|| asker.is_cancelled()) else {
            return Err(NoResponse::Cancelled);
        };
        let function = question.function;
        let answer = self.ask_in_turn(question, asker);
        match &answer {
            Ok(_) => self.note(function, None),
            Err(NoResponse::Failed(reason)) => self.note(function, Some(reason)),
            // A cancelled call says nothing about whether the function works.
            Err(NoResponse::Cancelled) => {}
        }
        answer
    }

    /// Why the last call of a function failed.
    pub(super) fn problem(&self, function: &str) -> Option<Arc<str>> {
        self.problems().get(function).cloned()
    }

    /// Stops the program for good.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        if let Some(running) = state.running.take() {
            running.end();
        }
    }

    fn ask_in_turn(
        &self,
        question: Question<'_>,
        asker: &mut dyn Asker,
    ) -> Result<Result<Json, Json>, NoResponse> {
        let number = self.start()?;
        self.wait_for_abandoned(number, asker)?;
        let Question { method, params, timeout, .. } = question;
        let id = self.with(number, |state| {
            state.last_id += 1;
            state.last_id
        })?;
        self.send(
            number,
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
        )?;
        let extra = self.with_running(number, |running| {
            if running.has_answered { Duration::ZERO } else { self.time_to_start }
        })?;
        let end = Instant::now() + timeout + extra;
        let late = || format!("did not answer within {}", seconds(timeout + extra));
        let mut said = 0;
        loop {
            let message = match self.next(number, end, asker) {
                Ok(message) => message,
                Err(None) => {
                    // The program still works on the request. Its response is taken later, so it does not have to start again.
                    self.with_running(number, |running| running.abandoned.insert(id, end))?;
                    return Err(NoResponse::Cancelled);
                }
                Err(Some(Broken::Late)) => return Err(self.fail(number, &late())),
                Err(Some(Broken::Failed(silence))) => return Err(silence),
            };
            let (message, bytes) = message;
            said += bytes;
            if said > MAX_PER_QUESTION {
                return Err(self.fail(number, "sends too much output"));
            }
            match read(message) {
                Message::Request { id, method, params } => {
                    let answer = asker.answer(&method, &params);
                    if let Some(id) = id {
                        self.send(number, &response(&id, answer))?;
                    }
                }
                Message::Response { id: of, answer } if of == id => {
                    self.with(number, |state| {
                        state.failures = 0;
                        if let Some(running) = &mut state.running {
                            running.has_answered = true;
                        }
                    })?;
                    return Ok(answer);
                }
                Message::Response { id: of, .. } => {
                    let expected = self.with_running(number, |it| it.abandoned.remove(&of))?;
                    if expected.is_none() {
                        return Err(self.fail(number, "sent a response without a request"));
                    }
                }
                Message::None => return Err(self.fail(number, NO_MESSAGE)),
            }
        }
    }

    /// Lets the program finish a cancelled request, so that its own requests can belong to one request only.
    fn wait_for_abandoned(&self, number: u64, asker: &mut dyn Asker) -> Result<(), NoResponse> {
        loop {
            let end =
                self.with_running(number, |running| running.abandoned.values().max().copied())?;
            let is_nested = self.turn.is_nested();
            // A nested request must not wait, because the program is in the middle of the outer one.
            let Some(end) = end.filter(|_| !is_nested) else { return Ok(()) };
            let message = match self.next(number, end, asker) {
                Ok((message, _)) => message,
                Err(None) => return Err(NoResponse::Cancelled),
                Err(Some(Broken::Late)) => {
                    return Err(self.fail(number, "did not answer an earlier question in time"));
                }
                Err(Some(Broken::Failed(silence))) => return Err(silence),
            };
            match read(message) {
                Message::Request { id: Some(id), .. } => {
                    let error = json!({"code": CANCELLED, "message": "cancelled"});
                    self.send(number, &response(&id, Err(error)))?;
                }
                Message::Request { id: None, .. } => {}
                Message::Response { id, .. } => {
                    self.with_running(number, |running| running.abandoned.remove(&id))?;
                }
                Message::None => return Err(self.fail(number, NO_MESSAGE)),
            }
        }
    }

    /// The next message and its size in bytes; `None` if the request was cancelled.
    fn next(
        &self,
        number: u64,
        end: Instant,
        asker: &dyn Asker,
    ) -> Result<(Json, u64), Option<Broken>> {
        loop {
            if asker.is_cancelled() {
                return Err(None);
            }
            let now = Instant::now();
            if now >= end {
                return Err(Some(Broken::Late));
            }
            // The state stays locked for one pause at most, so that `stop` does not have to wait long.
            let wait = PAUSE.min(end - now);
            let received = self.with_running(number, |running| running.output.recv_timeout(wait));
            let failed = |silence| Some(Broken::Failed(silence));
            match received.map_err(failed)? {
                Ok(Output::Message(message, bytes)) => return Ok((message, bytes)),
                Ok(Output::NoMessage) => return Err(failed(self.fail(number, NO_MESSAGE))),
                Ok(Output::TooLong) => {
                    let megabytes = MAX_MESSAGE >> 20;
                    let reason = format!("wrote a line of more than {megabytes} MB");
                    return Err(failed(self.fail(number, &reason)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = self.with_running(number, Running::last_words).map_err(failed)?;
                    return Err(failed(self.fail(number, &reason)));
                }
            }
        }
    }

    /// Starts the program if it does not run, and returns its number.
    fn start(&self) -> Result<u64, NoResponse> {
        let mut state = self.state();
        if state.is_stopped {
            return Err(NoResponse::Failed("is no longer called".into()));
        }
        if let Some(running) = &state.running {
            return Ok(running.number);
        }
        if let Some((until, reason)) = &state.rest
            && Instant::now() < *until
        {
            return Err(NoResponse::Failed(Arc::clone(reason)));
        }
        state.last_id += 1;
        let number = state.last_id;
        match Running::start(&self.command, &self.directory, number) {
            Ok(running) => {
                state.running = Some(running);
                Ok(number)
            }
            Err(error) => {
                let program = self.command.first().map_or("", |it| it);
                let reason = format!("cannot be started: {program}: {error}").into();
                Err(NoResponse::Failed(state.rest_after(reason)))
            }
        }
    }

    fn send(&self, number: u64, message: &Json) -> Result<(), NoResponse> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        // If the program has ended, the end of its output shows it.
        self.with_running(number, |running| drop(running.input.send(line)))
    }

    fn fail(&self, number: u64, reason: &str) -> NoResponse {
        let mut state = self.state();
        match state.running.take() {
            Some(running) if running.number == number => running.end(),
            other => state.running = other,
        }
        NoResponse::Failed(state.rest_after(reason.into()))
    }

    /// Accesses the state if the program with this number is still running.
    fn with<R>(&self, number: u64, visit: impl FnOnce(&mut State) -> R) -> Result<R, NoResponse> {
        let mut state = self.state();
        if state.running.as_ref().is_some_and(|running| running.number == number) {
            return Ok(visit(&mut state));
        }
        let reason = state.rest.as_ref().map(|(_, reason)| Arc::clone(reason));
        Err(NoResponse::Failed(reason.unwrap_or_else(|| "is no longer called".into())))
    }

    fn with_running<R>(
        &self,
        number: u64,
        visit: impl FnOnce(&mut Running) -> R,
    ) -> Result<R, NoResponse> {
        self.with(number, |state| {
            visit(state.running.as_mut().expect("`with` has seen that it runs"))
        })
    }

    fn note(&self, function: &Arc<str>, problem: Option<&Arc<str>>) {
        let mut problems = self.problems();
        let before = problems.get(function);
        if before == problem {
            return;
        }
        match problem {
            Some(reason) => problems.insert(Arc::clone(function), Arc::clone(reason)),
            None => problems.remove(function),
        };
        // The listener takes other locks and may ask for problems, so this lock must be free.
        drop(problems);
        (self.announce)();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn problems(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Arc<str>>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = self.command.first();
        formatter.debug_struct("Process").field("program", &program).finish_non_exhaustive()
    }
}

enum Broken {
    Late,
    Failed(NoResponse),
}

impl State {
    /// Counts a failure: the program is not started again until a pause is over.
    fn rest_after(&mut self, reason: Arc<str>) -> Arc<str> {
        let rest = FIRST_REST.saturating_mul(1 << self.failures.min(6)).min(LONGEST_REST);
        self.failures += 1;
        self.rest = Some((Instant::now() + rest, Arc::clone(&reason)));
        reason
    }
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0} s") } else { format!("{seconds:.1} s") }
}
