//! Kept results never show: while a user types, each response equals that of a server that has just started.

use hiera_ls::server::Features;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{position, uri};
use crate::support::workspace::Workspace;

const FILES: [(&str, &str); 3] = [
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: Common, path: common.yaml}\n",
    ),
    (".hiera-ls.yaml", "node: web01\nnodes: {web01: {facts: {a: 1}}}\n"),
    ("data/nodes/web01.yaml", "module::port: 8080\nmodule::key_7: other\nmodule::key_30: 1\n"),
];

/// The typed texts in order: the line, the number of columns that are removed from its third one on, and the new text.
const EDITS: [(u32, u32, &str); 12] = [
    (5, 0, "x"),
    (5, 1, ""),
    (20, 0, "\n"),
    (3, 0, "😀"),
    (40, 2, ""),
    (9, 0, "\nmodule::new: {a: [1,\n 2]}\n"),
    (0, 0, "# one\n# two\n"),
    (60, 0, "'"),
    (60, 1, ""),
    (2, 0, "%{facts.a}"),
    (10, 0, "\n- x\n- y\nmodule::list:\n  - name: z\n"),
    (1, 1, ""),
];

fn text() -> String {
    let entry = |number: u32| match number % 5 {
        0 => format!(
            "module::key_{number}:\n  a: {{b: [x]}}\n  'ä😀': \"%{{lookup('module::port')}}\"\n"
        ),
        1 => format!("# comment\n# of {number}\nmodule::key_{number}: [1, 2]\n"),
        _ => format!("module::key_{number}: text {number}\n"),
    };
    let entries: String = (0..100).map(entry).collect();
    format!("---\nmodule::port: 80\n{entries}")
}

fn client(workspace: &Workspace) -> Client {
    let capabilities = json!({
        "textDocument": {
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "diagnostic": {},
        },
        "experimental": {"commands": {"commands": ["hiera.preview"]}},
    });
    let params = json!({"capabilities": capabilities, "rootUri": uri(workspace.root())});
    let mut client = Client::start_with(Features::ide(), params);
    client.forget("hiera/activeNode");
    client
}

/// The responses about a file, without the names that the server chooses.
fn answers(client: &mut Client, path: &str) -> Vec<Value> {
    let whole = json!({"start": position((0, 0)), "end": position((900, 0))});
    let asked = [
        "documentSymbol",
        "foldingRange",
        "codeLens",
        "documentLink",
        "inlayHint",
        "semanticTokens/full",
        "diagnostic",
    ];
    let answers = asked.map(|what| {
        let params = json!({"textDocument": {"uri": uri(path)}, "range": whole});
        let mut answer = client.ask(&format!("textDocument/{what}"), params).expect("an answer");
        if let Some(named) = answer.as_object_mut() {
            named.remove("resultId");
        }
        answer
    });
    answers.into()
}

#[test]
fn answers_are_those_of_a_server_that_has_just_begun() {
    let workspace = Workspace::new(&FILES);
    let path = workspace.path("data/common.yaml");
    let mut typed = client(&workspace);
    let mut lines: Vec<String> = text().split('\n').map(str::to_owned).collect();
    typed.open(&path, &text());
    assert_eq!(answers(&mut typed, &path)[0].as_array().map(Vec::len), Some(101));
    for (version, (line, gone, new)) in (2..).zip(EDITS) {
        let at = line as usize;
        let units: Vec<u16> = lines[at].encode_utf16().collect();
        let (from, to) = (units.len().min(2), units.len().min(2 + gone as usize));
        let edited =
            [&units[..from], &new.encode_utf16().collect::<Vec<_>>(), &units[to..]].concat();
        let edited = String::from_utf16(&edited).expect("no character is cut");
        lines.splice(at..=at, edited.split('\n').map(str::to_owned));
        typed.edit(&path, version, ((line, from as u32), (line, to as u32)), new);

        let mut anew = client(&workspace);
        anew.open(&path, &lines.join("\n"));
        let (kept, anew) = (answers(&mut typed, &path), answers(&mut anew, &path));
        for (kept, anew) in kept.iter().zip(&anew) {
            assert_eq!(kept, anew, "after edit {version}");
        }
    }
}
