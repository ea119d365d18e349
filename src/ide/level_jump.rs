//! Goes one level up or down: to the same key in the next file of higher or lower priority for the active node.

use std::cmp::Ordering;
use std::sync::Arc;

use super::context;
use super::definition::{Target, asked_key, target};
use super::file_role::FileRole;
use super::perspective::Perspective;
use super::places;
use crate::data::{Located, Place};
use crate::engine::{CancelToken, Source};
use crate::syntax::key_path::KeyPath;
use crate::world::{Reach, World};

/// The direction through the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the value that overrides it.
    Up,
    /// To the value that it overrides.
    Down,
}

/// The next place of the key at `offset` (bytes) of the file at `path`. If no such level has the sub key, it is the place of
/// the longest part of the key that one has. A file that the active node does not read has the position of its level.
pub fn level_jump(
    world: &Arc<World>,
    path: &str,
    offset: u32,
    direction: Direction,
    cancel: &CancelToken,
) -> Option<Target> {
    let perspective = Perspective::shown(world, path)?.until(cancel);
    let FileRole::Data { format, .. } = FileRole::of(world, path)? else { return None };
    let data = world.file(path).ok()?.data(format).clone();
    let (mut key, origin) = asked_key(&context::spot_in_file(&data, offset)?)?;
    let reach = world.reach(perspective.evaluator.environment());
    loop {
        let found = next_place(&perspective, &reach, path, &key, direction);
        if let Some(place) = found {
            return Some(target(&perspective, place, origin));
        }
        // If no other level has the member, its parent is searched for.
        key.rest.pop()?;
    }
}

fn next_place(
    perspective: &Perspective,
    reach: &Reach,
    path: &str,
    key: &KeyPath,
    direction: Direction,
) -> Option<(Place, Located)> {
    let answer = places::answer(perspective, key)?;
    let places = places::written_sources(&answer);
    let found = |source: &Source| Some((source.key_place()?, source.value()?.clone()));
    let here = places.iter().position(|it| *it.path == *path);
    let (above, below): (Vec<_>, Vec<_>) = if let Some(here) = here {
        let own = &places[here];
        // The files that a path leads to for other nodes neither override this file nor are overridden by it.
        let is_other =
            |source: &&Source| *source.path != *path && !answer.are_alternatives(source, own);
        let above = places[..here].iter().filter(is_other).filter_map(found).collect();
        (above, places[here..].iter().filter(is_other).filter_map(found).collect())
    } else {
        let rank = |path: &str| reach.places.iter().position(|place| place.reaches(path));
        let here = rank(path)?;
        let of = |wanted: Ordering| {
            let is_there = |it: &&Source| rank(&it.path).is_some_and(|at| at.cmp(&here) == wanted);
            places.iter().filter(is_there).filter_map(found).collect()
        };
        (of(Ordering::Less), of(Ordering::Greater))
    };
    match direction {
        Direction::Up => above.into_iter().next_back(),
        Direction::Down => below.into_iter().next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;

    const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Sites, path: 'sites/%{facts.site}.yaml'}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {site: bgo}}}
#- /data/nodes/web01.yaml
a: 3
b: {x: 1}
#- /data/sites/bgo.yaml
a: 2
b: {x: 1, y: 2}
";

    /// `expected`: `path:focused text` up and down.
    #[track_caller]
    fn check(file: &str, expected: [&str; 2]) {
        let fixture = Fixture::parse(&format!("{HIERARCHY}{file}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let world = fixture.world();
        let jump = |direction| {
            let found =
                level_jump(&world, &file.world_path(), offset, direction, &CancelToken::default());
            found.map_or("-".to_owned(), |target| {
                let path = target.path.strip_prefix(ROOT).expect("a file of the fixture");
                let text = &fixture.file(path).expect("it is there").text;
                format!("{path}:{}", target.focus_range.slice(text))
            })
        };
        assert_eq!([jump(Direction::Up), jump(Direction::Down)], expected);
    }

    #[test]
    fn along_the_levels_of_the_node() {
        check("#- /data/common.yaml\na$0: 1\n", ["/data/sites/bgo.yaml:a", "-"]);
        let sites = "#- /data/common.yaml\na: 1\n#- /data/sites/bgo.yaml\na: 2$0\nb: {x: 1}\n";
        check(sites, ["/data/nodes/web01.yaml:a", "/data/common.yaml:a"]);
        check("#- /data/common.yaml\nb: {x: 1, y$0: 1}\n", ["/data/sites/bgo.yaml:y", "-"]);
        check("#- /data/common.yaml\nb: {x$0: 1}\n", ["/data/sites/bgo.yaml:x", "-"]);
    }

    #[test]
    fn a_sub_key_that_is_nowhere_else_stands_for_its_parent() {
        check("#- /data/common.yaml\nb: {z: {q$0: 1}}\n", ["/data/sites/bgo.yaml:b", "-"]);
        check("#- /data/common.yaml\nc$0: 1\n", ["-", "-"]);
    }

    #[test]
    fn files_that_other_nodes_read_instead_are_skipped() {
        let files = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: OS, paths: ['os/%{facts.os.name}.yaml', 'os/%{facts.os.family}.yaml']}
  - {name: Common, paths: [common.yaml, more.yaml]}
#- /.hiera-ls.yaml
nodes: {}
#- /data/os/Debian.yaml
a: 1
#- /data/os/SLES.yaml
a: 2
#- /data/common.yaml
a: 3
#- /data/more.yaml
a: 4
";
        let redhat = "#- /data/os/RedHat.yaml\na$0: 5\n";
        check(&format!("{files}{redhat}"), ["-", "/data/common.yaml:a"]);
        check(&format!("{files}#- /data/more.yaml\na$0: 5\n"), ["/data/common.yaml:a", "-"]);
        let node = "#- /.hiera-ls.yaml\nnode: x\nnodes: {x: {facts: {os: {name: SLES, family: RedHat}}}}\n";
        check(&format!("{files}{node}{redhat}"), ["/data/os/SLES.yaml:a", "/data/common.yaml:a"]);
    }

    #[test]
    fn a_file_of_another_node_has_its_place_by_its_level() {
        check(
            "#- /data/sites/osl.yaml\na$0: 1\n#- /data/common.yaml\na: 1\n",
            ["/data/nodes/web01.yaml:a", "/data/common.yaml:a"],
        );
        check("#- /data/nodes/db01.yaml\na$0: 1\n", ["-", "/data/sites/bgo.yaml:a"]);
    }
}
