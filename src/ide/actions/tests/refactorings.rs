//! Values that are moved to other levels, or become shared keys.

use std::fmt::Write as _;

use super::*;
use crate::data::inspect;
use crate::engine::Request;
use crate::ide::fixture_world::ROOT;
use crate::world::{Change, Host, MemoryDisk};

const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Roles, path: 'roles/%{facts.role}.yaml'}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {role: web}}, db01: {facts: {role: db}}}
";

const REFACTORINGS: [ActionKind; 3] =
    [ActionKind::Refactor, ActionKind::RefactorExtract, ActionKind::RefactorInline];

struct Outcome {
    /// All files by path, before and after.
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
}

pub(super) fn titles(files: &str) -> Vec<String> {
    let (actions, _) = offered(&format!("{HIERARCHY}{files}"), &REFACTORINGS);
    actions.into_iter().filter(|it| it.refusal.is_none()).map(|it| it.title).collect()
}

/// Why impossible actions are impossible, each reason once.
pub(super) fn refusals(files: &str) -> Vec<String> {
    let (actions, _) = offered(&format!("{HIERARCHY}{files}"), &REFACTORINGS);
    assert!(actions.iter().all(|it| it.refusal.is_none() || it.edits.is_empty()));
    let mut refusals: Vec<_> = actions.into_iter().filter_map(|it| it.refusal).collect();
    refusals.dedup();
    refusals
}

#[track_caller]
fn apply(files: &str, title: &str) -> Outcome {
    let fixture_text = format!("{HIERARCHY}{files}");
    let (actions, _) = offered(&fixture_text, &REFACTORINGS);
    let titles: Vec<_> = actions.iter().map(|it| &*it.title).collect();
    let Some(action) = actions.iter().find(|it| it.title == title) else {
        panic!("not offered: {titles:#?}");
    };
    let fixture = Fixture::parse(&fixture_text);
    let files = fixture.files.iter().map(|file| (file.world_path(), file.text.to_string()));
    let before: Vec<_> = files.collect();
    let mut after = before.clone();
    for edit in &action.edits {
        let known = after.iter_mut().find(|it| it.0 == *edit.path);
        match (&edit.change, known) {
            (FileChange::Edit(edits), Some(file)) => file.1 = apply_edits(&file.1, edits),
            (FileChange::Create(text), None) => after.push((edit.path.to_string(), text.clone())),
            (change, _) => panic!("{change:?} of {}", edit.path),
        }
    }
    Outcome { before, after }
}

/// `expected`: the files that differ afterwards, in the form of fixtures.
#[track_caller]
pub(super) fn check_files(files: &str, title: &str, expected: &str) {
    let outcome = apply(files, title);
    let mut shown = String::new();
    for (path, text) in &outcome.after {
        if !outcome.before.iter().any(|it| it.0 == *path && it.1 == *text) {
            let path = path.strip_prefix(ROOT).expect("a file of the fixture");
            write!(shown, "#- {path}\n{text}").expect("strings take everything");
        }
    }
    assert_eq!(shown, expected);
}

/// The value of each key that existed before, for each node.
fn answers(files: &[(String, String)], keys: &[Arc<str>]) -> Vec<String> {
    let mut host = Host::new(Arc::new(MemoryDisk::new(files.iter().cloned())));
    host.apply(Change::Folders(vec![ROOT.to_owned()]));
    let settings = files.iter().find(|it| it.0.ends_with("/.hiera-ls.yaml"));
    let settings = settings.map(|it| crate::settings::Settings::read(Some(&it.1), None, &[]).0);
    host.apply(Change::Settings(settings.expect("the fixture has settings")));
    let world = host.snapshot();
    let environment = world.environment_of(&format!("{ROOT}/hiera.yaml")).expect("there is one");
    let mut answers = Vec::new();
    for node in world.nodes(&environment).iter() {
        let evaluator = world.evaluator(&environment, node);
        for key in keys {
            let answer = evaluator.call(&Request::key(key.clone())).outcome;
            let value = answer.map(|it| it.map(|it| inspect::inspect(&it.value)));
            answers.push(format!("{} {key} {value:?}", node.name));
        }
    }
    answers
}

/// The same, and that no value changes.
#[track_caller]
pub(super) fn check_same_answers(files: &str, title: &str, expected: &str) {
    check_files(files, title, expected);
    let outcome = apply(files, title);
    let fixture = Fixture::parse(&format!("{HIERARCHY}{files}"));
    let world = fixture.world();
    let environment = world.environment_of(&format!("{ROOT}/hiera.yaml")).expect("there is one");
    let mut keys = world.all_keys(&environment);
    // A removed key is not compared.
    let is_there = |key: &Arc<str>| {
        let line = format!("{key}:");
        outcome.after.iter().any(|(_, text)| text.lines().any(|it| it.starts_with(&line)))
    };
    keys.retain(is_there);
    assert_eq!(answers(&outcome.before, &keys), answers(&outcome.after, &keys));
}

#[test]
fn an_override_for_this_node_or_role() {
    let files = "#- /data/common.yaml\na: 1\n# why\nb$0: # as ever\n  - x\n  - |\n    y\n\nc: 1\n#- /data/roles/web.yaml\nz: 1";
    assert_eq!(
        titles(files),
        [
            "Override `b` in data/nodes/web01.yaml (Nodes)",
            "Override `b` in data/roles/web.yaml (Roles)",
            "Move `b` up to data/nodes/web01.yaml (Nodes): removes the value for db01 and all unlisted nodes",
            "Move `b` up to data/roles/web.yaml (Roles): removes the value for db01 and unlisted nodes unless role is web",
        ]
    );
    check_files(
        files,
        "Override `b` in data/nodes/web01.yaml (Nodes)",
        "#- /data/nodes/web01.yaml\n---\nb: # as ever\n  - x\n  - |\n    y\n",
    );
    check_files(
        files,
        "Override `b` in data/roles/web.yaml (Roles)",
        "#- /data/roles/web.yaml\nz: 1\nb: # as ever\n  - x\n  - |\n    y\n",
    );
}

#[test]
fn titles_name_no_node_whose_fact_is_half_of_a_path() {
    let files = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Systems, paths: ['os/%{facts.os.name}-%{facts.os.release.major}.yaml', 'os/%{facts.os.family}.yaml']}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {name: Debian, family: Debian, release: {major: '12'}}}}}
#- /data/os/Debian-12.yaml
b$0: [3]
#- /data/os/Debian.yaml
z: 1
#- /data/os/RedHat.yaml
b: [2]
#- /data/common.yaml
lookup_options: {b: {merge: unique}}
b: [1]
";
    let (actions, _) = offered(files, &REFACTORINGS);
    assert_eq!(
        actions[0].title,
        "Move `b` down to data/os/Debian.yaml (Systems), which leaves the file empty: changes the value for some nodes where \
         facts.os.family is Debian and in 3 more cases"
    );
}

#[test]
fn without_a_node_the_reason_is_said() {
    let files = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: N, path: 'nodes/%{trusted.certname}.yaml'}\n\
                 - {name: C, path: common.yaml}\n#- /data/common.yaml\na$0: 2\n";
    let (actions, _) = offered(files, &[ActionKind::Refactor]);
    let why = "Choose a node: the files of the other levels depend on it.";
    assert!(actions.iter().any(|it| it.refusal.as_deref() == Some(why)), "{actions:?}");
}

#[test]
fn titles_count_other_keys_that_look_up_the_key() {
    let files = "#- /data/nodes/web01.yaml\nb$0: 1\nx: \"%{lookup('b')} %{lookup('b')}\"\n#- /data/common.yaml\n\
                 x: {y: [\"%{alias('b')}\"]}\nz: \"%{lookup('b.c')}\"\nn: \"%{lookup('bb')}\"\n";
    let moved = "Move `b` down to data/common.yaml (Common): adds the value for db01 and all unlisted nodes";
    assert_eq!(titles(files).pop(), Some(format!("{moved}; 2 other keys look it up")));
    let files = files.replace("x: ", "b2: ").replace("z: ", "b2: ");
    assert_eq!(titles(&files).pop(), Some(format!("{moved}; 1 other key looks it up")));
}

#[test]
fn a_move_down_takes_the_comments_along() {
    let files = "#- /data/common.yaml\r\nx: 1\r\n#- /data/nodes/web01.yaml\na: 1\n# why\n# so\nb$0: {c: 1} # as ever\nd: 1\n";
    check_files(
        files,
        "Move `b` down to data/common.yaml (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.yaml\nx: 1\r\n# why\r\n# so\r\nb: {c: 1} # as ever\r\n#- /data/nodes/web01.yaml\na: 1\nd: 1\n",
    );
}

#[test]
fn no_move_where_it_would_break_something() {
    let none: [&str; 0] = [];
    assert_eq!(
        titles("#- /data/common.yaml\na: 1\n#- /data/nodes/web01.yaml\na$0: 1\n"),
        ["Move `a` down to data/roles/web.yaml (Roles), which leaves the file empty"]
    );
    assert_eq!(titles("#- /data/nodes/web01.yaml\na$0: *x\nb: &x 1\n"), none);
    assert_eq!(titles("#- /data/nodes/web01.yaml\nlookup_options$0: {}\n"), none);
    assert_eq!(titles("#- /data/nodes/web01.yaml\n{a$0: 1}\n"), none);
    let broken = "#- /data/common.yaml\nx: [\n#- /data/roles/web.yaml\n{x: 1}\n#- /data/nodes/web01.yaml\na$0: 1\n";
    assert_eq!(titles(broken), none);
}

#[test]
fn an_entry_is_added_to_the_first_document() {
    let files = |web: &str| format!("#- /data/roles/web.yaml\n{web}#- /data/common.yaml\nc$0: 1\n");
    let check = |before: &str, after: &str| {
        let title = "Override `c` in data/roles/web.yaml (Roles)";
        check_files(&files(before), title, &format!("#- /data/roles/web.yaml\n{after}"));
    };
    check("a: 1\n---\nb: 2\n", "a: 1\nc: 1\n---\nb: 2\n");
    check("---\na: 1\n...\n# end\n", "---\na: 1\nc: 1\n...\n# end\n");
    check("---\na: |\n  x\n\n...\n---\nb: 2\n", "---\na: |\n  x\n\nc: 1\n...\n---\nb: 2\n");
    check("a: |-\n  ---\n  ...\n", "a: |-\n  ---\n  ...\nc: 1\n");
    check("{}\n", "c: 1\n");
    check("---\n# of web\n{}\n", "---\n# of web\nc: 1\n");
    check("--- {}\n# end\n", "---\nc: 1\n# end\n");
    check("--- # of web\n", "--- # of web\nc: 1\n");
}

#[test]
fn an_entry_is_separated_as_the_others_are() {
    let check = |before: &str, added: &str| {
        let files = format!("#- /data/roles/web.yaml\n{before}#- /data/common.yaml\nc$0: 1\n");
        let title = "Override `c` in data/roles/web.yaml (Roles)";
        check_files(&files, title, &format!("#- /data/roles/web.yaml\n{before}{added}"));
    };
    check("---\na: 1\n\n# why\nb: 2\n", "\nc: 1\n");
    check("a: 1\r\n\r\nb: 2\r\n", "\r\nc: 1\r\n");
    check("a:\n  x: 1\n\nb: |\n  x\n", "\nc: 1\n");
    check("a: 1\n\nb: 2\n\n", "c: 1\n");
    check("a: 1\n\nb: 2\nd: 3\n", "c: 1\n");
    check("a: 1\nb: 2\n\nd:\n  x: 1\n", "\nc: 1\n");
    check("d:\n  x: 1\n\na: 1\nb: 2\n", "c: 1\n");
    check("d:\n  x: 1\ne:\n  x: 1\n\na: 1\n\nb: 2\n", "\nc: 1\n");
    check("---\n\na: 1\n", "c: 1\n");
    // The empty line would be a part of the text.
    check("a: 1\n\nb: |+\n  x\n", "c: 1\n");
}

#[test]
fn a_file_that_cannot_take_an_entry_says_why() {
    let check = |web: &str, expected: &str| {
        let files = format!("#- /data/common.yaml\nc$0: 1\n#- /data/roles/web.yaml\n{web}");
        assert_eq!(refusals(&files), [format!("data/roles/web.yaml {expected}.")], "{web}");
    };
    check("\u{feff}a: 1\n", "starts with a byte order mark, so that Puppet may lose added keys");
    let without_line_end = "ends in a text without a line end, which would get one";
    check("a: |\n  x", without_line_end);
    check("a:\n- >+\n  x", without_line_end);
    check("{a: 1}\n", "is written in braces");
    check("{}\n{}\n", "is written in braces");
    check("{\n}\n", "is written in braces");
    check("{} # none yet\n", "is written in braces");
    check("[a]\n", "contains a value that is not a hash");
    check("~\n", "contains a value that is not a hash");
    check("a: [\n", "has an error, so Puppet cannot read it");
    check(
        "  a: 1\n  ? b\n  : 2\n",
        "has a root key that is not written at the start of a line, or not alone (line 1)",
    );
    assert_eq!(
        refusals("#- /data/common.yaml\nc$0: |\n  x"),
        ["`c` ends in a text without a line end, which would get one."]
    );
}

#[test]
fn entries_follow_a_key_after_a_question_mark() {
    for last in ["? b\n: 2\n", "? b\n:\n  - x\n", "? |\n  b\n: 2\n"] {
        check_same_answers(
            &format!("#- /data/common.yaml\na: long text$0\nc: long text\n{last}"),
            "Extract the value into `a_shared` in data/common.yaml (2 places)",
            &format!(
                "#- /data/common.yaml\na: \"%{{alias('a_shared')}}\"\nc: \"%{{alias('a_shared')}}\"\n{last}a_shared: 'long text'\n"
            ),
        );
    }
}

#[test]
fn a_file_of_another_node_has_its_place_by_its_level() {
    let files = "#- /.hiera-ls.yaml\nnodes: {db01: {facts: {role: db}}}\n#- /data/common.yaml\nx: 1\n\
                 #- /data/nodes/db01.yaml\na$0: 1\n";
    assert_eq!(
        titles(files),
        [
            "Move `a` down to data/roles/db.yaml (Roles), which leaves the file empty: adds the value for nodes where role is db",
            "Move `a` down to data/common.yaml (Common), which leaves the file empty: adds the value for all unlisted nodes",
        ]
    );
}

/// The cases of `web` and of all others together are those of all nodes that are not compared one by one, `b` among them.
#[test]
fn the_cases_of_all_other_nodes_are_joined() {
    let files = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                 - {name: N, path: 'nodes/%{trusted.certname}.yaml'}\n\
                 - {name: R, path: 'roles/%{facts.role}.yaml'}\n- {name: C, path: common.yaml}\n\
                 #- /data/common.yaml\ns: 1\n#- /data/roles/web.yaml\ns: 2\n\
                 #- /data/nodes/b.yaml\nz: 1\n\
                 #- /data/nodes/a.yaml\nt$0: \"%{lookup('s')}\"\ny: 1\n";
    let (actions, _) = offered(files, &REFACTORINGS);
    let found: Vec<&str> = actions.iter().map(|it| &*it.title).collect();
    let title = "Move `t` down to data/common.yaml (C): adds the value for all other nodes";
    assert!(found.contains(&title), "{found:?}");
}

#[test]
fn the_node_is_named_whose_file_is_called_after_another_variable() {
    let files = "#- /.hiera-ls.yaml\nnode: bgo-web-1\nnode_name: '(?<location>[a-z]+)-(?<role>[a-z]+)-\\d+'\n\
                 #- /hiera.yaml\nversion: 5\nhierarchy:\n\
                 - {name: N, path: 'nodes/%{location}/%{verified_host}.yaml'}\n\
                 - {name: L, path: '%{location}.yaml'}\n- {name: R, path: 'roles/%{role}.yaml'}\n\
                 #- /data/nodes/bgo/bgo-web-1.yaml\nz: 1\n#- /data/nodes/bgo/bgo-db-1.yaml\nz: 1\n\
                 #- /data/bgo.yaml\nt: 2\n#- /data/roles/web.yaml\nt$0: 1\n";
    let (actions, _) = offered(files, &REFACTORINGS);
    let found: Vec<&str> = actions.iter().map(|it| &*it.title).collect();
    let title =
        "Override `t` in data/nodes/bgo/bgo-web-1.yaml (N): changes the value for bgo-web-1";
    assert!(found.contains(&title), "{found:?}");
}

#[test]
fn levels_of_a_node_that_does_not_read_the_file_are_not_offered() {
    let files = "#- /data/common.yaml\nx: 1\n#- /data/nodes/web01.yaml\nx: 1\n";
    let offered = |file: &str| titles(&format!("{files}{file}"));
    assert_eq!(
        offered("#- /data/roles/db.yaml\na$0: 1\n"),
        [
            "Move `a` down to data/common.yaml (Common), which leaves the file empty: adds the value for web01 and unlisted \
             nodes unless role is db"
        ]
    );
    let own = offered("#- /data/roles/db.yaml\nx: 1\n#- /data/nodes/db01.yaml\na$0: 1\n");
    assert!(own[0].starts_with("Move `a` down to data/roles/db.yaml (Roles)"), "{own:?}");
    assert!(!own.iter().any(|it| it.contains("web.yaml")), "{own:?}");
}

#[test]
fn a_repeated_value_becomes_a_key() {
    let files = "#- /data/common.yaml\na::list$0:\n- one\n- two words\nz: 1\n#- /data/nodes/web01.yaml\nb: {c: [one, 'two words']}\n\
                 #- /data/nodes/db01.yaml\nb: {c: [one, two]}\n";
    check_same_answers(
        files,
        "Extract the value into `list` in data/common.yaml (2 places)",
        "#- /data/common.yaml\na::list: \"%{alias('list')}\"\nz: 1\nlist: [one, 'two words']\n\
         #- /data/nodes/web01.yaml\nb: {c: \"%{alias('list')}\"}\n",
    );
    let files = "#- /data/common.yaml\nurl: x\na: \"http://%{facts.role}/$0\"\nb: ['http://%{facts.role}/']\n";
    check_same_answers(
        files,
        "Extract the value into `a_shared` in data/common.yaml (2 places)",
        "#- /data/common.yaml\nurl: x\na: \"%{alias('a_shared')}\"\nb: [\"%{alias('a_shared')}\"]\na_shared: \"http://%{facts.role}/\"\n",
    );
}

/// A call in the place of a merged hash would be an ordinary member with the name `<<`.
#[test]
fn a_merged_hash_is_not_extracted() {
    let extracted = |text: &str| {
        let titles = titles(&format!("#- /data/common.yaml\n{text}")).into_iter();
        titles.filter(|it| it.starts_with("Extract")).collect::<Vec<_>>()
    };
    for text in [
        "a:\n  <<$0: {m: 1, n: 2}\n  o: 2\nb:\n  <<: {m: 1, n: 2}\n",
        "<<$0: {m: {n: 2}}\nb: {m: {n: 2}}\nc: {m: {n: 2}}\n",
        "a: {<<: text$0}\nb: {<<: text}\n",
        "a: {<<: [text$0]}\nb: {c: [text]}\n",
        "a:\n  <<: [{m: 1}, {n: 2}]\nb:\n  <<: {m: 1}\nc$0: {m: 1}\n",
    ] {
        assert_eq!(extracted(text), [""; 0], "{text}");
    }
    let text = "c$0: {m: 1}\nd: {m: 1}\na: {<<: {m: 1}}\nb: {<<: {x: {m: 1}}}\n";
    let title = "Extract the value into `c_shared` in data/common.yaml (3 places)";
    assert_eq!(extracted(text), [title]);
}

#[test]
fn a_name_with_a_token_names_no_extracted_value() {
    let files =
        "#- /data/common.yaml\nhomes: {'%{admin}': /srv/home$0}\nhome: /srv/home\nother: 1\n";
    assert!(!titles(files).iter().any(|it| it.contains("%{admin}")), "{:?}", titles(files));
}

#[test]
fn the_only_entry_before_the_end_of_a_document_stays() {
    let why = |file: &str| refusals(&format!("#- /data/nodes/web01.yaml\n{file}"));
    assert!(
        why("a$0: 1\n...\n").iter().any(|it| it.contains("before the end of the document")),
        "{:?}",
        why("a$0: 1\n...\n")
    );
    let none: [&str; 0] = [];
    assert_eq!(why("---\na$0: 1\n...\n"), none);
    assert_eq!(why("a$0: 1\n"), none);
}

#[test]
fn a_title_names_the_machine_of_a_file_however_many_there_are() {
    let files = (0..40).map(|it| format!("#- /data/nodes/n{it}.yaml\na: {it}\n"));
    let files = files.collect::<String>().replacen("a: 0\n", "a$0: 0\n", 1);
    let hierarchy = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                     - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: c, path: common.yaml}\n\
                     - {name: l, path: last.yaml}\n#- /data/common.yaml\na: c\n#- /data/last.yaml\nz: 1\n";
    let (actions, _) = offered(&format!("{hierarchy}{files}"), &[ActionKind::Refactor]);
    let down = actions.iter().find(|it| it.title.starts_with("Move `a` down to data/last.yaml"));
    let title = down.map(|it| &*it.title).unwrap_or_default();
    assert!(title.contains("changes the value for n0"), "{title}");
    assert!(title.ends_with("not all other nodes are compared"), "{title}");
}

#[test]
fn other_spellings_of_an_extracted_value_are_found() {
    let here = "#- /data/common.yaml\na$0: ['http://x.org/a-b it''s', café]\n";
    let yaml = "#- /data/nodes/web01.yaml\nb: {c: [\"http://x.org/a-b\n  it's\", \"caf\\xe9\"]}\n";
    let found = titles(&format!("{here}{yaml}"));
    let title = "Extract the value into `a_shared` in data/common.yaml (2 places)";
    assert!(found.iter().any(|it| it == title), "{found:?}");
    // No word of it is the same in all spellings.
    let here = "#- /data/common.yaml\na$0: éàüö\n";
    let found = titles(&format!("{here}#- /data/nodes/web01.yaml\nb: \"\\xe9\\xe0\\xfc\\xf6\"\n"));
    assert!(found.iter().any(|it| it == title), "{found:?}");
}

#[test]
fn comments_within_an_extracted_value_stay_or_are_said() {
    let other = "#- /data/nodes/web01.yaml\nb:\n  c: [one, two]\n";
    check_same_answers(
        &format!(
            "#- /data/common.yaml\na::list$0:\n- one   # first\n# next\n\n- two # last\nz: 1\n{other}"
        ),
        "Extract the value into `list` in data/common.yaml (2 places)",
        "#- /data/common.yaml\na::list: \"%{alias('list')}\" # last\nz: 1\nlist:\n  - one   # first\n  # next\n\n  - two\n\
         #- /data/nodes/web01.yaml\nb:\n  c: \"%{alias('list')}\"\n",
    );
    check_same_answers(
        "#- /data/common.yaml\nn:\n    a:\n        $0x:\n            - one # 1\n            - |\n              two\n              # 2\nb: {x: [one, \"two\\n# 2\\n\"]}\n",
        "Extract the value into `x` in data/common.yaml (2 places)",
        "#- /data/common.yaml\nn:\n    a:\n        x: \"%{alias('x')}\"\nb: {x: \"%{alias('x')}\"}\n\
         x:\n  - one # 1\n  - |\n    two\n    # 2\n",
    );
    let here = "#- /data/common.yaml\na::list: [one,\n  two]\n";
    let other = "#- /data/nodes/web01.yaml\nb:\n  c$0:\n    - one # first\n    - two\nd:\n  - one # 1\n  # 2\n  - two\n";
    let files = format!("{here}{other}");
    let found = titles(&files);
    let title = "Extract the value into `c` in data/common.yaml (3 places): removes 2 comments";
    assert!(found.iter().any(|it| it == title), "{found:?}");
}

#[test]
fn what_is_written_once_or_is_short_is_no_shared_key() {
    let extracts = |files: &str| {
        titles(files).into_iter().filter(|it| it.starts_with("Extract")).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(extracts("#- /data/common.yaml\na: long text$0\nb: another\n"), none);
    assert_eq!(extracts("#- /data/common.yaml\na: abc$0\nb: abc\n"), none);
    assert_eq!(extracts("#- /data/common.yaml\na: false$0\nb: false\n"), none);
    assert_eq!(extracts("#- /data/common.yaml\na: 'false'$0\nb: 'false'\n").len(), 1);
    let many = (0..101).map(|it| format!("k{it}: present\n")).collect::<Vec<_>>().concat();
    assert_eq!(extracts(&format!("#- /data/common.yaml\na: present$0\n{many}")), none);
    assert_eq!(extracts("#- /data/common.yaml\na: '12345'$0\nb: 12345\n"), none);
    assert_eq!(extracts("#- /data/nodes/web01.yaml\na: long text$0\nb: long text\n"), none);
    assert_eq!(
        extracts("#- /data/common.yaml\na: # why\n  - long text$0\nb: [long text]\n").len(),
        1
    );
    assert_eq!(extracts("#- /data/common.yaml\na$0: # why\n  - long text\nb: [long text]\n"), none);
}

#[test]
fn only_the_nearest_files_are_offered() {
    let paths = (0..100).map(|it| format!("l{it}.yaml")).collect::<Vec<_>>().join(", ");
    let files = format!(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, paths: [{paths}]}}]\n#- /data/l10.yaml\na$0: 1\n"
    );
    let (actions, _) = offered(&files, &[ActionKind::Refactor]);
    // Ten files above take a copy or the entry, 40 files below take the entry; 49 files are further away.
    assert_eq!(
        actions.len(),
        10 + 10 + 40 + 1,
        "{:#?}",
        actions.iter().map(|it| &it.title).collect::<Vec<_>>()
    );
    let last = actions.last().expect("there are actions");
    assert_eq!(last.title, "Override or move `a` in one of 49 more files");
    assert!(last.refusal.is_some());
}

/// All files of a glob are read by the same nodes.
#[test]
fn a_glob_offers_one_file() {
    let hierarchy = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                     - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: Roles, glob: 'roles/*.yaml'}\n\
                     - {name: Common, glob: 'common/*.yaml'}\n";
    let others = "#- /data/common/a.yaml\nx::y: 1\n#- /data/common/b.yaml\nntp::a: 1\nntp::b: 1\n";
    let offers = |files: &str| {
        let (actions, _) =
            offered(&format!("{HIERARCHY}{hierarchy}{others}{files}"), &[ActionKind::Refactor]);
        actions
            .into_iter()
            .map(|it| it.title.split(" (").next().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    let node = "#- /data/nodes/web01.yaml\nntp::c$0: 1\n";
    assert_eq!(
        offers(node),
        ["Move `ntp::c` down to data/common/b.yaml"],
        "most keys of the module"
    );
    let own = "#- /data/common/ntp.yaml\nz: 1\n";
    assert_eq!(offers(&format!("{own}{node}")), ["Move `ntp::c` down to data/common/ntp.yaml"]);
    let role = "#- /data/roles/a.yaml\nntp::c$0: 1\n";
    let above = "data/nodes/web01.yaml";
    assert_eq!(
        offers(&format!("{own}{role}#- /data/roles/b.yaml\nz: 1\n")),
        [
            &*format!("Override `ntp::c` in {above}"),
            &*format!("Move `ntp::c` up to {above}"),
            "Move `ntp::c` down to data/common/a.yaml"
        ],
        "the file with the same name, and no other role"
    );
    assert_eq!(
        offers("#- /data/nodes/web01.yaml\nversion$0: 1\n"),
        [""; 0],
        "a key without a module suits no file"
    );
    assert_eq!(
        offers(
            "#- /data/common/c.yaml\nversion$0: 1\n#- /data/roles/a.yaml\nz: 1\n#- /data/roles/b.yaml\n{}\n"
        )[1..2],
        ["Override `version` in data/roles/a.yaml"],
        "an override needs some file"
    );
    let taken = "#- /data/common/z.yaml\nntp::c: 2\n";
    assert!(offers(&format!("{taken}{node}")).is_empty(), "another file of the glob has the key");
}

/// A node that only its file names counts with that file, however many such files there are.
#[test]
fn titles_are_right_beside_hundreds_of_nodes() {
    let node = |it: u32| format!("#- /data/nodes/n{it}.yaml\na: 1\n");
    let nodes = (0..40).map(node).collect::<Vec<_>>().concat();
    let offers = |above: &str| {
        let files = format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: P, path: 'private/%{{trusted.certname}}.yaml'}}\n\
             - {{name: N, path: 'nodes/%{{trusted.certname}}.yaml'}}\n- {{name: C, path: common.yaml}}\n\
             #- /data/common.yaml\na: 2\n{nodes}#- /data/nodes/here.yaml\na$0: {above}\n"
        );
        let (actions, _) = offered(&files, &[ActionKind::Refactor]);
        actions.into_iter().map(|it| it.title).collect::<Vec<_>>()
    };
    let title = "Override `a` in data/private/here.yaml (P)";
    assert!(offers("1").iter().any(|it| it == title), "{:?}", offers("1"));
}

#[test]
fn a_path_that_is_too_long_is_no_target() {
    let path = "a/".repeat(3_000);
    let files = format!(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, path: '{path}x.yaml'}}, {{name: y, path: y.yaml}}]\n#- /data/y.yaml\na$0: 1\n"
    );
    let (actions, _) = offered(&files, &[ActionKind::Refactor]);
    assert_eq!(actions, []);
}

#[test]
fn nodes_are_not_compared_over_very_many_files() {
    let paths = (0..1_001).map(|it| format!("l{it}.yaml")).collect::<Vec<_>>().join(", ");
    let files = format!(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, paths: [{paths}]}}]\n#- /data/l1.yaml\na$0: 1\n"
    );
    let (actions, _) = offered(&files, &[ActionKind::Refactor]);
    assert_eq!(
        actions[0].title,
        "Override `a` in data/l0.yaml (x): nodes are not compared, because there are too many files"
    );
}
