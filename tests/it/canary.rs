//! A secret that is encrypted with eyaml comes out where its owner asked to see it, and nowhere else: everything that the
//! program writes is searched for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

/// What the two blobs hold.
const CANARY: &str = "canary-5e1f0c-secret";
const BLOB: &str = include_str!("../eyaml/TEST-ONLY-canary.txt");
/// With a token behind it that fails each lookup, in words that repeat the text.
const BLOB_WITH_TOKEN: &str = include_str!("../eyaml/TEST-ONLY-canary-with-token.txt");

const HIERA_YAML: &str = "\
version: 5
hierarchy:
  - name: Secrets
    lookup_key: eyaml_lookup_key
    paths: [high.eyaml, secrets.eyaml]
    options:
      pkcs7_private_key: keys/private.pem
      pkcs7_public_key: keys/public.pem
  - name: Common data
    path: common.yaml
";

const FORMATS: [&str; 7] = ["full", "concise", "json", "sarif", "github", "gitlab", "junit"];

/// Data that would show the secret in many a message if it were decrypted for them: clashes of types, broken tokens, duplicates.
fn secrets() -> String {
    let (blob, with_token) = (BLOB.trim(), BLOB_WITH_TOKEN.trim());
    format!(
        "password: {blob}\nbroken: {with_token}\nderived: \"x %{{lookup('password')}} y\"\n\
         of_broken: \"%{{lookup('broken')}}\"\nclash: {blob}\npassword: {blob}\nlist: [{blob_quoted}, a]\n",
        blob_quoted = format_args!("'{blob}'"),
    )
}

fn workspace(decrypt: bool) -> Workspace {
    let secrets = secrets();
    let settings =
        format!("eyaml: {{decrypt: {decrypt}}}\nnodes: {{web01: {{facts: {{a: 1}}}}}}\n");
    Workspace::new(&[
        ("hiera.yaml", HIERA_YAML),
        (".hiera-ls.yaml", &settings),
        ("keys/private.pem", include_str!("../eyaml/TEST-ONLY-private_key.pkcs7.pem")),
        ("keys/public.pem", include_str!("../eyaml/TEST-ONLY-public_key.pkcs7.pem")),
        ("data/secrets.eyaml", &secrets),
        ("data/high.eyaml", "clash: {a: 1}\n"),
        ("data/common.yaml", "lookup_options: {clash: {merge: hash}}\nuser: \"%{lokup('a')}\"\n"),
    ])
}

/// Standard output and standard error.
fn run(workspace: &Workspace, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(arguments)
        .current_dir(workspace.root())
        .env("HIERA_LS_LOG", "trace")
        .output()
        .expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    text(output.stdout) + &text(output.stderr)
}

#[track_caller]
fn check_absent(what: &str, text: &str) {
    assert!(!text.contains(CANARY), "{what} shows the secret:\n{text}");
}

#[test]
fn reports_never_hold_it() {
    for decrypt in [false, true] {
        let workspace = workspace(decrypt);
        for format in FORMATS {
            let text = run(&workspace, &["check", "--format", format, "--min-severity", "hint"]);
            assert!(text.contains("duplicate-key") || text.contains("already a key"), "{text}");
            check_absent(format, &text);
        }
    }
}

#[test]
fn lookup_shows_it_only_to_who_asks() {
    let keys = ["password", "broken", "derived", "of_broken", "clash", "list"];
    let (closed, open) = (workspace(false), workspace(true));
    for key in keys {
        for format in ["s", "json", "yaml", "jsonl"] {
            for more in [&[][..], &["--explain"], &["--encrypted", "fail"]] {
                let arguments = [&["lookup", key, "--render-as", format], more].concat();
                check_absent(key, &run(&closed, &arguments));
            }
        }
    }
    for arguments in [&["lookup", "derived"][..], &["lookup", "derived", "--encrypted", "fail"]] {
        check_absent("a workspace that is not trusted", &run(&open, arguments));
        assert!(run(&open, &[arguments, &["--trust"]].concat()).contains(CANARY));
    }
    assert!(run(&closed, &["lookup", "derived", "--encrypted", "decrypt"]).contains(CANARY));
}

#[test]
fn what_is_not_decrypted_is_marked_or_fails() {
    let closed = workspace(false);
    let kept = run(&closed, &["lookup", "password", "--render-as", "jsonl"]);
    assert!(kept.contains("\"status\":\"found\"") && kept.contains("\"encrypted\":true"), "{kept}");
    let failed =
        run(&closed, &["lookup", "password", "--encrypted", "fail", "--render-as", "jsonl"]);
    assert!(failed.contains("hiera-eyaml backend error decrypting ENC["), "{failed}");
    assert!(!failed.contains("\"encrypted\""), "{failed}");
}

#[test]
fn a_hover_shows_it_only_to_who_opted_in() {
    for (decrypt, trust) in [(false, true), (true, false), (true, true)] {
        let workspace = workspace(decrypt);
        let mut session = Session::start(&workspace, trust);
        // What a repository says counts only where it is trusted.
        let decrypt = decrypt && trust;
        let file = workspace.path("data/secrets.eyaml");
        let hover = |session: &mut Session, line: u64| {
            session.ask("textDocument/hover", &at(&file, line, 1)).to_string()
        };
        for line in [0, 2] {
            let shown = hover(&mut session, line);
            assert_eq!(shown.contains(CANARY), decrypt, "{shown}");
        }
        for preview in ["mergedValue", "explain"] {
            let shown = session.ask(&format!("hiera/{preview}"), &json!({"key": "derived"}));
            assert_eq!(shown.to_string().contains(CANARY), decrypt, "{shown}");
        }
        session.written.clear();
        session.ask_everything_else(&file);
        check_absent("an answer", &session.written);
        let offered = session.code_actions(&file, 0);
        let offered = offered.as_array().expect("a list of actions").clone();
        let secret: Vec<_> = offered.into_iter().filter(|it| !it["data"].is_null()).collect();
        assert_eq!(!secret.is_empty(), decrypt, "only who opted in may decrypt");
        for action in secret {
            let chosen = session.ask("codeAction/resolve", &action).to_string();
            assert!(chosen.contains(CANARY), "{chosen}");
        }
        let log = session.end();
        assert!(log.contains("DEBUG") || log.contains("TRACE"), "the log is on: {log}");
        check_absent("the log", &log);
    }
}

fn at(path: &str, line: u64, column: u64) -> Value {
    json!({"textDocument": {"uri": uri(path)}, "position": {"line": line, "character": column}})
}

/// The program with its log at its loudest.
struct Session {
    process: Child,
    output: BufReader<ChildStdout>,
    log: String,
    last_id: i64,
    /// All that the program sent.
    written: String,
}

impl Session {
    fn start(workspace: &Workspace, is_trusted: bool) -> Self {
        let log = workspace.path("log");
        let mut process = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(["server", "--log", "trace", "--log-file", &log])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(process.stdout.take().expect("it is a pipe"));
        let mut session = Self { process, output, log, last_id: 0, written: String::new() };
        let folder = json!({"uri": uri(workspace.root()), "name": "w"});
        let params = json!({
            "capabilities": {"textDocument": {"codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}},
                "dataSupport": true,
                "resolveSupport": {"properties": ["edit"]},
            }}},
            "workspaceFolders": [folder],
            "rootUri": null,
            "initializationOptions": {"isWorkspaceTrusted": is_trusted},
        });
        session.ask("initialize", &params);
        session.notify("initialized", &json!({}));
        for name in ["data/secrets.eyaml", "data/common.yaml", "data/high.eyaml", "hiera.yaml"] {
            let path = workspace.path(name);
            let text = std::fs::read_to_string(&path).expect("it was written");
            let document =
                json!({"uri": uri(&path), "languageId": "yaml", "version": 1, "text": text});
            session.notify("textDocument/didOpen", &json!({"textDocument": document}));
        }
        session
    }

    /// Every request that a file can be asked, and its diagnostics; the answers are in `written`.
    fn ask_everything_else(&mut self, file: &str) {
        let document = json!({"textDocument": {"uri": uri(file)}});
        for method in
            ["documentSymbol", "foldingRange", "documentLink", "codeLens", "semanticTokens/full"]
        {
            self.ask(&format!("textDocument/{method}"), &document);
        }
        let range = json!({"start": position((0, 0)), "end": position((9, 0))});
        let hints = json!({"textDocument": {"uri": uri(file)}, "range": range});
        self.ask("textDocument/inlayHint", &hints);
        self.ask("hiera/nodes", &Value::Null);
        self.ask("hiera/allNodes", &json!({"key": "derived"}));
        for line in 0..7 {
            self.code_actions(file, line);
            for column in [1, 22] {
                for method in ["completion", "definition", "documentHighlight"] {
                    self.ask(&format!("textDocument/{method}"), &at(file, line.into(), column));
                }
            }
        }
        self.ask("workspace/symbol", &json!({"query": "pass"}));
        while !self.written.contains("duplicate-key") {
            let message = self.read();
            self.written.push_str(&message.to_string());
        }
    }

    fn code_actions(&mut self, file: &str, line: u32) -> Value {
        let range = json!({"start": position((line, 0)), "end": position((line, 400))});
        let context = json!({"diagnostics": []});
        let params =
            json!({"textDocument": {"uri": uri(file)}, "range": range, "context": context});
        self.ask("textDocument/codeAction", &params)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut message = self.read();
            self.written.push_str(&message.to_string());
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].take();
            }
        }
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let pipe = self.process.stdin.as_mut().expect("it is a pipe");
        write!(pipe, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the program reads");
    }

    fn read(&mut self) -> Value {
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
        serde_json::from_slice(&body).expect("JSON")
    }

    /// Ends the program in good order; its log.
    fn end(mut self) -> String {
        self.ask("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        drop(self.process.stdin.take());
        self.process.wait().expect("it can be waited for");
        std::fs::read_to_string(&self.log).expect("the log is there")
    }
}
