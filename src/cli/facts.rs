//! `hiera-ls facts`: the sample nodes of a workspace, and where each comes from.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::shown::in_a_line;
use super::workspace::{self, absolute};
use super::{complain, print};
use crate::facts::Origin;
use crate::world::{World, loader, paths};

/// The arguments.
#[derive(Debug, Args)]
pub struct FactsArguments {
    /// The environment's directory, or one below it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// Trust the directory: its settings may lead out of it
    #[arg(long)]
    pub trust: bool,
    /// Only the names, one a line
    #[arg(long)]
    pub names: bool,
}

/// Lists the nodes, the active one marked with a star.
pub fn run(arguments: &FactsArguments) -> ExitCode {
    match list(arguments) {
        Ok(text) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

fn list(arguments: &FactsArguments) -> Result<String, String> {
    let root = absolute(&arguments.root)?;
    let settings = workspace::settings(&root, &[], arguments.trust);
    let folders: Vec<Arc<str>> = vec![root.as_str().into()];
    let world = World::on_disk(Arc::new(loader::Disk), folders, settings);
    let environment = workspace::environment(&world, &root, None)?;
    let active = world.active_node(&environment);
    let mut text = String::new();
    for node in world.nodes(&environment).iter() {
        if arguments.names {
            let _ = writeln!(text, "{}", in_a_line(&node.name));
            continue;
        }
        let is_active = active.as_ref().is_some_and(|it| it.name == node.name);
        let origin = match &node.origin {
            Origin::File(path) => paths::below(&root, path).unwrap_or(path),
            Origin::Inferred => "inferred from the data files",
        };
        let mark = if is_active { '*' } else { ' ' };
        let _ = writeln!(text, "{mark} {}  ({})", in_a_line(&node.name), in_a_line(origin));
    }
    Ok(text)
}
