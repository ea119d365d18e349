//! Nodes for the files that no other node reads, so that there is somebody for whom each file counts.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::files::{Level, Row};
use super::variables::Variables;
use super::{Fillers, MAX_INFERRED_NODES, Seed};
use crate::facts::NodeParts;

/// Adds a node for each file that no node reads yet.
pub(super) struct Readers<'a> {
    levels: Vec<FilesOfLevel<'a>>,
    read: HashSet<&'a str>,
    nodes: &'a mut Vec<NodeParts>,
}

/// A level, and its files by the texts of its variables.
struct FilesOfLevel<'a> {
    level: &'a Level,
    by_texts: HashMap<Vec<Arc<str>>, &'a str>,
}

impl<'a> Readers<'a> {
    /// Nobody reads the files of `levels` yet; new nodes go behind `nodes`.
    pub(super) fn new(levels: &[&'a Level], nodes: &'a mut Vec<NodeParts>) -> Self {
        let files_of = |level: &&'a Level| {
            let files = level.rows.iter().zip(&level.files);
            let by_texts = files.filter_map(|(row, file)| Some((level.texts_of(row)?, &**file)));
            FilesOfLevel { level, by_texts: by_texts.collect() }
        };
        let levels = levels.iter().map(files_of).collect();
        Self { levels, read: HashSet::new(), nodes }
    }

    /// Somebody reads all files of these levels.
    pub(super) fn mark_all_of(&mut self, levels: &[&'a Level]) {
        self.read.extend(levels.iter().flat_map(|level| &level.files).map(String::as_str));
    }

    /// A node of which this is known reads what it reads.
    pub(super) fn mark(&mut self, row: &Row) {
        for FilesOfLevel { level, by_texts } in &self.levels {
            let file = level.texts_of(row).and_then(|texts| by_texts.get(&texts));
            self.read.extend(file);
        }
    }

    /// Level by level, adds a node for each file that is left.
    pub(super) fn add_missing(&mut self, fillers: &Fillers<'_>, variables: &Variables) {
        let mut names: HashSet<String> = self.nodes.iter().map(|it| it.name.clone()).collect();
        for number in 0..self.levels.len() {
            let level = self.levels[number].level;
            for (row, file) in level.rows.iter().zip(&level.files) {
                if self.nodes.len() >= MAX_INFERRED_NODES {
                    return;
                }
                let name = level.name_of(file);
                if self.read.contains(&**file) || !names.insert(name.to_owned()) {
                    continue;
                }
                let (name, row) = (name.to_owned(), row.clone());
                let seed = Seed { name, row, is_machine: false, known: None };
                let row = fillers.fill(&seed);
                self.nodes.push(seed.node(&row, variables));
                self.mark(&row);
            }
        }
    }
}
