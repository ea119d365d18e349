//! `hiera-ls facts`: the sample nodes of a workspace, and where each comes from.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::{complain, print};
use crate::facts::Origin;
use crate::settings::{PROJECT_FILE, Settings};
use crate::world::{World, loader, paths};

/// The arguments.
#[derive(Debug, Args)]
pub struct FactsArguments {
    /// The environment's directory, or one below it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
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
    let root = std::path::absolute(&arguments.root).map_err(|error| error.to_string())?;
    let root = paths::normalise(root.to_str().ok_or("the directory's name is not UTF-8")?);
    let project = std::fs::read_to_string(format!("{root}/{PROJECT_FILE}")).ok();
    let (settings, problems) = Settings::read(project.as_deref(), None, &[]);
    for problem in problems {
        complain(&format!("{PROJECT_FILE}: {}: {}", problem.key, problem.message));
    }
    let folders: Vec<Arc<str>> = vec![root.as_str().into()];
    let world = World::on_disk(Arc::new(loader::Disk), folders, settings);
    let environment =
        world.environment_of(&root).ok_or_else(|| format!("{root}: no hiera.yaml here"))?;
    let active = world.active_node(&environment);
    let mut text = String::new();
    for node in world.nodes(&environment).iter() {
        let is_active = active.as_ref().is_some_and(|it| it.name == node.name);
        let origin = match &node.origin {
            Origin::File(path) => paths::below(&root, path).unwrap_or(path),
            Origin::Inferred => "inferred from the data files",
        };
        let mark = if is_active { '*' } else { ' ' };
        let _ = writeln!(text, "{mark} {}  ({origin})", node.name);
    }
    Ok(text)
}
