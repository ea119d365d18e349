//! From a class parameter or a lookup into the data: to every level that has the key, the highest priority first.

use std::sync::Arc;

use super::spot::{CodeSpot, spot};
use crate::ide::definition::{Target, key_targets};
use crate::ide::perspective::Perspective;
use crate::syntax::key_path::{self, KeyPath};
use crate::text::TextRange;
use crate::world::World;

/// Where the data has the key at `offset` (bytes) of the Puppet code at `path`.
pub(in crate::ide) fn definition(
    perspective: &Perspective,
    path: &str,
    offset: u32,
) -> Vec<Target> {
    let asked = asked_key(&perspective.world, path, offset);
    let Some((key, origin)) = asked else { return Vec::new() };
    key_targets(perspective, &key, origin)
}

/// The key at a place of Puppet code, and where it is written.
pub(in crate::ide) fn asked_key(
    world: &Arc<World>,
    path: &str,
    offset: u32,
) -> Option<(KeyPath, TextRange)> {
    let file = world.code_file(path)?;
    let (key, range) = match spot(&file, offset)? {
        CodeSpot::Parameter(parameter) => (parameter.key(), parameter.parameter.name_range),
        CodeSpot::Key { name, .. } => (name.text.clone(), name.range),
        CodeSpot::DynamicKey { .. } | CodeSpot::Class(_) => return None,
    };
    Some((key_path::parse(&key).ok()?, range))
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;
    use crate::ide::{declaration, definition, references};

    const DATA: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.yaml}
#- /data/nodes/web01.yaml
web::port: 8080
#- /data/common.yaml
web::port: 80
hash: {a: {b: 1}}
url: \"%{lookup('web::port')}\"
";

    /// `expected`: path and text of each place.
    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let fixture = Fixture::parse(&format!("{DATA}#- /modules/web/manifests/init.pp\n{code}\n"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let (world, path) = (fixture.world(), file.world_path());
        let found = definition(&world, &path, offset, &CancelToken::default());
        let show = |it: &crate::ide::Target| {
            let text = &world.file(&it.path).expect("it is there").text;
            let path = it.path.strip_prefix(ROOT).expect("a file of the fixture");
            format!("{path}:{}", it.focus_range.slice(text))
        };
        assert_eq!(found.iter().map(show).collect::<Vec<_>>(), expected, "{code}");
        assert_eq!(
            declaration(&world, &path, offset, &CancelToken::default()),
            found.last().cloned().into_iter().collect::<Vec<_>>()
        );
        let references = references(&world, &path, offset, &CancelToken::default());
        for target in &found {
            let is_it = |it: &&crate::ide::Occurrence| {
                it.path == target.path && it.range == target.focus_range && it.is_declaration
            };
            assert!(references.iter().any(|it| is_it(&it)), "{references:?}");
        }
    }

    #[test]
    fn a_parameter_leads_to_all_levels() {
        let both = ["/data/nodes/web01.yaml:web::port", "/data/common.yaml:web::port"];
        check("class web($po$0rt = 1) { }", &both);
        check("class web($x = lookup('web::p$0ort')) { }", &both);
        check("class web($other$0 = 1) { }", &[]);
        check("define web($port$0 = 1) { }", &[]);
    }

    #[test]
    fn members_of_values_and_one_of_several_names() {
        check("lookup('hash.a.b$0')", &["/data/common.yaml:b"]);
        check("lookup(['none', 'has$0h'])", &["/data/common.yaml:hash"]);
        check("lookup({'name' => hash$0})", &["/data/common.yaml:hash"]);
        check("lookup(\"x${y}$0\")", &[]);
    }

    #[test]
    fn references_from_code_are_those_of_the_key() {
        let code = "#- /modules/web/manifests/init.pp\nclass web($po$0rt) { }\n";
        let fixture = Fixture::parse(&format!("{DATA}{code}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let found =
            references(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let in_data = found.iter().filter(|it| it.path.ends_with(".yaml"));
        assert_eq!(in_data.count(), 3, "{found:?}");
    }
}
