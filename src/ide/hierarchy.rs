//! The levels that a node reads, with their files: which exist, and which have the requested key.

use std::sync::Arc;

use super::perspective::Perspective;
use super::preview::{Question, UnknownNode};
use crate::config::hiera_yaml::LayerKind;
use crate::data::{Files, Place};
use crate::engine::{
    CancelToken, LayerView, Location, ResolvedLevel, Role, Source, UsedMerge, module_of_key,
};
use crate::syntax::key_path::{self, KeyPath};
use crate::text::TextRange;
use crate::world::World;

/// The hierarchy for one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// The node's name.
    pub node: Arc<str>,
    /// The environment's name.
    pub environment: Arc<str>,
    /// The key for which files are marked.
    pub key: Option<String>,
    /// The merge strategy for that key.
    pub merge: Option<String>,
    /// Highest priority first; with the module's layer if the key or the file belongs to a module.
    pub layers: Vec<HierarchyLayer>,
}

/// One layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyLayer {
    /// Its kind.
    pub kind: LayerKind,
    /// The module's name in the module layer.
    pub module: Option<Arc<str>>,
    /// Its hiera.yaml; `None` for the built-in default.
    pub config: Option<Place>,
    /// Puppet's error, if the layer cannot be used.
    pub error: Option<String>,
    /// Its levels; those of the default hierarchy come last.
    pub levels: Vec<HierarchyLevel>,
}

/// One level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyLevel {
    /// Its name.
    pub name: Arc<str>,
    /// Where hiera.yaml defines it.
    pub place: Option<Place>,
    /// The back end's function.
    pub function: Arc<str>,
    /// Whether the back end is not evaluated here.
    pub is_opaque: bool,
    /// Whether it is part of the default hierarchy.
    pub is_default: bool,
    /// Its paths, in order.
    pub files: Vec<HierarchyFile>,
}

/// One path of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyFile {
    /// The path for users, or the URI.
    pub label: String,
    /// The absolute path; `None` for a URI, and if unknown variables decide which file it is.
    pub path: Option<Arc<str>>,
    /// Whether it exists.
    pub exists: bool,
    /// As written in hiera.yaml.
    pub template: Arc<str>,
    /// Where the file has the key, and its role in the answer.
    pub key: Option<(Place, Role)>,
}

/// The hierarchy for the request's node. `None` if there is no environment, or it has no node.
///
/// # Errors
/// The request's node does not exist.
pub fn hierarchy(
    world: &Arc<World>,
    question: &Question,
    cancel: &CancelToken,
) -> Result<Option<Hierarchy>, UnknownNode> {
    let Some(asked) = question.find(world)? else { return Ok(None) };
    let perspective = &asked.perspective;
    let evaluator = &perspective.evaluator;
    let path = asked.key.as_ref().and_then(|key| key_path::parse(key).ok());
    let holders = path.as_ref().map(|path| Holders::of(perspective, path, cancel));
    let of_key = path.as_ref().and_then(KeyPath::root_name).and_then(|it| module_of_key(it));
    let of_key = of_key.map(Arc::from);
    let of_file = || world.module_of(evaluator.environment(), asked.path.as_deref()?);
    // A key may belong to another module than the file that has it.
    let module: Option<Arc<str>> = of_key.or_else(|| of_file().map(|(module, _)| module));
    let shown = Shown { perspective, holders: holders.as_ref() };
    let layers = evaluator.layers(module.as_deref());
    Ok(Some(Hierarchy {
        node: evaluator.node().name.clone(),
        environment: evaluator.environment_name(),
        merge: holders.as_ref().map(|holders| holders.merge.clone()),
        key: asked.key.clone(),
        layers: layers.iter().map(|layer| shown.layer(layer)).filter(is_configured).collect(),
    }))
}

/// Whether there is anything to show: an unconfigured global layer has nothing.
fn is_configured(layer: &HierarchyLayer) -> bool {
    layer.config.is_some() || layer.error.is_some() || !layer.levels.is_empty()
}

/// Which files have the key.
struct Holders {
    sources: Vec<Source>,
    merge: String,
}

impl Holders {
    fn of(perspective: &Perspective, key: &KeyPath, cancel: &CancelToken) -> Self {
        let asked = super::context::lookup_key([&key.root].into_iter().chain(&key.rest));
        let Some(asked) = asked else {
            return Self { sources: Vec::new(), merge: "first".to_owned() };
        };
        let answer = perspective.answer_until(&asked, cancel);
        let merge = answer.merge.as_deref().map_or_else(|| "first".to_owned(), UsedMerge::line);
        Self { sources: answer.sources_of_all_cases(), merge }
    }
}

struct Shown<'a> {
    perspective: &'a Perspective,
    holders: Option<&'a Holders>,
}

impl Shown<'_> {
    fn layer(&self, layer: &LayerView) -> HierarchyLayer {
        let evaluator = &self.perspective.evaluator;
        let config = layer.config();
        let (ordinary, default) = (layer.levels(evaluator), layer.default_levels(evaluator));
        let failures = [ordinary.as_ref().err(), default.as_ref().err()];
        let error = failures.into_iter().flatten().next();
        let ordinary = ordinary.as_deref().unwrap_or_default().iter().map(|it| (it, false));
        let default = default.as_deref().unwrap_or_default().iter().map(|it| (it, true));
        let levels = ordinary
            .chain(default)
            .map(|(level, is_default)| self.level(level, layer.kind(), is_default));
        let start =
            || Place { file: self.perspective.world.id(&config.path), range: TextRange::empty(0) };
        HierarchyLayer {
            kind: layer.kind(),
            module: layer.module().cloned(),
            config: config.exists.then(start),
            error: error.map(|failure| failure.message.to_string()),
            levels: levels.collect(),
        }
    }

    fn level(&self, level: &ResolvedLevel, kind: LayerKind, is_default: bool) -> HierarchyLevel {
        let back_ends = self.perspective.world.back_ends();
        let of = (&level.name, kind, is_default);
        let locations = level.locations.iter().flatten();
        let mut files: Vec<HierarchyFile> = locations.map(|it| self.file(it)).collect();
        self.add_open_files(level, of, &mut files);
        HierarchyLevel {
            name: level.name.clone(),
            place: level.place,
            function: level.function.name.clone(),
            is_opaque: !back_ends.knows(&level.function, &level.name),
            is_default,
            files,
        }
    }

    /// Adds the files that have the key but are read by some nodes only.
    fn add_open_files(
        &self,
        level: &ResolvedLevel,
        of: (&Arc<str>, LayerKind, bool),
        files: &mut Vec<HierarchyFile>,
    ) {
        let sources = self.holders.iter().flat_map(|holders| &holders.sources);
        let here = sources.filter(|it| (&it.level, it.layer, it.is_default) == of);
        for source in here.filter(|it| it.written.is_some() && it.level_place == level.place) {
            if files.iter().any(|file| file.path.as_ref() == Some(&source.path)) {
                continue;
            }
            let mut locations = level.locations.iter().flatten();
            let template = locations.find(|it| it.may_lead_to(&source.path));
            files.push(HierarchyFile {
                label: self.perspective.shown_path(&source.path),
                path: Some(source.path.clone()),
                exists: true,
                template: template.map_or_else(|| source.path.clone(), |it| self.template(it)),
                key: source.key_place().zip(source.role),
            });
        }
    }

    fn file(&self, location: &Location) -> HierarchyFile {
        let path = (!location.is_uri).then(|| location.file.clone());
        let label = match &path {
            Some(path) => self.perspective.shown_path(path),
            None => location.location.to_string(),
        };
        let key = self.holders.and_then(|holders| {
            // Several levels may lead to the file. It is a source of the first one.
            let source = holders.sources.iter().find(|it| Some(&it.path) == path.as_ref())?;
            Some((source.key_place()?, source.role?))
        });
        let template = self.template(location);
        // With open variables, the location is not the path of one file.
        let path = path.filter(|_| !location.is_open());
        HierarchyFile { label, path, exists: location.exists, template, key }
    }

    /// The path as written in hiera.yaml; for a glob, the pattern.
    fn template(&self, location: &Location) -> Arc<str> {
        let written = location.template_place.and_then(|place| {
            let path = self.perspective.world.path(place.file);
            let text = self.perspective.world.text(&path).ok()?;
            let written = place.range.slice(&text);
            let bare = |quote| written.strip_prefix(quote)?.strip_suffix(quote);
            Some(Arc::from(bare('\'').or_else(|| bare('"')).unwrap_or(written)))
        });
        written.unwrap_or_else(|| location.original.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::ide::fixture::Fixture;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - {name: Vault, lookup_key: hiera_vault, uri: 'http://vault/'}
  - name: Others
    paths: [missing.yaml, common.yaml]
#- /modules/ntp/hiera.yaml
version: 5
hierarchy:
  - {name: Module, path: m.yaml}
default_hierarchy:
  - {name: Last, path: last.yaml}
#- /modules/ntp/data/m.yaml
ntp::a: 3
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
#- /data/nodes/web01.yaml
ntp::a: 1
";

    #[track_caller]
    fn check(common: &str, expected: &Expect) {
        let fixture = Fixture::parse(&format!("{FILES}#- /data/common.yaml\n{common}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let path = Some(file.world_path().into());
        let question = Question { path, offset: Some(offset), ..Question::default() };
        let shown = hierarchy(&fixture.world(), &question, &CancelToken::default());
        expected.assert_eq(&show(&shown.expect("the node is there").expect("there is one")));
    }

    fn show(hierarchy: &Hierarchy) -> String {
        let mut text = format!("{:?} {:?}\n", hierarchy.key, hierarchy.merge);
        for layer in &hierarchy.layers {
            let _ = writeln!(text, "{:?} {:?} {:?}", layer.kind, layer.module, layer.error);
            for level in &layer.levels {
                let default = if level.is_default { " default" } else { "" };
                let opaque = if level.is_opaque { " opaque" } else { "" };
                let _ = writeln!(text, "  {} {}{default}{opaque}", level.name, level.function);
                for file in &level.files {
                    let exists = if file.exists { "" } else { " missing" };
                    let part = file.key.map_or(String::new(), |(_, part)| format!(" {part:?}"));
                    let _ = writeln!(text, "    {} {}{exists}{part}", file.label, file.template);
                }
            }
        }
        text
    }

    #[test]
    fn files_are_marked_for_the_key_under_the_cursor() {
        check(
            "ntp::a$0: 2\n",
            &expect![[r#"
                Some("ntp::a") Some("first")
                Environment None None
                  Nodes yaml_data
                    data/nodes/web01.yaml nodes/%{trusted.certname}.yaml Wins
                  Vault hiera_vault opaque
                    http://vault/ http://vault/
                  Others yaml_data
                    data/missing.yaml missing.yaml missing
                    data/common.yaml common.yaml Overridden
                Module Some("ntp") None
                  Module yaml_data
                    modules/ntp/data/m.yaml m.yaml Overridden
                  Last yaml_data default
                    modules/ntp/data/last.yaml last.yaml missing
            "#]],
        );
    }

    #[test]
    fn without_a_key_the_levels_are_there_all_the_same() {
        check(
            "$0# nothing\n",
            &expect![[r"
                None None
                Environment None None
                  Nodes yaml_data
                    data/nodes/web01.yaml nodes/%{trusted.certname}.yaml
                  Vault hiera_vault opaque
                    http://vault/ http://vault/
                  Others yaml_data
                    data/missing.yaml missing.yaml missing
                    data/common.yaml common.yaml
            "]],
        );
    }
}
