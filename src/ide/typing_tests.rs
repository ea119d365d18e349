//! Cached results do not change any answer while a user types, and the cost of an edit depends on the edit, not on the file.

use std::sync::Arc;

use proptest::prelude::*;

use super::changes::edited_keys;
use super::{
    FilePart, Known, code_lenses, diagnostics, document_symbols, fold_parts, folds, inlay_hints,
    lens_parts, semantic_tokens, symbol_parts, token_parts,
};
use crate::engine::CancelToken;
use crate::text::TextRange;
use crate::world::{Change, Host, MemoryDisk, World};

const HIERA_YAML: &str = "version: 5\nhierarchy:\n\
     - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n\
     - {name: Roles, path: 'roles/%{role}.yaml'}\n\
     - {name: Common, path: common.yaml}\n";

const FACTS: &str = "{\"certname\": \"web01\", \"role\": \"web\"}";

const OPEN: [&str; 3] =
    ["/r/data/nodes/web01.yaml", "/r/data/roles/web.yaml", "/r/data/common.yaml"];

/// A workspace whose files have these `texts` and are all open in editors; `saved` are the texts on disk.
fn host(saved: &[String], texts: &[String], has_facts: bool) -> Host {
    let mut files = vec![("/r/hiera.yaml", HIERA_YAML), ("/r/data/roles/db.yaml", "a: 1\nb: 2\n")];
    files.extend(OPEN.iter().zip(saved).map(|(path, text)| (*path, text.as_str())));
    if has_facts {
        files.push(("/r/.hiera-ls/facts/web01.json", FACTS));
    }
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    // Files get their numbers in the order in which they are needed, and the answers contain these.
    for path in OPEN.into_iter().chain(["/r/data/roles/db.yaml"]) {
        host.snapshot().interned(path);
    }
    if has_facts {
        host.apply(Change::ActiveNode(Some("web01".into())));
    }
    for (path, text) in OPEN.iter().zip(texts) {
        open(&mut host, path, text);
    }
    host
}

fn open(host: &mut Host, path: &str, text: &str) {
    let (path, text) = (path.to_owned(), text.to_owned());
    host.apply(Change::OpenBuffer { path, text, version: 1 });
}

/// Everything that VS Code requests after an edit.
fn answers(world: &Arc<World>) -> Vec<String> {
    let cancel = CancelToken::default();
    let of_file = |path: &&str| {
        let whole = TextRange::new(0, world.file(path).map_or(0, |file| file.text.len() as u32));
        vec![
            format!("{path} {:?}", document_symbols(world, path)),
            format!("{path} {:?}", folds(world, path)),
            format!("{path} {:?}", code_lenses(world, path, &cancel)),
            format!("{path} {:?}", semantic_tokens(world, path, whole, &cancel)),
            format!("{path} {:?}", inlay_hints(world, path, whole, &cancel)),
            format!("{path} {:?}", diagnostics(world, path)),
            format!("{path} {:?}", edited_keys(world, path, &cancel)),
        ]
    };
    OPEN.iter().flat_map(of_file).collect()
}

/// A piece of a file: root keys that are shared, refer to each other, are merged, broken or anchored.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a: 1\n",
        "a: 2\n",
        "a: [x, y]\n",
        "a: {k: 1, l: \"%{lookup('c')}\"}\n",
        "a: {k: 2}\n",
        "b: \"%{lookup('a')}\"\n",
        "b: \"%{alias('c.k')}\"\n",
        "b: '%{facts.role} %{role}'\n",
        "c: {k: 1}\n",
        "c: {k: \"%{lookup('d')}\", m: 2}\n",
        "d: 1\n",
        "d: ENC[PKCS7,MIIB]\n",
        "d: \"%{lookup('b')}\"\n",
        "module::name: text\n",
        "module::name: [\n",
        "e: &x 1\n",
        "f: *x\n",
        "# comment\n# more\n",
        "\n",
        "  - odd\n",
        "lookup_options: {a: {merge: hash}}\n",
        "lookup_options: {c: {merge: deep}, a: {merge: unique}}\n",
        "lookup_options: {a: {merge: \"%{lookup('g')}\"}}\n",
        "lookup_options:\n  a: {merge: hash}\n  c: {merge: deep}\n",
        "  a: {merge: unique}\n",
        "  d: {convert_to: Integer}\n  b: {merge: {strategy: deep}}\n",
        "g: hash\n",
        "g: first\n",
    ])
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..9).prop_map(|pieces| pieces.concat())
}

/// The edited file, the position and length, and the new text.
fn edit() -> impl Strategy<Value = (usize, prop::sample::Index, usize, String)> {
    let typed = prop_oneof![
        4 => prop::sample::select(vec!["x", "1", " ", "\n", ":", "'", "\"", "%{", "}", "-"])
            .prop_map(str::to_owned),
        3 => piece().prop_map(str::to_owned),
    ];
    (0..OPEN.len(), any::<prop::sample::Index>(), 0_usize..3, typed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_kept_changes_no_answer(
        texts in prop::collection::vec(text(), OPEN.len()),
        edits in prop::collection::vec(edit(), 1..7),
        has_facts in any::<bool>(),
    ) {
        let saved = texts.clone();
        let mut texts = texts;
        let mut typed = host(&saved, &texts, has_facts);
        answers(&typed.snapshot());
        for (file, at, length, new) in edits {
            let text = &mut texts[file];
            let at = at.index(text.len() + 1);
            text.replace_range(at..(at + length).min(text.len()), &new);
            open(&mut typed, OPEN[file], text);
            let anew = host(&saved, &texts, has_facts);
            let (kept, anew) = (answers(&typed.snapshot()), answers(&anew.snapshot()));
            for (kept, anew) in kept.iter().zip(&anew) {
                prop_assert_eq!(kept, anew, "{:?}", texts);
            }
        }
    }
}

/// An entry can be removed only if others remain.
#[test]
fn fixes_follow_the_entries_beside_them() {
    let same = "b: \"%{alias('c.k')}\"\n";
    for other in ["lookup_options: {a: {merge: hash}}\n", "a: {merge: hash}\n"] {
        let whole = [String::new(), format!("{same}{other}"), same.to_owned()];
        let broken = [String::new(), whole[1].replace("hash", "has:"), same.to_owned()];
        let mut typed = host(&whole, &whole, false);
        answers(&typed.snapshot());
        for texts in [&broken, &whole, &broken] {
            open(&mut typed, OPEN[1], &texts[1]);
            let anew = host(&whole, texts, false);
            assert_eq!(answers(&typed.snapshot()), answers(&anew.snapshot()), "{}", texts[1]);
        }
    }
}

#[test]
fn lenses_follow_a_file_that_breaks() {
    let web = "a: 1\na: 1\n".to_owned();
    let saved = ["a: 1\na: 1\ng: hash\n".to_owned(), web.clone(), String::new()];
    let mut typed = host(&saved, &saved, true);
    answers(&typed.snapshot());
    for broken in
        ["# comment\n# more\n: 1\na: 1\ng: hash\n", "'# comment\n# more\n: 1\na: 1\ng: hash\n"]
    {
        open(&mut typed, OPEN[0], broken);
        let anew = host(&saved, &[broken.to_owned(), web.clone(), String::new()], true);
        assert_eq!(answers(&typed.snapshot()), answers(&anew.snapshot()), "{broken}");
    }
}

/// Makes a request, and returns the numbers of its parts.
type Ask<'a> = &'a dyn Fn(&Arc<World>, Known<'_>) -> Vec<u64>;

/// The numbers of the parts of an answer.
fn numbers<T>(parts: &[FilePart<T>]) -> Vec<u64> {
    parts.iter().map(|part| part.id).collect()
}

/// How many parts of each answer are computed after an edit of one key's value, and how many parts there are.
fn work_of_an_edit(entries: usize) -> (Vec<usize>, usize) {
    let common = |edited: &str| {
        let entry = |number: usize| match number % 4 {
            0 => format!("module::key_{number}: {{k: 1, l: [1,\n  2]}}\n"),
            1 => format!("module::key_{number}: \"%{{lookup('module::key_{}')}}\"\n", number - 1),
            _ => format!("module::key_{number}: {number}\n"),
        };
        let text: String = (0..entries).map(entry).collect();
        text.replace("module::key_10: 10", &format!("module::key_10: {edited}"))
    };
    let web = (0..entries).step_by(3).map(|it| format!("module::key_{it}: 1\n"));
    let web = web.collect::<Vec<_>>().concat();
    let texts = [String::new(), web, common("10")];
    let mut host = host(&texts, &texts, false);
    let path = OPEN[2];
    let cancel = CancelToken::default();
    let whole = TextRange::new(0, u32::MAX);
    let asked: [Ask<'_>; 4] = [
        &|world, known| numbers(&symbol_parts(world, path, known, &cancel)),
        &|world, known| numbers(&fold_parts(world, path, known, &cancel)),
        &|world, known| numbers(&token_parts(world, path, whole, known, &cancel)),
        &|world, known| numbers(&lens_parts(world, path, known, &cancel)),
    ];
    let before = asked.map(|ask| ask(&host.snapshot(), &mut |_| false));
    open(&mut host, path, &common("11"));
    let anew = asked.iter().zip(&before).map(|(ask, before)| {
        let mut anew = 0;
        ask(&host.snapshot(), &mut |id| {
            let is_known = before.contains(&id);
            anew += usize::from(!is_known);
            is_known
        });
        anew
    });
    (anew.collect(), before[2].len())
}

#[test]
fn work_follows_the_edit_and_not_the_file() {
    let (small, sections) = work_of_an_edit(128);
    let (large, more) = work_of_an_edit(2_048);
    assert_eq!(more, 16 * sections);
    assert_eq!(small, large);
    assert!(small.iter().all(|anew| *anew <= 1), "{small:?}");
}
