//! Rules about a file as a whole: whether it can be read, and whether a level reads it.

pub(super) mod empty_file;
pub(super) mod hocon_environment_variable;
pub(super) mod hocon_syntax;
pub(super) mod invalid_encoding;
pub(super) mod json_syntax;
pub(super) mod left_by_git;
pub(super) mod multiple_documents;
pub(super) mod not_a_hash;
pub(super) mod nothing_checked;
pub(super) mod orphan_file;
pub(super) mod tab_indentation;
pub(super) mod unquoted_interpolation;
pub(super) mod unseen_module;
pub(super) mod unsupported_tag;
pub(super) mod yaml_date_breaks_file;
pub(super) mod yaml_syntax;
pub(super) mod yml_extension_trap;

use std::cell::OnceCell;
use std::sync::Arc;

use super::key::encrypted_but_not_sensitive;
use super::shared::bound_values::BoundValues;
use super::shared::declared_classes::DeclaredClasses;
use super::shared::known_keys::KnownKeys;
use super::shared::lower::LowerLevels;
use super::shared::targets::Targets;
use crate::config::{Environment, PuppetVersion};
use crate::data::{DataFile, FileError, Format, Verdict};
use crate::facts::Node;
use crate::ide::perspective::Perspective;
use crate::world::{Fleet, LeftByGit, World};
use yaml_date_breaks_file::refused_class;

/// A data file that a hierarchy reads.
pub(crate) struct DataContext<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) path: &'a str,
    pub(crate) data: &'a DataFile,
    /// The module whose data the file contains.
    pub(crate) module: Option<&'a str>,
    /// The evaluator.
    pub(crate) perspective: Option<&'a Perspective>,
    /// The completely known nodes that read the file.
    pub(crate) nodes: &'a [Arc<Node>],
    /// `None` for a file without an environment.
    pub(crate) around: Option<Surroundings<'a>>,
    is_read_by_eyaml: OnceCell<bool>,
    do_variables_look_up: OnceCell<bool>,
    /// Computed on demand.
    readers: OnceCell<Fleet>,
}

/// The surroundings of a data file: the other files of its environment, and the code.
pub(crate) struct Surroundings<'a> {
    pub(crate) environment: &'a Arc<Environment>,
    /// All keys of the environment.
    pub(crate) known: KnownKeys<'a>,
    /// The environment's code.
    pub(crate) classes: DeclaredClasses<'a>,
    /// The values of keys.
    pub(crate) targets: Targets<'a>,
    /// The levels below the file.
    pub(crate) lower: LowerLevels<'a>,
    /// The values of class parameters.
    pub(super) bound: Option<BoundValues<'a>>,
}

impl<'a> DataContext<'a> {
    pub(super) fn new(
        world: &'a Arc<World>,
        path: &'a str,
        (data, module): (&'a DataFile, Option<&'a str>),
        environment: Option<&'a Arc<Environment>>,
        (perspective, nodes): (Option<&'a Perspective>, &'a [Arc<Node>]),
    ) -> Self {
        let around = environment.map(|environment| Surroundings {
            environment,
            known: KnownKeys::new(world, environment.clone()),
            classes: DeclaredClasses::new(world, environment),
            targets: Targets::new(world, environment.clone(), path),
            lower: LowerLevels::new(world, environment, path, (data, module)),
            bound: perspective.map(|it| BoundValues::new(it, path)),
        });
        let (is_read_by_eyaml, do_variables_look_up) = (OnceCell::new(), OnceCell::new());
        Self {
            world,
            path,
            data,
            module,
            perspective,
            nodes,
            around,
            is_read_by_eyaml,
            do_variables_look_up,
            readers: OnceCell::new(),
        }
    }

    /// Whether the text of a variable may contain lookups.
    pub(crate) fn do_variables_look_up(&self) -> bool {
        let hold_lookups = |it: &Perspective| it.evaluator.node().holds_lookups();
        *self.do_variables_look_up.get_or_init(|| self.perspective.is_none_or(hold_lookups))
    }

    /// The nodes of the file as a fleet, in the same order; `None` outside of an environment.
    pub(crate) fn readers(&self) -> Option<&Fleet> {
        let environment = self.around.as_ref()?.environment;
        Some(self.readers.get_or_init(|| {
            let back_ends = self.world.quiet_back_ends();
            Fleet::reading_broken_files(self.world, environment, self.nodes.into(), back_ends)
        }))
    }

    /// Whether a level reads the file with `eyaml_lookup_key`: it decrypts values, and gets the keys one by one.
    pub(crate) fn is_read_by_eyaml(&self) -> bool {
        let reads = |it| encrypted_but_not_sensitive::is_read_by_eyaml(it, self.module, self.path);
        *self.is_read_by_eyaml.get_or_init(|| self.perspective.is_some_and(reads))
    }
}

/// A data file as a whole, as its reader finds it.
pub(crate) struct FileContext<'a> {
    pub(crate) data: &'a DataFile,
    pub(crate) text: &'a str,
    pub(crate) format: Format,
    pub(crate) verdict: Verdict,
    pub(crate) version: PuppetVersion,
    /// What Git wrote in the place of data.
    pub(crate) left_by_git: Option<LeftByGit>,
    /// `None` for a file that only a custom function reads.
    pub(crate) file: Option<&'a DataContext<'a>>,
}

impl FileContext<'_> {
    /// Why the file cannot be read.
    pub(crate) fn error(&self) -> Option<&FileError> {
        match &self.verdict {
            Verdict::Broken(error) => Some(error),
            _ => None,
        }
    }

    /// Why the file cannot be parsed as YAML. Two other rules report values of a class that Puppet refuses.
    pub(crate) fn yaml_error(&self) -> Option<&FileError> {
        self.error().filter(|it| self.format == Format::Yaml && refused_class(it).is_none())
    }
}

/// A file that no level reads.
pub(crate) struct UnreadContext<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) path: &'a str,
}
