//! `hiera-ls classes --node`: the classes of nodes, certain ones and possible ones, and where each is included.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::classes::{ClassesArguments, ListFormat};
use super::shown::in_a_line;
use super::workspace::{self, absolute};
use crate::config::Environment;
use crate::data::Files as _;
use crate::facts::Node;
use crate::world::node_classes::{CodePlace, NodeClass, NodeClasses};
use crate::world::{World, loader, paths};

/// What stands for all nodes of which everything is known.
const ALL: &str = "all";

/// The classes of the nodes that the arguments name.
pub(super) fn list(arguments: &ClassesArguments) -> Result<String, String> {
    let root = absolute(&arguments.root)?;
    let settings = workspace::settings(&root, &[], arguments.trust);
    let folders: Vec<Arc<str>> = vec![root.as_str().into()];
    let world = Arc::new(World::on_disk(Arc::new(loader::Disk), folders, settings));
    let environment = workspace::environment(&world, &root, arguments.environment.as_deref())?;
    let shower = Shower { world: &world, environment: &environment };
    let mut text = String::new();
    for name in &arguments.node {
        if name == ALL {
            let fleet = world.fleet_classes(&environment);
            for (number, node) in (0_u32..).zip(fleet.nodes.iter()) {
                shower.write(node, fleet.of(number), arguments.render_as, &mut text);
            }
            continue;
        }
        let node = world.node_named(&environment, name);
        let classes = world.node_classes(&world.evaluator(&environment, &node));
        shower.write(&node, &classes, arguments.render_as, &mut text);
    }
    Ok(text)
}

struct Shower<'a> {
    world: &'a World,
    environment: &'a Environment,
}

impl Shower<'_> {
    fn write(&self, node: &Node, found: &NodeClasses, format: ListFormat, text: &mut String) {
        match format {
            ListFormat::Jsonl => {
                let _ = writeln!(text, "{}", self.record(node, found));
            }
            ListFormat::S => self.write_for_people(node, found, text),
        }
    }

    fn record(&self, node: &Node, found: &NodeClasses) -> Json {
        let classes = found.classes.iter().map(|it| {
            let (file, line) = self.place(&it.included_at);
            json!({
                "name": &*it.name,
                "certain": it.is_certain,
                "here": it.code.is_some(),
                "file": file,
                "line": line,
            })
        });
        let others = found.others.iter().map(|it| {
            let (file, line) = self.place(it);
            json!({"file": file, "line": line})
        });
        json!({
            "node": &*node.name,
            "classes": classes.collect::<Vec<_>>(),
            "others": others.collect::<Vec<_>>(),
        })
    }

    fn write_for_people(&self, node: &Node, found: &NodeClasses, text: &mut String) {
        let _ = writeln!(text, "{}", in_a_line(&node.name));
        let width = found.classes.iter().map(|it| it.name.len()).max().unwrap_or_default();
        for class in &found.classes {
            let NodeClass { name, is_certain, code, included_at, .. } = class;
            let (file, line) = self.place(included_at);
            let mark = if *is_certain { ' ' } else { '?' };
            let missing = if code.is_some() { "" } else { ", which is not here" };
            let place = format!("{}:{line}{missing}", in_a_line(&file));
            let _ = writeln!(text, "  {mark} {:width$}  {place}", in_a_line(name));
        }
        for other in &found.others {
            let (file, line) = self.place(other);
            let _ = writeln!(text, "  ? and what {}:{line} includes", in_a_line(&file));
        }
    }

    /// The file, below the environment's directory, and the line.
    fn place(&self, place: &CodePlace) -> (String, u32) {
        let below = paths::below(self.environment.directory(), &place.path);
        let line = self.world.text(&place.path).map_or(1, |text| {
            let before = text.get(..place.range.start as usize).unwrap_or_default();
            before.bytes().filter(|it| *it == b'\n').count() as u32 + 1
        });
        (below.unwrap_or(&place.path).to_owned(), line)
    }
}
