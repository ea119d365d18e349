//! `hiera-ls init`: writes a project file that says what was found and what is missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::print_or_complain;
use super::workspace::{self, existing_directory};
use crate::engine::cases::not_known_in_words;
use crate::facts::{Origin, variable};
use crate::ide::{hierarchy_variables, open_variables};
use crate::settings::{PROJECT_FILE, Settings};
use crate::world::{World, loader, paths};

/// The arguments.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// The repository's directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// Print the file instead of writing it
    #[arg(long)]
    pub print: bool,
}

/// Writes `.hiera-ls.yaml`, and never overwrites an existing one.
pub fn run(arguments: &InitArguments) -> ExitCode {
    print_or_complain(write(arguments))
}

fn write(arguments: &InitArguments) -> Result<String, String> {
    let (world, root) = open(existing_directory(&arguments.root)?);
    let text = project_file(&world, &root);
    if arguments.print {
        return Ok(text);
    }
    let path = paths::join(&root, PROJECT_FILE);
    // `create_new` never replaces a file, also if another program creates it at the same moment.
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            format!("{path} exists already; --print shows what hiera-ls would write")
        }
        _ => format!("{path}: {error}"),
    })?;
    std::io::Write::write_all(&mut file, text.as_bytes())
        .map_err(|error| format!("{path}: {error}"))?;
    Ok(format!("{path} written\n"))
}

/// The workspace, and the directory of the project file: that of the environment or the repository that `directory` is a part
/// of.
fn open(directory: String) -> (Arc<World>, String) {
    let world = world_of(&directory);
    let root = match world.environment_of(&directory) {
        Some(environment) => environment.directory().to_owned(),
        None => repository_above(&directory).unwrap_or(&directory).to_owned(),
    };
    // A directory with several environments stays the root of all of them.
    if root == directory || paths::below(&root, &directory).is_none() {
        return (world, directory);
    }
    (world_of(&root), root)
}

fn world_of(root: &str) -> Arc<World> {
    let settings = Settings { directory: Some(root.into()), ..Settings::default() };
    World::on_disk(Arc::new(loader::Disk), vec![root.into()], settings)
}

fn repository_above(directory: &str) -> Option<&str> {
    let mut above = std::iter::once(directory).chain(paths::ancestors(directory));
    above.find(|it| Path::new(&paths::join(it, ".git")).exists())
}

/// The file's text: every setting in it is a comment, except for what was found and is certain.
fn project_file(world: &Arc<World>, root: &str) -> String {
    let mut text = String::from(
        "# Settings of hiera-ls for this repository. `hiera-ls schema` prints all of them; editors complete them here.\n",
    );
    if let Ok(environment) = workspace::environment(world, root, None) {
        let config = paths::join(environment.directory(), "hiera.yaml");
        let config = paths::below(root, &config).unwrap_or(&config);
        let _ = writeln!(text, "\n# Found: {config}");
        add_nodes(world, &environment, &mut text);
    } else {
        text += "\n# No hiera.yaml was found that belongs to this repository. If it is somewhere else:\n\
                 # globalHieraYaml: ../control-repo/hiera.yaml\n";
        for path in world.other_hiera_yamls() {
            let shown = paths::below(root, &path).unwrap_or(&path);
            let _ = writeln!(text, "# globalHieraYaml: {shown}");
        }
    }
    text
}

fn add_nodes(world: &Arc<World>, environment: &Arc<crate::config::Environment>, text: &mut String) {
    let nodes = world.nodes(environment);
    let complete = nodes.iter().filter(|node| node.is_complete()).count();
    let supported = nodes.iter().filter(|node| matches!(node.origin, Origin::Any)).count();
    let _ = write!(text, "# Nodes: {complete} with fact sets, ");
    if supported > 0 {
        let _ = write!(text, "{supported} that the module supports, ");
    }
    let by_name = nodes.len() - complete - supported;
    let _ = writeln!(text, "{by_name} known by the names of data files.");
    let read = hierarchy_variables(world, environment);
    let mut open: Vec<Arc<str>> = Vec::new();
    for name in read.iter().filter_map(|it| variable::name_of_text(it)) {
        let is_open =
            nodes.iter().any(|node| !open_variables(node, std::slice::from_ref(&name)).is_empty());
        if (is_open || nodes.is_empty()) && !open.contains(&name) {
            open.push(name);
        }
    }
    if !open.is_empty() {
        let nodes = if nodes.is_empty() { "" } else { " for some nodes" };
        let _ = writeln!(
            text,
            "# The hierarchy also reads {}{nodes}: values that depend\n\
             # on them are shown as cases.",
            not_known_in_words(&open)
        );
    } else if !nodes.is_empty() {
        *text += "# For these nodes, all variables of the hierarchy are known.\n";
    }
    if let Some(suggestion) = world.suggested_name_pattern(environment) {
        let _ = write!(
            text,
            "\n# The names of the nodes suggest this pattern, which {}.\n# Remove the `#` if that is what the names mean.\n\
             # node_name: '{}'\n",
            suggestion.effect(),
            suggestion.pattern.replace('\'', "''")
        );
    }
    *text += "\n# Fact sets, as `facter --json` or `puppet facts` write them; those in spec/factsets and .hiera-ls/facts are\n\
              # found without this.\n# facts: [facts/*.json]\n\
              \n# The node whose values hovers show. Without it: any node that reads the file.\n# node: web01.example.com\n\
              \n# 8, or 7 for a server that only warns of unknown variables.\n# puppetVersion: 8\n";
}
