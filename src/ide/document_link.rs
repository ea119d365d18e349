//! Links in `hiera.yaml`: from a path to the file it leads the active node to.

use std::sync::Arc;

use super::file_role::FileRole;
use super::level_files;
use super::perspective::Perspective;
use crate::data::{Files, PathKind};
use crate::text::TextRange;
use crate::world::World;

/// A link to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    /// The path as it is written, in bytes.
    pub range: TextRange,
    /// The file.
    pub path: Arc<str>,
    /// The file, as people say it.
    pub tooltip: String,
}

/// The paths of the `hiera.yaml` at `path` that lead to a file; a glob leads to its first one.
pub fn document_links(world: &Arc<World>, path: &str) -> Vec<DocumentLink> {
    find(world, path).unwrap_or_default()
}

fn find(world: &Arc<World>, path: &str) -> Option<Vec<DocumentLink>> {
    let FileRole::HieraYaml { .. } = FileRole::of(world, path)? else { return None };
    let perspective = Perspective::of_file(world, path)?;
    let file = world.id(path);
    level_files::with_levels(&perspective, path, |levels| {
        let mut links: Vec<DocumentLink> = Vec::new();
        for location in levels.iter().flat_map(|level| level.locations.iter().flatten()) {
            let Some(place) = location.template_place.filter(|it| it.file == file) else {
                continue;
            };
            let is_file = !location.is_uri && world.kind(&location.location) == PathKind::File;
            if is_file && !links.iter().any(|link| link.range == place.range) {
                links.push(DocumentLink {
                    range: place.range,
                    path: location.location.clone(),
                    tooltip: perspective.shown_path(&location.location),
                });
            }
        }
        Some(links)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    #[test]
    fn paths_that_exist_are_links() {
        let fixture = Fixture::parse(
            "
#- /.hiera-ls.yaml
nodes: {web01: {facts: {a: 1}}}
#- /data/nodes/web01.yaml
a: 1
#- /data/g1.yaml
a: 1
#- /data/g2.yaml
a: 1
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    paths: ['nodes/%{trusted.certname}.yaml', missing.yaml]
  - name: Globs
    glob: 'g*.yaml'
",
        );
        let file = fixture.file("/hiera.yaml").expect("it is there");
        let links = document_links(&fixture.world(), &file.world_path());
        let shown: Vec<_> = links
            .iter()
            .map(|link| format!("{} {}", link.range.slice(&file.text), link.tooltip))
            .collect();
        assert_eq!(
            shown,
            ["'nodes/%{trusted.certname}.yaml' data/nodes/web01.yaml", "'g*.yaml' data/g1.yaml"]
        );
        assert_eq!(document_links(&fixture.world(), "/repo/data/g1.yaml"), []);
    }
}
