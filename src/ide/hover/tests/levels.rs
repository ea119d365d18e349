//! Which levels a value comes from, and which of them makes a lookup fail.

use expect_test::{Expect, expect};

use crate::ide::fixture::Fixture;
use crate::ide::{Perspective, plain_text_of_key};

const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml}
  - {name: b, path: b.yaml}
  - {name: c, path: c.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
";

/// What follows the header, for each key.
#[track_caller]
fn check(files: &str, keys: &[&str], expected: &Expect) {
    let fixture = Fixture::parse_without_marks(&format!("{HIERARCHY}{files}"));
    let world = fixture.world();
    let file = fixture.file("/data/a.yaml").expect("there is such a file");
    let perspective = Perspective::of_file(&world, &file.world_path()).expect("it is data");
    let shown = keys.iter().map(|key| {
        let text = plain_text_of_key(&perspective, key);
        let lines =
            text.lines().skip(1).filter(|it| !it.is_empty() && !it.starts_with("Merge strategy"));
        format!("{key}: {}\n", lines.collect::<Vec<_>>().join(" | "))
    });
    expected.assert_eq(&shown.collect::<String>());
}

#[test]
fn an_item_of_a_merged_list_comes_from_the_level_that_has_it() {
    check(
        "#- /data/a.yaml
unique: [1]
knockout: ['--x', one]
deep: [{n: a}]
sorted: [z]
by_index: [{n: a}]
alias: [\"%{alias('unique')}\"]
#- /data/b.yaml
unique: [2, 1]
knockout: [x, two]
deep: [{n: b}, {n: c}]
sorted: [y]
by_index: [{n: b, m: b}]
alias: [3]
#- /data/c.yaml
lookup_options:
  unique: {merge: unique}
  knockout: {merge: {strategy: deep, knockout_prefix: '--'}}
  deep: {merge: deep}
  sorted: {merge: {strategy: deep, sort_merged_arrays: true}}
  by_index: {merge: {strategy: deep, merge_hash_arrays: true}}
  alias: {merge: deep}
",
        &[
            "unique.0",
            "unique.1",
            "knockout.0",
            "deep.2.n",
            "sorted.1",
            "by_index.0.n",
            "alias.1.0",
        ],
        &expect![[r#"
            unique.0: 1 | 1. level "a" · data/a.yaml:1
            unique.1: 2 | 1. level "b" · data/b.yaml:1
            knockout.0: two | 1. level "b" · data/b.yaml:2
            deep.2.n: a | 1. level "a" · data/a.yaml:3
            sorted.1: z | 1. level "a" · data/a.yaml:4
            by_index.0.n: a | 1. level "a" · data/a.yaml:5 | 2. level "b" · data/b.yaml:5 · overridden
            alias.1.0: 1 | 1. level "a" · data/a.yaml:6 | Inserted values: `unique` (`data/a.yaml:1`)
        "#]],
    );
}

#[test]
fn what_an_alias_inserts_belongs_to_the_level_of_the_alias() {
    check(
        "#- /data/a.yaml
member: \"%{alias('hash')}\"
below: {inner: \"%{alias('hash')}\"}
empty: \"%{alias('nothing')}\"
#- /data/b.yaml
hash: {x: 1}
nothing: {}
#- /data/c.yaml
lookup_options: {empty: {merge: {strategy: deep, knockout_prefix: '--'}}}
",
        &["member.x", "below.inner.x", "empty"],
        &expect![[r#"
            member.x: 1 | 1. level "a" · data/a.yaml:1 | Inserted values: `hash` (`data/b.yaml:1`)
            below.inner.x: 1 | 1. level "a" · data/a.yaml:2 | Inserted values: `hash` (`data/b.yaml:1`)
            empty: {} | 1. level "a" · data/a.yaml:3 | Inserted values: `nothing` (`data/b.yaml:2`)
        "#]],
    );
}

#[test]
fn a_merged_value_that_is_inserted_is_named_with_each_file() {
    check(
        "#- /data/a.yaml
hash: {a: 1, z: 2}
#- /data/b.yaml
hash: {b: 1}
#- /data/c.yaml
lookup_options: {hash: {merge: deep}}
two: 2
alias: \"%{alias('hash')}\"
text: \"%{lookup('hash')}\"
both: {q: \"%{alias('hash')}\", r: \"%{lookup('two')}\"}
",
        &["alias", "alias.b", "text", "both"],
        &expect![[r#"
            alias: b: 1 | a: 1 | z: 2 | 1. level "c" · data/c.yaml:3 | Inserted values: `hash` (`data/b.yaml:1`), `hash` (`data/a.yaml:1`)
            alias.b: 1 | 1. level "c" · data/c.yaml:3 | Inserted values: `hash` (`data/b.yaml:1`)
            text: '{"b"=>1, "a"=>1, "z"=>2}' | 1. level "c" · data/c.yaml:4 | Inserted values: `hash` (`data/b.yaml:1`), `hash` (`data/a.yaml:1`)
            both: q: |   b: 1 |   a: 1 |   z: 2 | r: '2' | 1. level "c" · data/c.yaml:5 | Inserted values: `hash` (`data/b.yaml:1`), `hash` (`data/a.yaml:1`), `two` (`data/c.yaml:2`)
        "#]],
    );
}

#[test]
fn a_failure_is_shown_with_its_place_and_its_level() {
    check(
        "#- /data/a.yaml
list: [4, 2]
merged: [1]
#- /data/b.yaml
list: [1, [2, 3]]
text: abc
merged: [[5]]
number: abc
strategy: 1
#- /data/c.yaml
lookup_options:
  merged: {merge: deep}
  number: {convert_to: Integer}
  strategy: {merge: nope}
",
        &["list.1.0", "text.0", "merged.1.0", "number", "strategy"],
        &expect![[r#"
            list.1.0: A lookup of this key fails at data/a.yaml:1: | undefined method `include?' for 2:Integer | 1. level "a" · data/a.yaml:1 | 2. level "b" · data/b.yaml:1 · overridden
            text.0: A lookup of this key fails at data/b.yaml:2: | Data Provider type mismatch: Got String when a hash-like object was expected to access value using '0' from key 'text.0' | 1. level "b" · data/b.yaml:2
            merged.1.0: A lookup of this key fails at data/a.yaml:2: | undefined method `include?' for 1:Integer | 1. level "a" · data/a.yaml:2
            number: A lookup of this key fails at data/c.yaml:3: | The convert_to lookup_option for key 'number' raised error: 'new' The string 'abc' cannot be converted to Integer | 1. level "b" · data/b.yaml:4 | To be converted to `Integer` by `lookup_options` in `data/c.yaml:3`
            strategy: A lookup of this key fails at data/c.yaml:4: | Unknown merge strategy: 'nope'
        "#]],
    );
}
