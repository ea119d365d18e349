//! Everything that mentions a key: where it is written, interpolated, given lookup_options, looked up by code, and which
//! parameter it sets.

use std::sync::Arc;

use super::references::{Subject, in_code, parts_of};
use crate::config::Environment;
use crate::engine::CancelToken;
use crate::syntax::key_path;
use crate::text::TextRange;
use crate::world::World;

/// A place that mentions a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyUse {
    /// The file.
    pub path: Arc<str>,
    /// The name, in bytes of the file.
    pub range: TextRange,
    /// The kind of use.
    pub kind: UseKind,
}

/// How a place uses a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UseKind {
    /// It has a value.
    Declaration,
    /// It is interpolated into a string: `%{lookup('key')}`.
    Interpolation,
    /// An entry of lookup_options applies to it.
    Options,
    /// Puppet code looks it up.
    Manifest,
    /// It sets a parameter of a class.
    Parameter,
    /// Puppet code gives that parameter a value: `class { 'app': port => 1 }`.
    Given,
    /// Puppet code reads the variable of that parameter: `$app::port`.
    Variable,
}

/// Everything in an environment that mentions a key, sorted by file. `None` if the text is not a key.
pub fn uses_of_key(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    key: &str,
) -> Option<Vec<KeyUse>> {
    let path = key_path::parse(key).ok()?;
    path.root_name()?;
    let mut uses = Vec::new();
    uses.extend(in_code::of_key(world, environment, &path));
    let parts = parts_of(world, environment, &Subject::Key(path), &CancelToken::default());
    let kinds = [UseKind::Declaration, UseKind::Options, UseKind::Interpolation];
    for (kind, found) in kinds.into_iter().zip(parts) {
        let use_of = |path, range| KeyUse { path, range, kind };
        uses.extend(found.into_iter().map(|it| use_of(it.path, it.range)));
    }
    uses.sort();
    uses.dedup();
    Some(uses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}]
#- /data/common.yaml
a::b: 1$0
other: \"%{lookup('a::b')}\"
lookup_options: {'^a::': {merge: first}}
#- /manifests/site.pp
$x = lookup('a::b')
#- /modules/a/manifests/init.pp
class a($b, $c) { }
";

    #[track_caller]
    fn check(key: &str, expected: &[(&str, UseKind)]) {
        let fixture = Fixture::parse(FILES);
        let world = fixture.world();
        let environment = world.environment_of(&format!("{ROOT}/data/common.yaml"));
        let uses = uses_of_key(&world, &environment.expect("there is one"), key);
        let uses: Vec<_> = uses.expect("a key").into_iter().collect();
        let shown: Vec<_> = uses.iter().map(|it| (&it.path[ROOT.len()..], it.kind)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn in_data_options_and_code() {
        check(
            "a::b",
            &[
                ("/data/common.yaml", UseKind::Declaration),
                ("/data/common.yaml", UseKind::Interpolation),
                ("/data/common.yaml", UseKind::Options),
                ("/manifests/site.pp", UseKind::Manifest),
                ("/modules/a/manifests/init.pp", UseKind::Parameter),
            ],
        );
        check("nothing", &[]);
        check(
            "a::c",
            &[
                ("/data/common.yaml", UseKind::Options),
                ("/modules/a/manifests/init.pp", UseKind::Parameter),
            ],
        );
    }

    /// `expected`: the kinds and the texts of the uses.
    #[track_caller]
    fn check_texts(files: &str, key: &str, expected: &[(UseKind, &str)]) {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n{files}"
        ));
        let world = fixture.world();
        let environment = world.environment_of(&format!("{ROOT}/data/common.yaml"));
        let uses = uses_of_key(&world, &environment.expect("there is one"), key).expect("a key");
        let text = |it: &KeyUse| world.file(&it.path).expect("it is there").text.clone();
        let shown: Vec<_> =
            uses.iter().map(|it| (it.kind, it.range.slice(&text(it)).to_owned())).collect();
        let expected: Vec<_> =
            expected.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn dots_lead_to_members_and_belong_to_a_name_in_quotes() {
        let files = "#- /data/common.yaml\n'a.b': {c: 1}\na: {b: 2}\n\
                     x: \"%{lookup('a.b')}\"\ny: \"%{lookup(\\\"'a.b'.c\\\")}\"\n\
                     lookup_options: {a.b: {merge: hash}, a: {merge: deep}}\n\
                     #- /manifests/site.pp\nlookup('a.b') lookup(\"'a.b'.c\") lookup(\"'a.b'.${x}\") lookup('a')\n";
        check_texts(
            files,
            "'a.b'",
            &[
                (UseKind::Declaration, "'a.b'"),
                (UseKind::Interpolation, "'a.b'"),
                (UseKind::Options, "a.b"),
                (UseKind::Manifest, "'a.b'"),
                (UseKind::Manifest, "'a.b'"),
            ],
        );
        check_texts(
            files,
            "a.b",
            &[
                (UseKind::Declaration, "b"),
                (UseKind::Interpolation, "a.b"),
                (UseKind::Manifest, "a.b"),
            ],
        );
        check_texts(
            files,
            "a",
            &[
                (UseKind::Declaration, "a"),
                (UseKind::Interpolation, "a"),
                (UseKind::Options, "a"),
                (UseKind::Manifest, "a"),
                (UseKind::Manifest, "a"),
            ],
        );
    }
    #[test]
    fn code_that_sets_a_parameter_or_reads_its_variable() {
        let files = "#- /data/common.yaml\na::b: 1\n\
                     #- /modules/a/manifests/init.pp\nclass a($b, $c) { notice($b) }\n\
                     #- /manifests/site.pp\nclass { 'a': b => 1, c => 2 }\nclass { '::a': b => undef }\n\
                     notice($a::b, \"${::a::b} ${a::bc} $a::c\")\n\
                     #- /modules/a/templates/x.epp\n<%= $a::b %>\n";
        check_texts(
            files,
            "a::b",
            &[
                (UseKind::Declaration, "a::b"),
                (UseKind::Given, "b"),
                (UseKind::Given, "b"),
                (UseKind::Variable, "a::b"),
                (UseKind::Variable, "::a::b"),
                (UseKind::Parameter, "$b"),
                (UseKind::Variable, "a::b"),
            ],
        );
        check_texts(files, "a::d", &[]);
    }
}
