//! Immutable snapshots of the workspace: files, sample nodes, environments, settings. The only mutable owner is `Host`.

#[cfg(test)]
mod any_node_tests;
mod attachments;
mod by_environment;
mod changed_paths;
mod closed;
mod code;
mod code_variables;
mod disk;
mod disk_record;
mod evaluators;
mod fact_set_problems;
mod facts_files;
mod file_entry;
mod fleet;
pub(crate) mod git;
mod host;
mod indexes;
mod interner;
mod key_index;
mod left_by_git;
mod links;
pub mod loader;
mod memory;
mod modulepath;
mod moment;
mod name_patterns;
pub mod node_classes;
mod nodes;
mod open_files;
mod outside;
mod overlay;
pub(crate) mod parallel;
pub mod paths;
mod project_file;
mod reach;
mod read_orders;
mod roots;
mod setting_problems;
mod shards;
mod shared_files;
mod snapshot;
mod texts;
mod trust;
mod type_aliases;
mod unread;
mod unseen_modules;
mod unused_config;
mod variable_source;
mod views;

pub use by_environment::ByEnvironment;
pub use disk::{DiskReader, DiskTable};
pub(crate) use facts_files::fact_files_on_disk;
pub use file_entry::FileEntry;
pub use fleet::{
    AnswerChange, Asker, Before, Cause, Difference, Differences, Fleet, FleetPair, KeptAnswer,
    NotProved, SharedAnswer, SideNodes, aligned, with_same_files,
};
pub use host::{Change, Effect, Host};
pub use key_index::{CallWords, KeyIndex, KeyPlace};
pub use left_by_git::{LeftByGit, conflict_marks};
pub use loader::Disk;
pub use memory::MemoryDisk;
pub use moment::{KeyEdits, Moment, Structure};
pub use node_classes::{FleetClasses, MainManifest, NodeBlock, NodeClass, NodeClasses};
pub use nodes::{NodeElsewhere, SampleNodes};
pub use overlay::OpenFile;
pub use reach::{DataPlace, Reach};
pub use read_orders::{Below, FileAbove, FileSet, OrderAround, ReadOrders, ReadSource, Sources};
pub use snapshot::World;
pub use trust::{Trust, WorkspaceSettings};
pub use unread::UnreadData;
pub use unseen_modules::UnseenModuleAt;
pub use unused_config::UnusedConfig;
pub use variable_source::VariableSource;
pub use views::{UnclearWay, WayToFile};
