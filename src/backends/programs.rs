//! The programs that run functions, each started at most once, for all callers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::announcer::Announcer;
use super::bridge::Program;
use super::settings::BridgeSettings;

/// The programs of a workspace.
#[derive(Debug, Default)]
pub(super) struct Programs {
    /// Their working directory.
    directory: Arc<str>,
    announcer: Announcer,
    by_command: Mutex<BTreeMap<Vec<Arc<str>>, Arc<Program>>>,
    /// Ruby with Puppet.
    puppet: OnceLock<Arc<Program>>,
}

impl Programs {
    pub(super) fn new(directory: Arc<str>, announcer: Announcer) -> Self {
        Self { directory, announcer, ..Self::default() }
    }

    /// The program with this command.
    pub(super) fn of_command(&self, command: &[Arc<str>]) -> Arc<Program> {
        let make = || {
            let directory = Arc::clone(&self.directory);
            Arc::new(Program::of_command(command.to_vec(), directory, self.announcement()))
        };
        Arc::clone(self.by_command().entry(command.to_vec()).or_insert_with(make))
    }

    /// The Ruby that has Puppet.
    pub(super) fn puppet(&self, bridge: &BridgeSettings) -> Arc<Program> {
        let make = || {
            let directory = Arc::clone(&self.directory);
            Arc::new(Program::puppet(bridge, directory, self.announcement()))
        };
        Arc::clone(self.puppet.get_or_init(make))
    }

    /// Why a function failed in the program with this command or, without a command, in Puppet's.
    pub(super) fn problem(&self, command: Option<&[Arc<str>]>, function: &str) -> Option<Arc<str>> {
        let program = match command {
            Some(command) => self.by_command().get(command).cloned(),
            None => self.puppet.get().cloned(),
        };
        program?.problem(function)
    }

    /// Stops them for good.
    pub(super) fn stop(&self) {
        for program in self.by_command().values().chain(self.puppet.get()) {
            program.stop();
        }
    }

    fn announcement(&self) -> Arc<dyn Fn() + Send + Sync> {
        let announcer = self.announcer.clone();
        Arc::new(move || announcer.announce())
    }

    fn by_command(&self) -> MutexGuard<'_, BTreeMap<Vec<Arc<str>>, Arc<Program>>> {
        self.by_command.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
