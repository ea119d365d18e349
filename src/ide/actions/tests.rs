//! The actions that are offered, and the texts after them.

mod environments;
mod inline;
mod other_formats;
mod refactorings;
mod text_blocks;

use super::*;
use crate::ide::fixture::Fixture;
use crate::text::apply_edits;

fn offered(fixture: &str, wanted: &[ActionKind]) -> (Vec<Action>, String) {
    let fixture = Fixture::parse(fixture);
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let end = fixture.mark(1).map_or(offset, |(_, end)| end);
    let range = TextRange::new(offset, end);
    let cancel = CancelToken::default();
    let actions = actions(&fixture.world(), &file.world_path(), range, wanted, &cancel);
    (actions, file.text.to_string())
}

/// The titles of all actions that are offered at `$0`; preferred ones have a star.
#[track_caller]
fn check_titles(fixture: &str, wanted: &[ActionKind], expected: &[&str]) {
    let (actions, _) = offered(fixture, wanted);
    let title = |it: &Action| format!("{}{}", if it.is_preferred { "* " } else { "" }, it.title);
    assert_eq!(actions.iter().map(title).collect::<Vec<_>>(), expected);
}

/// The text after the action with this title.
#[track_caller]
fn check(fixture: &str, title: &str, expected: &str) {
    let (actions, text) = offered(fixture, &ActionKind::ALL);
    let titles: Vec<_> = actions.iter().map(|it| &*it.title).collect();
    let Some(action) = actions.iter().find(|it| it.title == title) else {
        panic!("not offered: {titles:?}");
    };
    let [FileEdit { change: FileChange::Edit(edits), .. }] = &action.edits[..] else {
        panic!("more than one file: {:?}", action.edits);
    };
    assert_eq!(apply_edits(&text, edits), expected);
}

#[test]
fn fixes_are_offered_where_the_selection_touches_their_diagnostic() {
    let titles = [
        "* Write `true`",
        "Put quotes around it: a string",
        "Ignore yaml-1.1-boolean on line 1",
        "Ignore yaml-1.1-boolean in this file",
    ];
    check_titles("a: yes$0\nb: no\n", &[ActionKind::QuickFix], &titles);
    check_titles("a$0: yes\nb: no\n", &[ActionKind::QuickFix], &[]);
    let titles = ["Write `true`", "Write `false`"];
    let both = offered("$0a: yes\nb: no\n$1", &[ActionKind::QuickFix]).0;
    let preferred = both.iter().filter(|it| it.is_preferred).map(|it| &*it.title);
    assert_eq!(preferred.collect::<Vec<_>>(), titles);
}

/// Two rules can offer the same edit for a value.
#[test]
fn the_same_fix_is_offered_once() {
    check_titles(
        "w::a: NO$0\n#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
         #- /modules/w/manifests/init.pp\nclass w(String $a) { }\n",
        &[ActionKind::QuickFix],
        &[
            "* Put quotes around it: a string",
            "Ignore yaml-1.1-boolean on line 1",
            "Ignore value-type-mismatch on line 1",
            "Ignore yaml-1.1-boolean in this file",
            "Ignore value-type-mismatch in this file",
        ],
    );
}

#[test]
fn only_the_kinds_asked_for() {
    let fix_all = "Fix everything in this file that can be fixed safely";
    check_titles("a: yes$0\n", &[ActionKind::FixAll], &[fix_all]);
    check_titles("a: yes$0\n", &[ActionKind::Refactor], &[]);
    check_titles("a: true$0\n", &ActionKind::ALL, &[]);
}

#[test]
fn everything_safe_at_once() {
    let fix_all = "Fix everything in this file that can be fixed safely";
    check(
        "# why\r\na: yes # because\r\nb:\r\n  - no$0\r\n",
        fix_all,
        "# why\r\na: true # because\r\nb:\r\n  - false\r\n",
    );
}

#[test]
fn fixes_that_touch_are_done_together() {
    let fix_all = "Fix everything in this file that can be fixed safely";
    check("\"same\": a$0\n'same': b\nsame : c\nx: yes\n", fix_all, "same : c\nx: true\n");
    check("a: {q: 1, q: 2$0, \"q\": 3}\n", fix_all, "a: {\"q\": 3}\n");
}

#[test]
fn a_sensitive_value_stays_so_or_the_title_says_it() {
    let common =
        "lookup_options: {'^m::': {convert_to: Sensitive}}\nm::pw: hunter2\nother: hunter2\n";
    let title = |at: &str| {
        let common = common.replace(at, &format!("{at}$0"));
        let (found, _) = offered(&common, &[ActionKind::RefactorExtract]);
        found.into_iter().map(|it| it.title).collect::<Vec<_>>()
    };
    let extracted =
        |key: &str| format!("Extract the value into `{key}` in data/common.yaml (2 places)");
    assert_eq!(title("m::pw"), [extracted("pw") + ", which is not Sensitive"]);
    assert_eq!(title("other"), [extracted("other_shared")]);
}

#[test]
fn a_comment_for_the_line() {
    let title = "Ignore yaml-1.1-boolean on line 1";
    check("a: yes$0\nb: 1\n", title, "a: yes # hiera-ls: ignore[yaml-1.1-boolean]\nb: 1\n");
    check("a: yes$0  \r\n", title, "a: yes # hiera-ls: ignore[yaml-1.1-boolean]\r\n");
    check(
        "a: yes$0 # as ever\n",
        title,
        "# hiera-ls: ignore[yaml-1.1-boolean]\na: yes # as ever\n",
    );
    check(
        "a: yes$0 # hiera-ls: ignore[octal-number] x\n",
        title,
        "a: yes # hiera-ls: ignore[yaml-1.1-boolean, octal-number] x\n",
    );
    check(
        "# hiera-ls: ignore[octal-number]\r\na: yes$0\r\n",
        "Ignore yaml-1.1-boolean on line 2",
        "# hiera-ls: ignore[yaml-1.1-boolean, octal-number]\r\na: yes\r\n",
    );
}

#[test]
fn a_comment_never_lands_in_a_text() {
    let title = "Ignore unknown-function on line 2";
    check(
        "a:\n  b: \"%{lokup('x')}$0\n    c\"\n",
        title,
        "a:\n  # hiera-ls: ignore[unknown-function]\n  b: \"%{lokup('x')}\n    c\"\n",
    );
    check_titles(
        "a: '12:30' # hiera-ls: ignore[sexagesimal-num$0ber]\n",
        &[ActionKind::QuickFix],
        &["* Remove `sexagesimal-number` from the comment"],
    );
    let for_the_file = "Ignore unknown-function in this file";
    let check_offers = |text: &str, line: u8| {
        let for_the_line = format!("Ignore unknown-function on line {line}");
        let offered = ["* Write `lookup`", &for_the_line, for_the_file];
        check_titles(text, &[ActionKind::QuickFix], &offered);
    };
    // What follows the last line of a block would belong to it, too.
    for block in ["|\n  x", ">-\r\n  x\r\n ", "|2\n  x", "|+\n  x"] {
        for end in ["", " ", "\n", "  \r\n", "\n\nb: 1\n"] {
            let text = format!("a: {block} %{{lokup('x')}}$0{end}");
            check_offers(&text, 1);
            let nested = format!("a:\n- b: 1\n- {block} %{{lokup('x')}}$0{end}");
            check_offers(&nested, 3);
        }
    }
    check(
        "a:\n- |2+\r\n  x %{lokup('x')}$0\r\n\r\n",
        title,
        "a:\n- |2+ # hiera-ls: ignore[unknown-function]\r\n  x %{lokup('x')}\r\n\r\n",
    );
    check(
        "a: |\n  x\nb: yes$0\n",
        "Ignore yaml-1.1-boolean on line 3",
        "a: |\n  x\nb: yes # hiera-ls: ignore[yaml-1.1-boolean]\n",
    );
    check(
        "a: |\n  x\nb: yes$0 # c\n",
        "Ignore yaml-1.1-boolean on line 3",
        "a: |\n  x\n# hiera-ls: ignore[yaml-1.1-boolean]\nb: yes # c\n",
    );
    check(
        "\u{feff}# c\r\na: |\r\n  x %{lokup('x')}$0\r\n  y\r\n",
        for_the_file,
        "\u{feff}# hiera-ls: ignore-file[unknown-function]\r\n# c\r\na: |\r\n  x %{lokup('x')}\r\n  y\r\n",
    );
}

/// Puppet loses `b` here, and would find it below a comment.
#[test]
fn no_comment_comes_between_a_byte_order_mark_and_its_key() {
    let (actions, _) = offered("\u{feff}a: \"%{lokup('x')}$0\"\nb: 1\n", &[ActionKind::QuickFix]);
    let titles: Vec<&str> = actions.iter().map(|it| &*it.title).collect();
    assert_eq!(titles, ["Write `lookup`", "Ignore unknown-function on line 1"]);
}

#[test]
fn no_comments_in_templates() {
    let text = "#- /modules/m/templates/a.epp\n<%= lookup('h', undef, 'ha$0sh') %>\n#- /data/common.yaml\nh: 1\n";
    let (actions, _) = offered(text, &[ActionKind::QuickFix]);
    assert!(!actions.iter().any(|it| it.title.starts_with("Ignore")), "{actions:?}");
}

#[test]
fn no_comments_in_json() {
    let fixture = "
        #- /hiera.yaml
        version: 5
        hierarchy: [{name: a, path: a.json, data_hash: json_data}]
        #- /data/a.json
        {\"a\": \"%{lokup('x')}$0\"}
    ";
    check_titles(fixture, &[ActionKind::QuickFix], &["* Write `lookup`"]);
}
