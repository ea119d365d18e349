//! Links: in `hiera.yaml` from whatever names a file or a directory, in data from `puppet:///modules/…`.

use std::sync::Arc;

use super::file_role::FileRole;
use super::level_files;
use super::perspective::Perspective;
use crate::data::{Files, PathKind, Place, Value};
use crate::engine::ResolvedLevel;
use crate::text::TextRange;
use crate::world::{World, paths};

/// What a file of a module is called in Puppet's file server.
const MODULE_FILE: &str = "puppet:///modules/";

/// A link to a file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    /// The path as it is written, in bytes.
    pub range: TextRange,
    /// The file or directory.
    pub path: Arc<str>,
    /// The file, as people say it.
    pub tooltip: String,
}

/// What the file at `path` names: in a `hiera.yaml` the files and directories of its levels for the active node, or, where a
/// template leads it to none, those of other nodes; the first one of several. In data, files of modules.
pub fn document_links(world: &Arc<World>, path: &str) -> Vec<DocumentLink> {
    find(world, path).unwrap_or_default()
}

fn find(world: &Arc<World>, path: &str) -> Option<Vec<DocumentLink>> {
    let role = FileRole::of(world, path)?;
    let perspective = Perspective::of_file(world, path)?;
    if role.is_data() {
        return Some(module_files(&perspective, &world.text(path).ok()?));
    }
    level_files::with_levels(&perspective, path, |levels| {
        let mut links = Links { perspective: &perspective, config: path, found: Vec::new() };
        for level in levels {
            links.of_level(level);
        }
        Some(links.found)
    })
}

/// The links of one `hiera.yaml`.
struct Links<'a> {
    perspective: &'a Perspective,
    config: &'a str,
    found: Vec<DocumentLink>,
}

impl Links<'_> {
    fn of_level(&mut self, level: &ResolvedLevel) {
        if self.kind(&level.datadir) == PathKind::Directory {
            self.add(level.datadir_place, std::slice::from_ref(&level.datadir), "");
        }
        let mut templates: Vec<(Option<Place>, Vec<Arc<str>>)> = Vec::new();
        for location in level.locations.iter().flatten().filter(|it| !it.is_uri) {
            let place = location.template_place;
            if templates.last().is_none_or(|it| it.0 != place) {
                templates.push((place, Vec::new()));
            }
            if let Some((_, files)) = templates.last_mut()
                && self.kind(&location.location) == PathKind::File
            {
                files.push(location.location.clone());
            }
        }
        for (place, files) in templates {
            if files.is_empty() {
                self.add(place, &self.files_of_other_nodes(place), ", for other nodes");
            } else {
                self.add(place, &files, "");
            }
        }
        for (_, member) in level.options.iter() {
            if let Value::String(path) = &member.value.value
                && paths::is_absolute(path)
                && self.kind(path) == PathKind::File
            {
                self.add(member.value.place, std::slice::from_ref(path), "");
            }
        }
    }

    /// The files that a template leads any node to.
    fn files_of_other_nodes(&self, template: Option<Place>) -> Vec<Arc<str>> {
        let world = &self.perspective.world;
        let environment = self.perspective.evaluator.environment();
        let reach = world.reach(environment);
        let is_it = |it: &&crate::world::DataPlace| {
            template.is_some() && it.template_place == template && *it.config == *self.config
        };
        let Some(place) = reach.places.iter().find(is_it) else { return Vec::new() };
        let files = world.key_index(environment).files().into_iter();
        files.map(|(path, _)| path).filter(|path| place.reaches(path)).collect()
    }

    /// A link from a place of this file to the first of `files`.
    fn add(&mut self, place: Option<Place>, files: &[Arc<str>], remark: &str) {
        let world = &self.perspective.world;
        let place = place.filter(|it| it.file == world.id(self.config));
        let (Some(place), Some(first)) = (place, files.first()) else { return };
        if self.found.iter().any(|link| link.range == place.range) {
            return;
        }
        let more = match files.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let shown = self.perspective.shown_path(first);
        let tooltip = format!("{shown}{more}{remark}");
        self.found.push(DocumentLink { range: place.range, path: first.clone(), tooltip });
    }

    fn kind(&self, path: &str) -> PathKind {
        self.perspective.world.kind(path)
    }
}

/// The files of modules that a text names.
fn module_files(perspective: &Perspective, text: &str) -> Vec<DocumentLink> {
    let modules = &perspective.evaluator.environment().modules;
    let link = |(start, _): (usize, &str)| {
        let is_end = |letter: char| letter.is_whitespace() || "'\",]}%$".contains(letter);
        let written = &text[start..];
        let written = &written[..written.find(is_end).unwrap_or(written.len())];
        let (module, file) = written[MODULE_FILE.len()..].split_once('/')?;
        let path: Arc<str> = paths::join(modules.get(module)?, &format!("files/{file}")).into();
        let is_there = perspective.world.kind(&path) == PathKind::File;
        is_there.then(|| DocumentLink {
            range: TextRange::new(start as u32, (start + written.len()) as u32),
            tooltip: perspective.shown_path(&path),
            path,
        })
    };
    text.match_indices(MODULE_FILE).filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    const FILES: &str = "
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {roles: [web, db]}}}
#- /data/nodes/web01.yaml
a: 1
#- /data/nodes/web02.yaml
a: 1
#- /data/sites/oslo.yaml
a: 1
#- /data/roles/web.yaml
a: 1
#- /data/roles/db.yaml
a: 1
#- /data/g1.yaml
a: 1
#- /data/g2.yaml
a: 1
#- /secret/common.yaml
a: 1
";

    #[track_caller]
    fn check(files: &str, expected: &[&str]) {
        let fixture = Fixture::parse(&format!("{FILES}{files}"));
        let file = fixture.files.last().expect("the fixture has a file");
        let links = document_links(&fixture.world(), &file.world_path());
        let show = |link: &DocumentLink| {
            format!("{} -> {}: {}", link.range.slice(&file.text), link.path, link.tooltip)
        };
        assert_eq!(links.iter().map(show).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn everything_in_hiera_yaml_that_names_a_file() {
        check(
            "
#- /hiera.yaml
version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: Nodes, paths: ['nodes/%{trusted.certname}.yaml', missing.yaml]}
  - {name: Sites, path: 'sites/%{facts.site}.yaml'}
  - {name: Globs, glob: 'g*.yaml'}
  - {name: Roles, mapped_paths: [facts.roles, role, 'roles/%{role}.yaml']}
  - {name: Secret, path: common.yaml, datadir: secret}
  - {name: Other, uri: 'https://example.com/data/g1.yaml'}
",
            &[
                "data -> /repo/data: data",
                "'nodes/%{trusted.certname}.yaml' -> /repo/data/nodes/web01.yaml: data/nodes/web01.yaml",
                "'sites/%{facts.site}.yaml' -> /repo/data/sites/oslo.yaml: data/sites/oslo.yaml, for other nodes",
                "'g*.yaml' -> /repo/data/g1.yaml: data/g1.yaml and 1 more",
                "'roles/%{role}.yaml' -> /repo/data/roles/web.yaml: data/roles/web.yaml and 1 more",
                "secret -> /repo/secret: secret",
                "common.yaml -> /repo/secret/common.yaml: secret/common.yaml",
            ],
        );
    }

    #[test]
    fn files_that_options_name() {
        check(
            "
#- /keys/private.pem
x
#- /hiera.yaml
version: 5
hierarchy:
  - name: Secret
    lookup_key: eyaml_lookup_key
    path: missing.yaml
    options: {pkcs7_private_key: /repo/keys/private.pem, pkcs7_public_key: /repo/keys/none.pem}
",
            &["/repo/keys/private.pem -> /repo/keys/private.pem: keys/private.pem"],
        );
    }

    #[test]
    fn files_of_modules_in_data() {
        check(
            "
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}]
#- /modules/web/files/site/index.html
x
#- /data/common.yaml
a: puppet:///modules/web/site/index.html # as ever
b: ['puppet:///modules/web/none.html', \"puppet:///modules/none/x\"]
c: {d: 'see puppet:///modules/web/site/index.html'}
",
            &[
                "puppet:///modules/web/site/index.html -> /repo/modules/web/files/site/index.html: modules/web/files/site/index.html",
                "puppet:///modules/web/site/index.html -> /repo/modules/web/files/site/index.html: modules/web/files/site/index.html",
            ],
        );
    }
}
