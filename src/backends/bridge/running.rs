//! A running program, with threads that write to it and read from it, so that neither side can block the other.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// The maximum length of a message, in bytes.
pub(super) const MAX_MESSAGE: u64 = 16 << 20;

/// The maximum number of unread messages.
const QUEUED_MESSAGES: usize = 64;

/// The time that a program gets to end by itself after it closed its output.
const LAST_MOMENTS: Duration = Duration::from_millis(300);

/// The number of bytes that are kept of a program's standard error.
const KEPT_COMPLAINT: usize = 400;

/// The program and its output.
pub(super) struct Running {
    child: Child,
    pub(super) input: Sender<Vec<u8>>,
    pub(super) output: Receiver<Output>,
    complaint: Arc<Mutex<Vec<u8>>>,
    pub(super) has_answered: bool,
    /// Cancelled requests, with the time at which they are late.
    pub(super) abandoned: BTreeMap<u64, Instant>,
    /// Distinguishes successive runs of the program.
    pub(super) number: u64,
}

/// A line that it wrote.
pub(super) enum Output {
    Message(Json, u64),
    /// Its text is not kept, because it may be a secret.
    NoMessage,
    TooLong,
}

impl Running {
    /// Starts it in a directory.
    pub(super) fn start(
        command: &[Arc<str>],
        directory: &str,
        number: u64,
    ) -> std::io::Result<Self> {
        let (program, arguments) = command.split_first().expect("settings have checked that");
        let mut child = Command::new(path_of(program, directory))
            .args(arguments.iter().map(|it| &**it))
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, to_write) = mpsc::channel();
        let (read, output) = mpsc::sync_channel(QUEUED_MESSAGES);
        let complaint = Arc::default();
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        let kept = Arc::clone(&complaint);
        thread::Builder::new().spawn(move || write_all(stdin, &to_write))?;
        thread::Builder::new().spawn(move || read_all(stdout, &read))?;
        thread::Builder::new().spawn(move || keep_the_end(stderr, &kept))?;
        let (has_answered, abandoned) = (false, BTreeMap::new());
        Ok(Self { child, input, output, complaint, has_answered, abandoned, number })
    }

    /// The error message for a program that closed its output.
    pub(super) fn last_words(&mut self) -> String {
        let end = Instant::now() + LAST_MOMENTS;
        let mut status = None;
        while status.is_none() && Instant::now() < end {
            status = self.child.try_wait().ok().flatten();
            thread::sleep(Duration::from_millis(5));
        }
        let status = status.map_or("its output is closed".to_owned(), |it| it.to_string());
        // Later output may contain secrets. If a program does not start, its first output says what is missing.
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let complaint = String::from_utf8_lossy(&complaint);
        match complaint.lines().map(str::trim).find(|line| !line.is_empty()) {
            Some(line) if !self.has_answered => {
                format!("ended without an answer ({status}): {}", shortened(line))
            }
            _ => format!("ended without an answer ({status})"),
        }
    }

    /// Kills it, whatever it is doing.
    pub(super) fn end(mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        // Without this, the process would remain as a zombie.
        let _ = self.child.wait();
    }
}

/// A program name that contains a slash is relative to the directory in which it runs.
fn path_of(program: &str, directory: &str) -> String {
    if program.contains('/') && !program.starts_with('/') {
        return format!("{directory}/{program}");
    }
    program.to_owned()
}

fn write_all(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_all(stdout: ChildStdout, messages: &mpsc::SyncSender<Output>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let bytes = match (&mut stdout).take(MAX_MESSAGE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(bytes) => bytes as u64,
        };
        let is_whole = line.ends_with(b"\n");
        let message = match serde_json::from_slice(&line) {
            Ok(message) => Output::Message(message, bytes),
            Err(_) if !is_whole && bytes == MAX_MESSAGE => Output::TooLong,
            Err(_) => Output::NoMessage,
        };
        if messages.send(message).is_err() {
            return;
        }
    }
}

fn keep_the_end(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut bytes) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&bytes[..count]);
        let gone = kept.len().saturating_sub(KEPT_COMPLAINT);
        kept.drain(..gone);
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(120).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
