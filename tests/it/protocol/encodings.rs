//! A position means the same place in every encoding, with every line end.

use hiera_ls::ide::{Diagnostic, Hover, Severity};
use hiera_ls::server::Features;
use hiera_ls::text::TextRange;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::documents::{no_features, uri};

const PATH: &str = "/encodings/common.yaml";

/// Hovers show the text after the cursor, up to the next space or line end, and have its range.
fn hovers_show_the_rest_of_the_word() -> Features {
    Features {
        hover: |world, path, offset, _| {
            let text = world.file(path).ok()?.text.clone();
            let rest = text.get(offset as usize..)?;
            let word = rest.split([' ', '\r', '\n']).next()?;
            let range = TextRange::new(offset, offset + word.len() as u32);
            Some(Hover { markdown: word.to_owned(), range })
        },
        ..no_features()
    }
}

fn client_offering(encodings: &Value) -> Client {
    let general = json!({"positionEncodings": encodings});
    let params = json!({"capabilities": {"general": general}});
    Client::start_with(hovers_show_the_rest_of_the_word(), params)
}

/// Hovers at the `x` of `ä😀x` and edits it, in a client that offers `encodings` and gets `encoding`, in which `x` has
/// the column `x`.
#[track_caller]
fn check(encodings: &Value, encoding: &str, x: u32) {
    for line_end in ["\n", "\r\n", "\r"] {
        let mut client = client_offering(encodings);
        assert_eq!(client.initialize_result["capabilities"]["positionEncoding"], encoding);
        client.open(PATH, &format!("a: 1{line_end}ä😀x: 'ö😀'{line_end}"));
        let id = client.request_hover(PATH, (1, x));
        let hover = client.answer_to(id).expect("hover succeeds");
        assert_eq!(hover["contents"]["value"], "x:");
        let range = json!({
            "start": {"line": 1, "character": x}, "end": {"line": 1, "character": x + 2},
        });
        assert_eq!(hover["range"], range);
        client.edit(PATH, 2, ((1, x), (1, x + 1)), "😀y");
        assert_eq!(client.hover(PATH, (1, 0)), "ä😀😀y:");
        // A column after the line's end means the line's end, before its `\r\n`.
        client.edit(PATH, 3, ((0, 99), (1, 0)), "-");
        assert_eq!(client.hover(PATH, (0, 3)), "1-ä😀😀y:");
    }
}

#[test]
fn utf16_is_what_is_meant_if_nothing_is_said() {
    check(&Value::Null, "utf-16", 3);
    check(&json!(["utf-16"]), "utf-16", 3);
    check(&json!(["something-new"]), "utf-16", 3);
}

#[test]
fn utf8_counts_bytes() {
    check(&json!(["utf-8"]), "utf-8", 6);
    check(&json!(["utf-16", "utf-8"]), "utf-8", 6);
}

#[test]
fn utf32_counts_characters() {
    check(&json!(["utf-32"]), "utf-32", 2);
}

#[test]
fn a_byte_order_mark_is_a_character_of_the_text() {
    let mut client = client_offering(&json!(["utf-16"]));
    client.open(PATH, "\u{feff}a: 1\n");
    assert_eq!(client.hover(PATH, (0, 1)), "a:");
    client.edit(PATH, 2, ((0, 1), (0, 2)), "b");
    assert_eq!(client.hover(PATH, (0, 0)), "\u{feff}b:");
    client.edit(PATH, 3, ((0, 0), (0, 1)), "");
    assert_eq!(client.hover(PATH, (0, 0)), "b:");
}

#[test]
fn diagnostics_count_as_hovers_do() {
    let mut client = Client::start(Features {
        diagnostics: |world, path, _| {
            let text = world.file(path).map(|file| file.text.to_string()).unwrap_or_default();
            let at = text.find('x').unwrap_or(0) as u32;
            vec![Diagnostic {
                range: TextRange::new(at, at + 1),
                severity: Severity::Hint,
                code: "a-code",
                is_secret: false,
                message: "a message".to_owned(),
                related: Vec::new(),
                url: None,
                fixes: Vec::new(),
            }]
        },
        ..no_features()
    });
    client.open(PATH, "a: 1\r\nä😀x: 1\r\n");
    let published = client.notification("textDocument/publishDiagnostics");
    let expected = json!({
        "uri": uri(PATH),
        "version": 1,
        "diagnostics": [{
            "range": {
                "start": {"line": 1, "character": 3},
                "end": {"line": 1, "character": 4},
            },
            "severity": 4,
            "code": "a-code",
            "source": "hiera",
            "message": "a message",
        }],
    });
    assert_eq!(published, expected);
}
