//! A file read entry by entry is the file read whole, and a file after edits is the file read anew.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::data::{inspect, may_have_key};
use crate::syntax::tree::{NodeKind, Pair};

fn yaml(text: &str) -> DataFile {
    DataFile::new(FileId(0), Format::Yaml, text.into())
}

fn whole(text: &str) -> DataFile {
    let content = Content::Whole(Whole::of_yaml(FileId(0), text)).into();
    DataFile { content, ..yaml(text) }
}

/// All that a file says, as one text to compare.
fn all_of(file: &DataFile) -> String {
    let entries: Vec<String> = file.entries().map(|entry| format!("{entry:?}")).collect();
    format!(
        "{:#?}\n{}\n{}\n{:#?}\n{:#?}",
        file.verdict(),
        entries.join("\n"),
        trees_of(file),
        file.syntax_errors(),
        file.duplicate_keys()
    )
}

fn trees_of(file: &DataFile) -> String {
    let tree = |tree: EntryTree<'_>| {
        let pair =
            Pair { key: shifted(tree.key, tree.start), value: shifted(tree.value, tree.start) };
        format!("{pair:?}")
    };
    file.trees().map(tree).collect::<Vec<_>>().join("\n")
}

fn shifted(node: &Node, by: u32) -> Node {
    let kind = match &node.kind {
        NodeKind::Sequence(items) => {
            NodeKind::Sequence(items.iter().map(|item| shifted(item, by)).collect())
        }
        NodeKind::Mapping(pairs) => {
            let pair =
                |it: &Pair| Pair { key: shifted(&it.key, by), value: shifted(&it.value, by) };
            NodeKind::Mapping(pairs.iter().map(pair).collect())
        }
        kind => kind.clone(),
    };
    Node { range: node.range.shifted(by), kind, ..node.clone() }
}

#[track_caller]
fn check_is_split(text: &str, expected: bool) {
    let is_split = matches!(yaml(text).content(), Content::Entries(_));
    assert_eq!(is_split, expected, "{text:?}");
    check_split(text);
}

#[track_caller]
fn check_split(text: &str) {
    let (split, whole) = (yaml(text), whole(text));
    assert_eq!(split.verdict(), whole.verdict(), "verdict of {text:?}");
    if whole.syntax_errors().is_empty() {
        if matches!(whole.verdict(), Verdict::Hash) {
            assert_eq!(all_of(&split), all_of(&whole), "content of {text:?}");
        }
        assert_eq!(trees_of(&split), trees_of(&whole), "trees of {text:?}");
        let unread = yaml(text);
        for entry in whole.entries() {
            if let Some(key) = entry.key.as_str() {
                assert_eq!(
                    format!("{:?}", split.get(key)),
                    format!("{:?}", whole.get(key)),
                    "{key} of {text:?}"
                );
                assert!(may_have_key(text.as_bytes(), Format::Yaml, key), "{key} of {text:?}");
                for _ in 0..3 {
                    let read = unread.read(key);
                    assert_eq!(format!("{read:?}"), format!("{:?}", whole.get(key)), "{text:?}");
                }
            }
        }
    }
}

#[track_caller]
fn check_edits(texts: &[String]) {
    let mut file = yaml(&texts[0]);
    let _ = all_of(&file);
    for text in &texts[1..] {
        file = file.with_text(text.as_str().into());
        assert_eq!(all_of(&file), all_of(&yaml(text)), "{texts:#?}");
        let _ = file.get("a");
    }
}

#[test]
fn options_that_can_be_read_count_in_a_broken_file() {
    let text = "lookup_options:\n  a: {merge: unique}\n  b\n  c: {merge: hash}\na: [1]\n";
    let file = yaml(text);
    assert!(file.is_broken());
    let options = file.get("lookup_options").map(|it| inspect::inspect(&it.value.value));
    let expected = r#"{"a"=>{"merge"=>"unique"}, "c"=>{"merge"=>"hash"}}"#;
    assert_eq!(options.as_deref(), Some(expected));
    let place = file.get("lookup_options").and_then(|it| it.value.place);
    assert!(place.is_some_and(|it| it.range.slice(text).starts_with("a: {")));
}

#[test]
fn an_error_at_the_end_names_the_root_hash_wherever_the_edit_is() {
    let texts = |value: &str| -> String {
        let lines = (0..200)
            .map(|number| format!("k{number}: {}\n", if number == 90 { value } else { "1" }));
        lines.collect::<String>() + "ou'q': \"z\"\n 9193\n"
    };
    check_edits(&[texts("1"), texts("12345"), texts(""), format!("# one\n{}", texts(""))]);
}

#[test]
fn a_second_document_counts_once_nothing_before_it_is_broken() {
    let texts = |broken: &str| -> String {
        let line =
            |number| if number == 20 { broken.to_owned() } else { format!("k{number}: 1\n") };
        (0..200).map(line).collect::<String>() + "---\nk7: 2\n"
    };
    check_edits(&[texts("x\n"), texts("x: 1\n"), texts("x\n"), texts("x: \u{1}\n"), texts("x:\n")]);
}

const PIECES: &[&str] = &[
    "a: 1\n",
    "b:\n",
    "long::key: [1, 2]\n",
    "  c: 2\n",
    "- x\n",
    "  - y\n",
    "'q': \"z\"\n",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "# c\n",
    "\n",
    "\n",
    "---\n",
    "...\n",
    "? ",
    ": ",
    "|\n",
    ">-\n",
    "&x ",
    "*x\n",
    "<<: ",
    "!!str ",
    "!t ",
    "2001-01-01\n",
    "\r",
    "\t",
    "\u{85}",
    "\u{2028}",
    "\u{1}",
    "%",
    "@",
    "é",
    "- ",
    "  ",
    "\u{feff}",
    "k: &x {d: 4}\n",
    "m: *x\n",
    "<<: *x\n",
    "x\n",
    "0x\n",
    "a",
    "::",
    ":a: 1\n",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn ordinary_files_are_read_entry_by_entry() {
    check_is_split("---\n# c\na: 1\nb:\n- 1\n\n'c': |\n  x\n", true);
    check_is_split("a: \"x\ny\"\nb: [1,\n]\n", true);
    check_is_split("k:\n|\n  foo\nb: 1", true);
    check_is_split("a: 1\rb: 2", true);
}

#[test]
fn what_is_no_plain_block_hash_is_read_whole() {
    for text in [
        "",
        "~",
        "- a",
        "{a: 1}",
        "a: 1\n---\nb: 2",
        "a: 1\n...\n",
        "!!map\na: 1",
        "&x\na: 1",
        "%YAML 1.1\n---\na: 1",
        "  a: 1",
        "? a\n: b",
        "?\u{85}|\n::",
        "?\u{2028}|\n::",
        "?\n- a\n- b\n:\n- c\n",
        "\u{feff}a: 1",
    ] {
        check_is_split(text, false);
    }
}

#[test]
fn a_broken_entry_hides_no_other() {
    let file = yaml("a: 1\nb: [x\nc: 3\nd: \"y\ne: 5\n");
    let keys: Vec<_> = file.entries().map(|entry| entry.key.as_str().unwrap_or("")).collect();
    assert_eq!(keys, ["a", "c", "e"]);
    let ranges: Vec<_> = file.syntax_errors().iter().map(|error| error.range).collect();
    assert_eq!(ranges, [TextRange::new(8, 10), TextRange::new(19, 21)]);
}

#[test]
fn anchors_reach_into_later_entries() {
    let file = yaml("a: &x 1\nb: *x\nc: &x 2\nd: [*x, *x]\n<<: {e: *x}\n");
    for (key, expected) in [("b", "1"), ("d", "[2, 2]"), ("e", "2")] {
        let entry = file.get(key).expect("the key is there");
        assert_eq!(crate::data::inspect::inspect(&entry.value.value), expected);
    }
}

/// As Ruby's Psych reads them.
#[test]
fn a_hash_that_merges_itself_gets_the_pairs_so_far() {
    let cases = [
        ("{a: 1, <<: *n, b: 2}", r#"{"a"=>1, "b"=>2}"#),
        ("{a: 1, b: {c: 3, <<: *n}, d: 1}", r#"{"a"=>1, "b"=>{"c"=>3, "a"=>1}, "d"=>1}"#),
        ("{a: 1, b: {<<: [*n, {e: 1}]}}", r#"{"a"=>1, "b"=>{"e"=>1, "a"=>1}}"#),
        ("{a: 1, b: &m {<<: *n}, c: *m}", r#"{"a"=>1, "b"=>{"a"=>1}, "c"=>{"a"=>1}}"#),
        ("{<<: {<<: *n, x: 1}}", r#"{"x"=>1}"#),
        ("{<<: [*n]}", "{}"),
        ("{a: {x: 1}, <<: [*n, {a: 2, z: 1}]}", r#"{"a"=>{"x"=>1}, "z"=>1}"#),
    ];
    for (hash, expected) in cases {
        let file = yaml(&format!("g: &n {hash}\n"));
        let entry = file.get("g").unwrap_or_else(|| panic!("{hash} has no value"));
        let found = crate::data::inspect::inspect(&entry.value.value).replace(" => ", "=>");
        assert_eq!(found, expected, "{hash}");
        assert_eq!(file.verdict(), Verdict::Hash, "{hash}");
    }
    for ring in ["g: &n {a: 1, <<: [*n, 1]}\n", "g: &n [{<<: *n}]\n", "g: &n {a: [*n], <<: *n}\n"] {
        assert!(matches!(yaml(ring).verdict(), Verdict::Broken(_)), "{ring}");
    }
}

#[test]
fn a_ring_of_aliases_is_an_error_and_many_aliases_are_none() {
    let is_too_deep = |text: &str| matches!(yaml(text).verdict(), Verdict::Broken(it) if it.message == "stack level too deep");
    assert!(is_too_deep("a: &x [*x]\n"));
    let deep = format!("a: {}{}\n", "[".repeat(501), "]".repeat(501));
    assert!(is_too_deep(&deep));
    let mut laughs = "a0: &a0 [x]\n".to_owned();
    for level in 1..30 {
        let aliases = format!("*a{},", level - 1).repeat(9);
        let _ = writeln!(laughs, "a{level}: &a{level} [{aliases}]");
    }
    assert!(matches!(yaml(&laughs).verdict(), Verdict::Broken(_)));
    let link = |it| format!("a{it}: &a{it} [*a{}]\n", it - 1);
    let chain = (1..2_000).map(link).collect::<Vec<_>>().concat();
    assert!(is_too_deep(&format!("a0: &a0 x\n{chain}")));
}

#[test]
fn duplicates_are_told() {
    let file = yaml("a: 1\nb: 2\n\"a\": 3\n1: x\n1: y\n");
    let found = file.duplicate_keys();
    let expected = [
        DuplicateKey {
            key: Value::string("a"),
            ranges: vec![TextRange::new(0, 1), TextRange::new(10, 13)],
        },
        DuplicateKey {
            key: Value::Integer(1),
            ranges: vec![TextRange::new(17, 18), TextRange::new(22, 23)],
        },
    ];
    assert_eq!(found, expected);
}

#[test]
fn trees_keep_their_number_over_edits_elsewhere() {
    let entry = |it| format!("key{it}: value\n");
    let mut text = (0..500).map(entry).collect::<Vec<_>>().concat();
    let file = yaml(&text);
    let ids: Vec<u64> = file.trees().map(|tree| tree.id).collect();
    text.insert_str(text.find("key250").expect("it is there") + 9, "new ");
    let later: Vec<u64> =
        file.with_text(text.as_str().into()).trees().map(|tree| tree.id).collect();
    let kept = ids.iter().zip(&later).filter(|(old, new)| old == new).count();
    assert!(kept > 300, "{kept} kept");
}

#[test]
fn bytes_that_are_no_text_break_a_file() {
    let message =
        |bytes: &[u8]| match DataFile::not_utf8(FileId(0), Format::Yaml, 3, bytes).verdict() {
            Verdict::Broken(error) => error.message,
            other => format!("{other:?}"),
        };
    let expected = |what: &str| format!("Unable to parse ({{path}}): {what} at line 1 column 1");
    assert_eq!(message(b"\xff"), expected("invalid leading UTF-8 octet"));
    assert_eq!(message(b"\xe4b\n"), expected("invalid trailing UTF-8 octet"));
    assert_eq!(message(b"\xe4"), expected("incomplete UTF-8 octet sequence"));
}

#[test]
fn root_keys_are_the_same_with_and_without_a_parse() {
    let text = "a::b: 1\n# c\n'c d': [2]  # d\nyes: 3\n:e: 4\n5: 6\nlonger: x\n\n# z\n";
    let told = |file: &DataFile| -> Vec<String> {
        let key = |key: RootKey<'_>| {
            format!("{}={}={}", key.text, key.key.slice(text), key.value.slice(text))
        };
        file.root_keys().into_iter().map(key).collect()
    };
    let file = yaml(text);
    let expected = ["a::b=a::b=1", "c d='c d'=[2]  # d", "e=:e=4", "longer=longer=x"];
    assert_eq!(told(&file), expected);
    let _ = file.verdict();
    assert_eq!(told(&file), expected);
    let _ = file.entries().count();
    assert_eq!(told(&file.with_text(text.into())), expected);
}

/// `expected`: the root keys that can be looked up.
#[track_caller]
fn check_root_keys(text: &str, expected: &[&str]) {
    let file = yaml(text);
    let keys = |file: &DataFile| -> Vec<String> {
        file.root_keys().into_iter().map(|key| key.text.into_owned()).collect()
    };
    assert_eq!(keys(&file), expected, "{text}");
    for key in ["<<", "a", "b"] {
        let is_key = expected.contains(&key) || key == "a" && text.contains("a: 1");
        assert_eq!(file.get(key).is_some(), is_key, "{text}");
    }
    // This file is read as a whole, with the keys that a merge brings.
    let file = yaml(&format!("--- # x\n{text}...\n"));
    assert_eq!(keys(&file).contains(&"<<".to_owned()), expected.contains(&"<<"), "{text}");
}

#[test]
fn a_merge_key_with_text_is_a_root_key() {
    check_root_keys("a: 1\n? b\n: 2\n? \"c\"\n: 3\nd: 4\n", &["a", "b", "c", "d"]);
    check_root_keys("a: 1\rb: 2\rc: 3\r", &["a", "b", "c"]);
    check_root_keys("<<: text\nb: 2\n", &["<<", "b"]);
    check_root_keys("'<<': text # x\nb: 2\n", &["<<", "b"]);
    check_root_keys("\"<<\":\n  text\nb: 2\n", &["<<", "b"]);
    check_root_keys("<<: |\n  text\nb: 2\n", &["<<", "b"]);
    check_root_keys("<<: [x]\nb: 2\n", &["<<", "b"]);
    check_root_keys("<<:\nb: 2\n", &["<<", "b"]);
    check_root_keys("!!str <<: {c: 1}\nb: 2\n", &["<<", "b"]);
    check_root_keys("<<: {a: 1}\nb: 2\n", &["b"]);
    check_root_keys("'<<':\n  a: 1\nb: 2\n", &["b"]);
    check_root_keys("<<: [{a: 1}]\nb: 2\n", &["b"]);
    check_root_keys("b: &b {a: 1}\n<<: *b\n", &["b"]);
    // The tag keeps the keys from being read line by line.
    check_root_keys("!!str z: 1\n<<: {a: 1}\n", &["z"]);
    check_root_keys("!!str z: 1\n<<: text\n", &["z", "<<"]);
}

/// libyaml ignores the indentation inside of quotes and brackets.
#[test]
fn text_in_column_0_may_belong_to_a_value() {
    check_root_keys("b: \"x\ny\"\nc: 1\n", &["b", "c"]);
    check_root_keys("b: 'it''s\nmore'\nc: 1\n", &["b", "c"]);
    check_root_keys("b: \"x \\\" 'y'\ninside_it: z\"\nc: 1\n", &["b", "c"]);
    check_root_keys("longer_key: \"x\ninside_it: 1\"\nc: 1\n", &["longer_key", "c"]);
    check_root_keys("longer_key:\n  deep: 'x\ninside_it: 1'\nc: 1\n", &["longer_key", "c"]);
    check_root_keys("b: [x,\ny]\nlonger_key: {x: 1,\ninside_it: 2}\n", &["b", "longer_key"]);
    check_root_keys("'b': [x, # '\ny]\n", &["b"]);
    check_root_keys("b: # \"\n  it's\nlonger_key: 1\n", &["b", "longer_key"]);
    // A broken file: the first `b` ends at its line.
    check_root_keys("b: \"1\" a: [x]\nb: \"%{\ny}\"\n", &["b"]);
}

#[test]
fn a_byte_order_mark_may_precede_the_first_key() {
    let keys = |text: &str| -> Vec<String> {
        yaml(text).root_keys().into_iter().map(|key| key.text.into_owned()).collect()
    };
    assert_eq!(keys("\u{feff}a: 1\n"), ["a"]);
    assert_eq!(keys("\u{feff}# c\na: 1\nb: 2\n"), ["a", "b"]);
}

/// A text that is mostly sound, with some hundred entries.
fn long_text() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        8 => "[a-z]{1,8}(::[a-z]{1,4})?: ([a-z]{1,9}|[0-9]{1,4})\n",
        2 => "[a-z]{1,8}:\n(  - [a-z]{1,3}\n){1,3}",
        1 => "[a-z]{1,8}: (&x [a-z]|\\*x|\"[a-z]\n  [a-z]\")\n",
        1 => "(# [a-z]+)?\n",
    ];
    prop::collection::vec(entry, 0..250).prop_map(|entries| entries.concat())
}

fn edited(text: &str, at: prop::sample::Index, length: usize, piece: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = at.index(characters.len() + 1);
    let end = (at + length).min(characters.len());
    characters.splice(at..end, piece.chars());
    characters.into_iter().collect()
}

type EditStep = (prop::sample::Index, usize, &'static str);

fn edits() -> impl Strategy<Value = Vec<EditStep>> {
    let edit = (any::<prop::sample::Index>(), 0usize..4, prop::sample::select(PIECES));
    prop::collection::vec(edit, 1..8)
}

fn script(text: String, edits: Vec<EditStep>) -> Vec<String> {
    let mut texts = vec![text];
    for (at, length, piece) in edits {
        texts.push(edited(&texts[texts.len() - 1], at, length, piece));
    }
    texts
}

/// Reads each entry of the file alone. Gives how many could be read so.
#[track_caller]
fn check_lone_entries(text: &str) -> usize {
    let file = yaml(text);
    let mut count = 0;
    for key in file.root_keys() {
        let range = TextRange::new(key.key.start, key.value.end.max(key.key.end));
        let Some(lone) = DataFile::lone_entry(FileId(0), text, range) else { continue };
        // The last of several counts; those before it cannot be asked for.
        let is_last = |entry: &&RootEntry| entry.key_place == lone.key_place;
        if let Some(entry) = file.get(&key.text).filter(is_last) {
            assert_eq!(format!("{lone:?}"), format!("{entry:?}"), "{text:?}");
            count += 1;
        }
    }
    count
}

#[test]
fn entries_are_read_alone_but_for_aliases_of_other_entries() {
    let text = "---\na: 1 # one\n'b c': &x\n  - \"é\"\n  - *x\nd: *x\ne: |+\n  text\n\n# f\nf:\ng: {h: [yes]}\n";
    assert_eq!(check_lone_entries(text), 4);
    assert_eq!(check_lone_entries(&text.replace('\n', "\r\n")), 4);
    assert_eq!(check_lone_entries("{a: 1, b: 2}\n"), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn split_trees_are_the_whole_tree(text in text()) {
        check_split(&text);
    }

    #[test]
    fn split_trees_are_the_whole_tree_in_long_files(text in long_text()) {
        check_split(&text);
    }

    #[test]
    fn lone_entries_are_those_of_the_file(text in text()) {
        check_lone_entries(&text);
    }

    #[test]
    fn edits_give_what_reading_anew_gives(text in text(), edits in edits()) {
        check_edits(&script(text, edits));
    }

    #[test]
    fn edits_give_what_reading_anew_gives_in_long_files(text in long_text(), edits in edits()) {
        check_edits(&script(text, edits));
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
        for format in [Format::Yaml, Format::Json] {
            let _ = all_of(&DataFile::new(FileId(0), format, text.as_str().into()));
        }
    }
}

proptest! {
    #[test]
    fn what_was_asked_before_does_not_change_the_root_keys(text in long_text(), steps in edits()) {
        let told = |file: &DataFile| -> Vec<(String, TextRange, TextRange)> {
            file.root_keys().into_iter().map(|it| (it.text.into_owned(), it.key, it.value)).collect()
        };
        let mut text = text;
        let mut file = yaml(&text);
        for (at, length, piece) in steps {
            text = edited(&text, at, length, piece);
            file = file.with_text(text.as_str().into());
            let first = told(&file);
            let _ = (file.verdict(), file.entries().count());
            prop_assert_eq!(&first, &told(&file));
            prop_assert_eq!(&first, &told(&yaml(&text)));
        }
    }
}

#[test]
fn a_value_that_is_read_once_or_twice_is_not_kept() {
    let file = yaml("a: 1\nb: [2]\na::c: x\n");
    assert!(matches!(file.read("b"), Some(Cow::Owned(_))));
    assert!(matches!(file.read("b"), Some(Cow::Owned(_))));
    assert_eq!(file.lowered_entries(), 0);
    assert!(matches!(file.read("b"), Some(Cow::Borrowed(_))));
    assert!(matches!(file.read("b"), Some(Cow::Borrowed(_))));
    assert_eq!(file.lowered_entries(), 1);
    let _ = file.get("a");
    assert!(matches!(file.read("a"), Some(Cow::Borrowed(_))));
    assert!(file.read("d").is_none());
}
