//! A secret that is encrypted with eyaml is shown only where its owner asked to see it, and a `Sensitive` value only by a
//! lookup. The tests search everything that the program writes for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

/// The content of the two blobs.
const CANARY: &str = "canary-5e1f0c-secret";
const BLOB: &str = include_str!("../eyaml/TEST-ONLY-canary.txt");
/// With a token after it that makes each lookup fail, with a message that repeats the text.
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

/// Data that would show the secret in many messages if they were decrypted: clashes of types, broken tokens, duplicates.
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
    run_with_variable(workspace, arguments, ("HIERA_LS_LOG", "trace"))
}

fn run_with_variable(
    workspace: &Workspace,
    arguments: &[&str],
    (variable, text): (&str, &str),
) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(arguments)
        .current_dir(workspace.root())
        .env(variable, text)
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
fn a_key_in_an_environment_variable_serves_one_node_and_all_nodes() {
    let workspace = workspace(false);
    let config = HIERA_YAML
        .replace("pkcs7_private_key: keys/private.pem", "pkcs7_private_key_env_var: PRIVATE_KEY");
    workspace.write("hiera.yaml", &config);
    let key = ("PRIVATE_KEY", include_str!("../eyaml/TEST-ONLY-private_key.pkcs7.pem"));
    for nodes in [&[][..], &["--nodes", "all"]] {
        let lookup = |encrypted| {
            let arguments = [&["lookup", "password", "--encrypted", encrypted], nodes].concat();
            run_with_variable(&workspace, &arguments, key)
        };
        let decrypted = lookup("decrypt");
        assert!(decrypted.contains(CANARY), "{nodes:?}: {decrypted}");
        check_absent("keep", &lookup("keep"));
    }
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
        let mut session = Session::start(&workspace, &OPENED, trust);
        // A repository's own settings count only if it is trusted.
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

/// Files that an editor has open.
const OPENED: [&str; 4] =
    ["data/secrets.eyaml", "data/common.yaml", "data/high.eyaml", "hiera.yaml"];

/// The values that `lookup_options` make `Sensitive`, each with its own end.
const SENSITIVE: &str = "canary-7d20aa-";

/// Every way to a value that is `Sensitive`: its own key, a hash and a list, a pattern, a level above, a module, a lookup,
/// an alias and a sub key, a wrong type, a duplicate key, and the value of a parameter.
fn sensitive_workspace() -> Workspace {
    let common = "\
lookup_options:
  app::password: {convert_to: Sensitive}
  app::tokens: {convert_to: 'Optional[Sensitive]', merge: deep}
  '^app::.*_secret$': {convert_to: ' Sensitive'}
  app::clash: {convert_to: ['NotUndef[Sensitive]'], merge: hash}
app::password: CANARY-a
app::tokens: {one: CANARY-b, two: [CANARY-c]}
app::db_secret: CANARY-d
app::clash: CANARY-e
app::url: \"http://%{lookup('app::password')}/\"
app::copy: \"%{alias('app::password')}\"
app::part: \"%{lookup('app::tokens.one')}\"
app::db_secret: CANARY-f
app::typed_secret: “CANARY-k”
app::called_secret: \"%{lookup(CANARY-l)}\"
";
    let node = "\
app::password: CANARY-g
app::tokens: {one: CANARY-h}
app::clash: {a: CANARY-i}
app::db_secret: \"CANARY-j %{lokup('x')}\"
";
    let manifest = "class app (Sensitive $password, Integer $db_secret, Hash $tokens, $url) { }\n";
    let with_canaries = |text: &str| text.replace("CANARY-", SENSITIVE);
    Workspace::new(&[
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - {name: n, path: 'n/%{trusted.certname}.yaml'}\n  - {name: c, path: common.yaml}\n",
        ),
        (".hiera-ls.yaml", "nodes: {web: {facts: {a: 1}}, db: {facts: {a: 2}}}\n"),
        ("data/common.yaml", &with_canaries(common)),
        ("data/n/web.yaml", &with_canaries(node)),
        ("modules/app/manifests/init.pp", manifest),
    ])
}

#[test]
fn what_is_sensitive_is_in_no_answer_of_the_server() {
    let workspace = sensitive_workspace();
    let opened = ["data/common.yaml", "data/n/web.yaml", "hiera.yaml"];
    let keys = [
        "password",
        "tokens",
        "tokens.one",
        "db_secret",
        "clash",
        "url",
        "copy",
        "part",
        "typed_secret",
        "called_secret",
    ];
    for node in [Value::Null, json!("web"), json!("db")] {
        let mut session = Session::start(&workspace, &opened, false);
        session.ask("hiera/selectNode", &json!({"name": node}));
        for name in opened {
            let file = workspace.path(name);
            session.ask_everything_else(&file);
            for line in 0..18 {
                for column in [2, 30] {
                    session.ask("textDocument/hover", &at(&file, line, column));
                }
            }
            let question = json!({"textDocument": {"uri": uri(&file)}, "scope": "node"});
            for request in ["mergedValue", "hierarchy", "changes"] {
                session.ask(&format!("hiera/{request}"), &question);
            }
            for key in keys.map(|key| format!("app::{key}")) {
                for request in ["mergedValue", "explain", "allNodes", "cases"] {
                    let question = json!({"key": key, "textDocument": {"uri": uri(&file)}});
                    session.ask(&format!("hiera/{request}"), &question);
                }
                for other in [json!({"node": "db"}), json!({"saved": true})] {
                    let question = json!({"key": key, "node": "web", "with": other});
                    session.ask("hiera/compare", &question);
                }
            }
        }
        assert!(session.written.contains("hidden") || session.written.contains("redacted"));
        let shown = session.written.match_indices(SENSITIVE).map(|(at, _)| {
            let from = session.written[..at].char_indices().rev().nth(300).map_or(0, |it| it.0);
            session.written[from..].chars().take(400).collect::<String>()
        });
        let shown: Vec<String> = shown.take(5).collect();
        assert!(shown.is_empty(), "as {node}: {}", shown.join("\n----\n"));
        check_sensitive_absent("the log", &session.end());
    }
}

#[test]
fn what_is_sensitive_is_in_no_report() {
    let workspace = sensitive_workspace();
    for format in FORMATS {
        let text = run(&workspace, &["check", "--format", format, "--min-severity", "hint"]);
        assert!(text.contains("duplicate-key") || text.contains("already a key"), "{text}");
        check_sensitive_absent(format, &text);
    }
}

#[test]
fn a_value_that_is_not_parsed_is_hidden_however_its_options_name_the_type() {
    for wanted in ["Sensitive", "\"\\x53ensitive\"", "'Site::Secret'"] {
        let options = format!("lookup_options: {{app::password: {{convert_to: {wanted}}}}}\n");
        let data = format!("a: 1\n app::password: \"{SENSITIVE}a\n   : [ {SENSITIVE}b\nb: 2\n");
        let workspace = Workspace::new(&[
            ("hiera.yaml", "version: 5\nhierarchy: [{name: c, paths: [o.yaml, common.yaml]}]\n"),
            ("data/o.yaml", &options),
            ("data/common.yaml", &data),
            ("modules/site/types/secret.pp", "type Site::Secret = Sensitive[String]\n"),
        ]);
        for format in FORMATS {
            let text = run(&workspace, &["check", "--format", format]);
            assert!(text.contains("common.yaml"), "{text}");
            check_sensitive_absent(&format!("{wanted}, {format}"), &text);
        }
    }
}

#[track_caller]
fn check_sensitive_absent(what: &str, text: &str) {
    let line = text.lines().find(|line| line.contains(SENSITIVE));
    assert!(line.is_none(), "{what} shows what is sensitive:\n{}", line.unwrap_or_default());
}

fn at(path: &str, line: u64, column: u64) -> Value {
    json!({"textDocument": {"uri": uri(path)}, "position": {"line": line, "character": column}})
}

/// The program with its most detailed log.
struct Session {
    process: Child,
    output: BufReader<ChildStdout>,
    log: String,
    last_id: i64,
    /// Everything that the program sent.
    written: String,
}

impl Session {
    fn start(workspace: &Workspace, opened: &[&str], is_trusted: bool) -> Self {
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
        for name in opened {
            let path = workspace.path(name);
            let text = std::fs::read_to_string(&path).expect("it was written");
            let document =
                json!({"uri": uri(&path), "languageId": "yaml", "version": 1, "text": text});
            session.notify("textDocument/didOpen", &json!({"textDocument": document}));
        }
        session
    }

    /// Sends every request about a file, and collects its diagnostics; the responses are in `written`.
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

    /// Ends the program in an orderly way; returns its log.
    fn end(mut self) -> String {
        self.ask("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        drop(self.process.stdin.take());
        self.process.wait().expect("it can be waited for");
        std::fs::read_to_string(&self.log).expect("the log is there")
    }
}
