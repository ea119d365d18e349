//! The program itself, over real pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Program {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(arguments)
            .env("HIERA_LS_LOG", "info")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(process.stdout.take().expect("it is a pipe"));
        Self { process, output }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let pipe = self.process.stdin.as_mut().expect("it is a pipe");
        write!(pipe, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the program reads");
    }

    /// The result of a request.
    fn ask(&mut self, method: &str) -> Value {
        let params = if method == "initialize" { json!({"capabilities": {}}) } else { Value::Null };
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the program writes");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the program writes");
        serde_json::from_slice::<Value>(&body).expect("JSON")["result"].take()
    }

    /// Waits for the end; `None` if a signal caused it.
    fn exit_code(&mut self) -> Option<i32> {
        self.process.wait().expect("it can be waited for").code()
    }
}

#[test]
fn exit_ends_the_program_though_its_input_is_open() {
    let mut program = Program::start(&["server", "--stdio"]);
    let answer = program.ask("initialize");
    assert_eq!(answer["serverInfo"]["name"], "hiera-ls");
    program.ask("shutdown");
    program.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    // `wait` would close the input.
    let input = program.process.stdin.take();
    assert_eq!(program.exit_code(), Some(0));
    drop(input);
}

#[test]
fn the_end_of_the_input_ends_the_program() {
    let mut program = Program::start(&["server"]);
    program.ask("initialize");
    assert_eq!(program.exit_code(), Some(1));
}

#[test]
fn the_log_goes_to_a_file_if_wanted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("log");
    let path = path.to_str().expect("a path that is a text");
    let mut program = Program::start(&["server", "--log-file", path]);
    program.ask("initialize");
    program.ask("shutdown");
    assert_eq!(program.exit_code(), Some(0));
    let log = std::fs::read_to_string(path).expect("the log is there");
    assert!(log.contains("shut"), "{log}");
}

#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let mut program = Program::start(&["server", "--log-file", "/nowhere/at/all"]);
    assert_eq!(program.exit_code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn the_server_uses_small_pages() {
    let mut program = Program::start(&["server"]);
    program.ask("initialize");
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.process.id()));
    let status = status.expect("the program runs");
    // Old kernels do not say it.
    let pages = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
    assert!(pages.is_none_or(|it| it.trim() == "0"), "{status}");
    program.process.kill().expect("it runs");
    program.exit_code();
}
