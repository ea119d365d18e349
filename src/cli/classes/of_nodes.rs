//! `hiera-ls classes --node`: the certain and possible classes of nodes, and where each is included.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::arguments::{ClassesArguments, ListFormat};
use crate::cli::place::{Place, PlaceArguments};
use crate::cli::shown::{as_seen_from_here, in_a_line};
use crate::cli::terminal::complain;
use crate::cli::{fleet, workspace};
use crate::config::Environment;
use crate::facts::Node;
use crate::world::node_classes::{
    CodePlace, FleetClasses, MissingParameter, NodeClass, NodeClasses, RefusedCode,
};
use crate::world::{World, paths};

/// The name for all completely known nodes.
const ALL: &str = "all";

/// The classes of the nodes in the arguments.
pub(super) fn list(arguments: &ClassesArguments) -> Result<String, String> {
    if let Some(name) = arguments.node.iter().find(|it| it.contains(['*', '?'])) {
        return Err(format!(
            "--node {name}: this is one name; `all` means all nodes with fact sets"
        ));
    }
    let place = PlaceArguments {
        root: arguments.root.clone(),
        trust: arguments.trust,
        environment: arguments.environment.clone(),
        is_bounded: true,
        ..PlaceArguments::default()
    };
    let mut text = String::new();
    let mut complained: BTreeSet<String> = BTreeSet::new();
    let places = place.open_for_each(&arguments.node, ALL)?;
    for (name, Place { world, environment }) in arguments.node.iter().zip(&places) {
        if complained.insert(environment.directory().to_owned()) {
            workspace::complain_of_setup(world, environment);
            for note in workspace::not_read_in(world, environment) {
                complain(&format!("note: {note}"));
            }
        }
        let shower = Shower { world, environment };
        let write = |fleet: &FleetClasses, missing: &[MissingParameter], text: &mut String| {
            for (number, node) in (0_u32..).zip(fleet.nodes.iter()) {
                let of_node = missing.iter().filter(|it| it.nodes.binary_search(&number).is_ok());
                let missing: Vec<_> = of_node.map(|it| it.class.key_of(&it.parameter)).collect();
                let said = (fleet.of(number), &*missing);
                shower.write(node, said, arguments.render_as, text);
            }
        };
        if name == ALL {
            fleet::note_of_others(world, &world.sample_nodes(environment).elsewhere);
            let fleet = world.fleet_classes(environment);
            write(&fleet, &world.missing_parameters(environment), &mut text);
            continue;
        }
        if !world.knows_node(environment, name) {
            fleet::note_unknown(name);
        }
        let node = world.node_named(environment, name).in_environment(environment);
        let alone = world.classes_of_node(environment, node);
        let missing = world.missing_in(environment, &alone);
        write(&alone, &missing, &mut text);
    }
    let notes: BTreeSet<String> = places.iter().flat_map(|it| it.world.notes()).collect();
    for note in notes {
        complain(&format!("note: {note}"));
    }
    Ok(text)
}

struct Shower<'a> {
    world: &'a World,
    environment: &'a Environment,
}

impl Shower<'_> {
    /// Writes the classes of a node, and the keys that it lacks.
    fn write(
        &self,
        node: &Node,
        (found, missing): (&NodeClasses, &[String]),
        format: ListFormat,
        text: &mut String,
    ) {
        match format {
            ListFormat::Jsonl => {
                let _ = writeln!(text, "{}", self.record(node, found, missing));
            }
            ListFormat::S => self.write_for_people(node, found, missing, text),
        }
    }

    fn record(&self, node: &Node, found: &NodeClasses, missing: &[String]) -> Json {
        let classes = found.with_refusals().into_iter().map(|(it, refused)| {
            let (file, line) = self.place(&it.included_at);
            let mut class = json!({
                "name": &*it.name,
                "certain": it.is_certain,
                "here": it.code.is_some(),
                "file": file,
                "line": line,
            });
            self.add_refusal(refused.as_ref(), &mut class);
            class
        });
        let others = found.others.iter().map(|it| {
            let (file, line) = self.place(it);
            json!({"file": file, "line": line})
        });
        let mut record = json!({
            "node": &*node.name,
            "classes": classes.collect::<Vec<_>>(),
            "others": others.collect::<Vec<_>>(),
            "missing": missing,
        });
        self.add_refusal(found.refused.as_ref(), &mut record);
        record
    }

    fn add_refusal(&self, refused: Option<&RefusedCode>, record: &mut Json) {
        if let Some(RefusedCode { place, message }) = refused {
            let (file, line) = self.place(place);
            record["refused"] = json!({"file": file, "line": line, "message": message});
        }
    }

    fn write_for_people(
        &self,
        node: &Node,
        found: &NodeClasses,
        missing: &[String],
        text: &mut String,
    ) {
        let _ = writeln!(text, "{}", in_a_line(&node.name));
        if let Some(refused) = &found.refused {
            let _ = writeln!(text, "  ! not known: {}", self.shown_refusal(refused));
        }
        for (class, refused) in found.with_refusals() {
            if let Some(refused) = refused {
                let perhaps = if class.is_certain { "" } else { "perhaps " };
                let _ = writeln!(text, "  ! {perhaps}no catalog: {}", self.shown_refusal(&refused));
            }
        }
        for key in missing {
            let _ = writeln!(text, "  ! no level has {}", in_a_line(key));
        }
        let width = found.classes.iter().map(|it| it.name.len()).max().unwrap_or_default();
        for class in &found.classes {
            let NodeClass { name, is_certain, code, included_at, .. } = class;
            let mark = if *is_certain { ' ' } else { '?' };
            let missing = if code.is_some() { "" } else { ", which is not here" };
            let place = format!("{}{missing}", self.shown_place(included_at));
            let _ = writeln!(text, "  {mark} {:width$}  {place}", in_a_line(name));
        }
        for other in &found.others {
            let _ = writeln!(text, "  ? and what {} includes", self.shown_place(other));
        }
    }

    /// The file, below the environment's directory, and the line.
    fn place<'p>(&self, place: &'p CodePlace) -> (&'p str, u32) {
        let below = paths::below(self.environment.directory(), &place.path);
        (below.unwrap_or(&place.path), self.line(place))
    }

    /// `file:line` for people.
    fn shown_place(&self, place: &CodePlace) -> String {
        format!("{}:{}", in_a_line(as_seen_from_here(&place.path)), self.line(place))
    }

    /// `Puppet refuses file:line: message`.
    fn shown_refusal(&self, refused: &RefusedCode) -> String {
        let place = self.shown_place(&refused.place);
        format!("Puppet refuses {place}: {}", in_a_line(&refused.message))
    }

    fn line(&self, place: &CodePlace) -> u32 {
        let file = self.world.file(&place.path);
        file.map_or(1, |it| it.line_index().line_of(place.range.start) + 1)
    }
}
