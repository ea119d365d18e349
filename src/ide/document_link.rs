//! Links: in `hiera.yaml`, from everything that names a file or a directory; in data, from `puppet:///modules/…` and from
//! names of classes.

use std::sync::Arc;

use memchr::memmem;

use super::class_parameter::ClassParameter;
use super::file_role::FileRole;
use super::level_files;
use super::perspective::Perspective;
use crate::code::CodeIndex;
use crate::data::{DataFile, EntryTree, Files, PathKind, Place, Value, qualified_names};
use crate::engine::ResolvedLevel;
use crate::syntax::puppet::DeclarationKind;
use crate::syntax::tree::NodeKind;
use crate::text::TextRange;
use crate::world::{World, paths};

/// The prefix of module files on Puppet's file server.
const MODULE_FILE: &str = "puppet:///modules/";

/// A link to a file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    /// The range of the path, in bytes.
    pub range: TextRange,
    /// The file or directory.
    pub path: Arc<str>,
    /// The line of the file, from 1, if the link is not to the whole file.
    pub line: Option<u32>,
    /// The file's path for users.
    pub tooltip: String,
}

/// The links of the file at `path`. In a `hiera.yaml`, they lead to the files and directories of its levels for the active
/// node or, if a template leads this node nowhere, for other nodes; if there are several, to the first. In data, they lead to
/// files of modules.
pub fn document_links(world: &Arc<World>, path: &str) -> Vec<DocumentLink> {
    find(world, path).unwrap_or_default()
}

fn find(world: &Arc<World>, path: &str) -> Option<Vec<DocumentLink>> {
    let role = FileRole::of(world, path)?;
    let perspective = Perspective::of_file(world, path)?;
    if let FileRole::Data { format, .. } = role {
        let file = world.file(path).ok()?;
        let mut links = module_files(&perspective, &file.text);
        of_code(&perspective, file.data(format), &mut links);
        return Some(links);
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
            // The files of a glob come from one template, which gets one link.
            if templates.last().is_none_or(|it| it.0 != place) {
                templates.push((place, Vec::new()));
            }
            if let Some((_, files)) = templates.last_mut()
                && self.kind(&location.file) == PathKind::File
            {
                files.push(location.file.clone());
            }
        }
        for (place, files) in templates {
            if files.is_empty() {
                // Even if this node reads no file there, the link shows what the path is for.
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

    /// The files that a template can lead to for any node.
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
        // Levels without a datadir of their own share the place of the one in `defaults`.
        if self.found.iter().any(|link| link.range == place.range) {
            return;
        }
        let more = match files.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let shown = self.perspective.shown_path(first);
        let tooltip = format!("{shown}{more}{remark}");
        self.found.push(DocumentLink {
            range: place.range,
            path: first.clone(),
            line: None,
            tooltip,
        });
    }

    fn kind(&self, path: &str) -> PathKind {
        self.perspective.world.kind(path)
    }
}

/// The files of modules that a text names.
fn module_files(perspective: &Perspective, text: &str) -> Vec<DocumentLink> {
    let modules = &perspective.evaluator.environment().modules;
    let link = |start: usize| {
        // After `%` or `$`, the name depends on the node or on code.
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
            line: None,
        })
    };
    memmem::find_iter(text.as_bytes(), MODULE_FILE).filter_map(link).collect()
}

/// Adds links from strings that name a class and, if the settings say so, from keys to the parameters that they set.
fn of_code(perspective: &Perspective, data: &DataFile, links: &mut Vec<DocumentLink>) {
    let world = &perspective.world;
    let index = world.code_index(perspective.evaluator.environment());
    let of_class = |name: &str, range: TextRange| {
        class_link(perspective, &index, name).map(|it| DocumentLink { range, ..it })
    };
    for section in data.sections() {
        if !world.settings().class_parameters.links {
            let names = section.qualified_names();
            let place = |range: TextRange| range.shifted(section.range.start);
            links.extend(names.iter().filter_map(|(range, name)| of_class(name, place(*range))));
            continue;
        }
        for entry in section.trees() {
            links.extend(parameter_link(perspective, &entry));
            let names = qualified_names(entry.value);
            links.extend(names.filter_map(|(range, it)| of_class(&it, range.shifted(entry.start))));
        }
    }
}

/// The link from the key of an entry to the class parameter that it sets.
fn parameter_link(perspective: &Perspective, entry: &EntryTree<'_>) -> Option<DocumentLink> {
    let NodeKind::Scalar { text: key, .. } = &entry.key.kind else { return None };
    let environment = perspective.evaluator.environment();
    let parameter = ClassParameter::of_key(&perspective.world, environment, key)?;
    Some(DocumentLink {
        range: entry.key.range.shifted(entry.start),
        tooltip: parameter.title(),
        line: Some(parameter.line()),
        path: parameter.path,
    })
}

/// The link from the name of a class. A single word can mean anything, so the name must be that of a class below a module.
fn class_link(perspective: &Perspective, index: &CodeIndex, text: &str) -> Option<DocumentLink> {
    let name = text.strip_prefix("::").unwrap_or(text);
    // A word without `::` may be anything.
    let place = name.contains("::").then(|| index.declared(DeclarationKind::Class, name).first());
    let place = place.flatten()?;
    let file = perspective.world.code_file(&place.path)?;
    let class = file.manifest.declarations.get(place.index as usize)?;
    let line = file.line(class.name_range.start);
    let tooltip = format!("{}:{line}", perspective.shown_path(&place.path));
    let path = place.path.clone();
    Some(DocumentLink { range: TextRange::empty(0), path, line: Some(line), tooltip })
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

    #[test]
    fn names_of_classes_and_keys_of_parameters() {
        let files = |setting: &str| {
            format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
                 #- /modules/web/manifests/server.pp\n\nclass web::server(\n  Integer $port\n) {{ }} class web {{ }}\n\
                 #- /.hiera-ls.yaml\n{setting}\n\
                 #- /data/common.yaml\nclasses: [web, '::web::server', web::none]\nweb::server::port: 1\n"
            )
        };
        let class = "'::web::server' -> /repo/modules/web/manifests/server.pp: modules/web/manifests/server.pp:2";
        check(&files(""), &[class]);
        check(
            &files("documentLinks: {parameters: true}"),
            &[
                class,
                "web::server::port -> /repo/modules/web/manifests/server.pp: parameter of web::server, `Integer`",
            ],
        );
    }
}
