//! Runs all rules on one file, phase by phase, with the severities in the settings.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::code::{ClassifierContext, CodeContext};
use super::config::{ConfigContext, ConfigTextContext, EnvironmentConfContext};
use super::entry::{eyaml_blob, unreachable_integer_key};
use super::entry_cache::{EntryCache, EntrySummary, Step};
use super::file::left_by_git;
use super::file::{DataContext, FileContext, Surroundings, UnreadContext};
use super::kept_findings::{KeptFindings, Mentions};
use super::key::{KeyContext, OptionsContext};
use super::lookup::undefined_variable::KnownVariables;
use super::lookup::{LookupContext, VariablesContext};
use super::phases::{PHASES, ask, is_asked};
use super::rule::Subject;
use super::secrets;
use super::shared::fitting_fixes::keep_fitting;
use super::shared::users::Users;
use super::suppression::control;
use super::{Cost, Diagnostic, Family, RULES, Report, Rule, Safety, environments, rule};
use crate::code::roots::is_code;
use crate::code::{CodeIndex, CodeSummary};
use crate::config::HieraYaml;
use crate::config::hiera_yaml::{ConfigProblem, LayerKind, Locations};
use crate::data::{DataFile, EntryTree, Files, Format, RootEntry};
use crate::engine::{CancelToken, CodeVariables};
use crate::facts::Node;
use crate::facts::mapped::part_read_by;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::file_role::FileRole;
use crate::ide::perspective::Perspective;
use crate::ide::strings::{PlacedName, StringNode, interpolated_strings, variables};
use crate::limits::{MAX_KEYS_WHILE_TYPING, MAX_NODES_WHILE_TYPING};
use crate::syntax::puppet::DeclarationKind;
use crate::syntax::tree::{self, NodeKind};
use crate::syntax::yaml;
use crate::text::TextRange;
use crate::world::{World, paths};

/// How much of a file is checked by rules that need lookups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The maximum number of keys of one file that are looked up.
    keys: usize,
    /// The maximum number of nodes with fact sets whose variables are used.
    nodes: usize,
    /// Whether the user is typing, so that the next check comes soon.
    is_typing: bool,
}

impl Bounds {
    /// More would make typing slow.
    const WHILE_TYPING: Self =
        Self { keys: MAX_KEYS_WHILE_TYPING, nodes: MAX_NODES_WHILE_TYPING, is_typing: true };

    const NONE: Self = Self { keys: usize::MAX, nodes: usize::MAX, is_typing: false };
}

/// The keys of `hiera.yaml` whose strings are interpolated.
const INTERPOLATED_KEYS: [&[&str]; 2] = [KEYS_OF_PATHS, KEYS_OF_LEVELS];

/// Those that name the locations of a level.
const KEYS_OF_PATHS: &[&str] = &["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

/// Those that belong to a level with all of its locations. Every lookup interpolates them.
const KEYS_OF_LEVELS: &[&str] = &["datadir", "options", "hiera3_backend"];

/// The findings in the file at `path`, in the order of the text, as far as they can be computed while the user types. The
/// snapshot's notes say what is left out of a very large file.
pub fn diagnostics(world: &Arc<World>, path: &str) -> Vec<Diagnostic> {
    diagnostics_until(world, path, &CancelToken::default())
}

/// The same findings, but the result is not valid if the check is cancelled meanwhile.
pub fn diagnostics_until(world: &Arc<World>, path: &str, cancel: &CancelToken) -> Vec<Diagnostic> {
    diagnostics_within(world, path, Bounds::WHILE_TYPING, cancel)
}

/// All findings in the file at `path`, in the order of the text.
pub fn all_diagnostics(world: &Arc<World>, path: &str) -> Vec<Diagnostic> {
    diagnostics_within(world, path, Bounds::NONE, &CancelToken::default())
}

fn diagnostics_within(
    world: &Arc<World>,
    path: &str,
    bounds: Bounds,
    cancel: &CancelToken,
) -> Vec<Diagnostic> {
    if !world.settings().diagnostics.enabled {
        return Vec::new();
    }
    let views = environments::views(world, path);
    if views.is_empty() {
        return in_one_environment(world, path, bounds, cancel);
    }
    let of_view = |(label, view): &(Arc<str>, Arc<World>)| {
        let mut findings = in_one_environment(view, path, bounds, cancel);
        // What is secret in one environment is shown in none.
        for (_, other) in &views {
            secrets::hide(other, path, &mut findings);
        }
        (Arc::clone(label), findings)
    };
    environments::merged(views.iter().map(of_view).collect())
}

/// The findings for the environment to which the file belongs.
fn in_one_environment(
    world: &Arc<World>,
    path: &str,
    bounds: Bounds,
    cancel: &CancelToken,
) -> Vec<Diagnostic> {
    let is_unwanted = |rule: &&&Rule| !is_asked(rule, |it| control::asks_for(world, it));
    // Settings are read once for each rule here, and not again for each of many entries.
    let unwanted: Vec<&Rule> = RULES.iter().filter(is_unwanted).copied().collect();
    // Only rules of high cost can be unwanted, and this is asked for each entry and each rule.
    let is_wanted =
        |rule: &Rule| rule.cost == Cost::Low || !unwanted.iter().any(|it| it.code == rule.code);
    let report = Report::default();
    let mut run = Run { world, path, bounds, cancel, is_wanted: &is_wanted, report };
    let role = FileRole::of(world, path);
    match &role {
        Some(FileRole::Data { format, module, is_built_in, is_read_here }) => {
            if let Ok(file) = world.file(path) {
                let data = file.data(*format);
                match (*is_built_in, *is_read_here) {
                    _ if world.left_by_git(path, *format).is_some() => run.left_by_git(data),
                    (true, true) => run.data_file(data, module.as_deref()),
                    (true, false) => run.data_alone(data, module.as_deref()),
                    (false, _) => run.syntax(data),
                }
            }
        }
        Some(FileRole::HieraYaml { layer }) => run.config(*layer),
        None if is_code(path) => run.code(),
        None if world.is_environment_conf(path) => {
            if let Ok(file) = world.file(path) {
                let (text, invalid_utf8_at) = (&*file.text, file.invalid_utf8_at);
                let context = EnvironmentConfContext { world, path, text, invalid_utf8_at };
                run.ask(&PHASES.environment_conf, &context);
            }
        }
        None => {
            run.ask(&PHASES.unread, &UnreadContext { world, path });
            for environment in &world.classified_by(path) {
                run.ask(&PHASES.classifier, &ClassifierContext { world, environment, path });
            }
        }
    }
    let mut findings = control::apply(world, path, role.as_ref(), run.report.findings);
    if role.as_ref().is_some_and(|it| it.is_unparsable(world, path)) {
        leave_fixes_to_users(&mut findings);
    }
    if world.settings().coexist_with_yaml_language_server && !is_hocon(role.as_ref()) {
        let is_syntax = |code| rule(code).is_some_and(|it| it.family == Family::Syntax);
        findings.retain(|finding| !is_syntax(finding.code));
    }
    findings.sort_by_key(|it| (it.range.start, it.range.end));
    secrets::hide(world, path, &mut findings);
    findings
}

/// In a file that Puppet cannot parse, only the fixes of what breaks it are applied without a question. What it contains is not
/// certain, and every other fix counts as proved, because all lookups of its keys fail before and after it.
fn leave_fixes_to_users(findings: &mut [Diagnostic]) {
    let breaks_file = |code| rule(code).is_some_and(|it| it.explains == Some(Subject::BrokenFile));
    for finding in findings.iter_mut().filter(|it| !breaks_file(it.code)) {
        finding.fixes.iter_mut().for_each(|fix| fix.safety = Safety::ByHand);
    }
}

/// Whether no common language server knows the file's format.
fn is_hocon(role: Option<&FileRole>) -> bool {
    matches!(role, Some(FileRole::Data { format: Format::Hocon, .. }))
}

/// The run of the rules over one file.
struct Run<'a> {
    world: &'a Arc<World>,
    path: &'a str,
    bounds: Bounds,
    cancel: &'a CancelToken,
    is_wanted: &'a dyn Fn(&Rule) -> bool,
    report: Report,
}

impl Run<'_> {
    fn ask<C>(&mut self, rules: &[(&'static Rule, impl Fn(&C, &mut Report))], thing: &C) {
        ask(rules, thing, self.is_wanted, &mut self.report);
    }

    /// Says what Git wrote in the place of data. All other rules would report what follows from that.
    fn left_by_git(&mut self, data: &DataFile) {
        let is_it = |it: &Rule| it.code == left_by_git::RULE.code;
        ask(&PHASES.file, &self.whole_file(data, None), &is_it, &mut self.report);
    }

    /// Checks a file that only a custom function reads: only whether a parser of its format can read it. What else the
    /// function accepts is not known.
    fn syntax(&mut self, data: &DataFile) {
        let is_syntax = |it: &Rule| it.family == Family::Syntax;
        ask(&PHASES.file, &self.whole_file(data, None), &is_syntax, &mut self.report);
    }

    /// Checks a file that no level reads under this path by the rules that need no hierarchy. What is read through links is
    /// compared with other files under the path of the link.
    fn data_alone(&mut self, data: &DataFile, module: Option<&str>) {
        let (world, path) = (self.world, self.path);
        let file = DataContext::new(world, path, (data, module), None, (None, &[]));
        self.entries(&file);
        self.ask(&PHASES.file, &self.whole_file(data, Some(&file)));
        if world.unused_config_of(path).is_some() {
            self.ask(&PHASES.unread, &UnreadContext { world, path });
        }
    }

    /// Checks a file that hierarchies read, with data of `module` if there is one.
    fn data_file(&mut self, data: &DataFile, module: Option<&str>) {
        let (world, path) = (self.world, self.path);
        let perspective = Perspective::of_file(world, path);
        let nodes = self.complete_nodes(module);
        let environment = world.environment_of(path);
        let answers = (perspective.as_ref(), &*nodes);
        let file = DataContext::new(world, path, (data, module), environment.as_ref(), answers);
        self.entries(&file);
        // `entry` checks keys only in files that are split into entries. The keys of all other files are checked here.
        if let Some(around) = &file.around
            && !data.is_split()
        {
            let keys = data.entries().filter_map(|entry| Some((entry.key.as_str()?, entry)));
            keys.take(self.bounds.keys).for_each(|key| self.key(&file, around, key));
        }
        self.ask(&PHASES.file, &self.whole_file(data, Some(&file)));
        if let Some(around) = &file.around
            && let Some(bound) = &around.bound
        {
            keep_fitting(bound, &around.classes, data, &mut self.report.findings);
        }
    }

    /// Checks the entries. The earlier findings of an entry are used if no edit changed what they depend on.
    fn entries(&mut self, file: &DataContext<'_>) {
        let DataContext { world, path, data, .. } = *file;
        let known = KnownVariables {
            nodes: file.nodes.iter().collect(),
            is_error: world.settings().puppet_version.has_strict_variables(),
            is_config: false,
            of_code: self.code_variables(),
        };
        // Only what is typed is checked again.
        let keeps = data.is_split() && self.bounds.is_typing && world.open_file(path).is_some();
        let moment = keeps.then(|| world.moment());
        let environment = file.around.as_ref().map(|it| &**it.environment);
        let mut mentions = None;
        let mut asked = 0;
        world.attached::<EntryCache>().each(
            (world, environment),
            (data, path, file.module),
            moment,
            |step| {
                if self.cancel.is_cancelled() {
                    return ControlFlow::Break(());
                }
                let (entry, summary) = match step {
                    Step::Entry(entry, summary) => (entry, summary),
                    Step::Section(findings, start) => {
                        self.report.findings.extend(findings.at(path, start));
                        asked += findings.keys;
                        return ControlFlow::Continue(());
                    }
                };
                let before = self.report.findings.len();
                let findings = summary.findings.iter();
                let findings = findings.map(|finding| finding.clone().shifted(entry.start));
                self.report.findings.extend(findings);
                if summary.depends_on_reader() {
                    let findings = &mut self.report.findings[before..];
                    if file.is_read_by_eyaml() {
                        unreachable_integer_key::make_warnings(findings);
                    } else {
                        eyaml_blob::make_warnings(findings);
                    }
                }
                let is_asked_about = asked < self.bounds.keys;
                asked += usize::from(matches!(entry.key.kind, NodeKind::Scalar { .. }));
                if let Some(kept) = &summary.kept {
                    self.report.findings.extend(kept.at(path, entry.start));
                    return ControlFlow::Continue(());
                }
                // Rules search the findings before them, and one entry has only few.
                let others = std::mem::take(&mut self.report.findings);
                self.entry(file, &known, (entry, summary), is_asked_about);
                let mut found = std::mem::replace(&mut self.report.findings, others);
                if keeps && let Some(environment) = environment {
                    if summary.words.is_none() {
                        let mentions =
                            mentions.get_or_insert_with(|| Mentions::new(world, environment));
                        summary.words = mentions.of(&entry);
                    }
                    summary.kept = summary.words.clone().and_then(|words| {
                        KeptFindings::new(world, (path, data), &entry, &found, words)
                    });
                }
                self.report.findings.append(&mut found);
                ControlFlow::Continue(())
            },
        );
        if asked > self.bounds.keys {
            let most = self.bounds.keys;
            let why = format!(
                "{path}: only its first {most} keys are compared with other files here; `hiera-ls check` looks at all"
            );
            world.left_out(path, why);
        }
    }

    /// Checks one entry, and its key if the file is split into entries.
    fn entry(
        &mut self,
        file: &DataContext<'_>,
        known: &KnownVariables<'_>,
        (entry, summary): (EntryTree<'_>, &EntrySummary),
        is_asked_about: bool,
    ) {
        let (variables, start, users) =
            (&*summary.variables, entry.start, Users::of_entry(file, &entry));
        let version = self.world.settings().puppet_version;
        let context = VariablesContext { variables, start, known, users, version };
        self.ask(&PHASES.variables, &context);
        let NodeKind::Scalar { text: name, .. } = &entry.key.kind else {
            let perspective = None;
            return self.ask(&PHASES.lookup, &LookupContext { file, entry, summary, perspective });
        };
        let perspective = file.perspective.filter(|_| is_asked_about);
        self.ask(&PHASES.lookup, &LookupContext { file, entry, summary, perspective });
        // If a key is repeated, only the last entry is compared with other files: lookups use its value.
        if file.data.is_split()
            && is_asked_about
            && let Some(around) = &file.around
            && let Some(root) = file.data.get(name)
            && root.key_place.range == entry.key.range.shifted(start)
            && let Some(key) = root.key.as_str()
        {
            self.key(file, around, (key, root));
        }
    }

    /// Checks a key together with other files.
    fn key(
        &mut self,
        file: &DataContext<'_>,
        around: &Surroundings<'_>,
        (key, entry): (&str, &RootEntry),
    ) {
        let DataContext { data, module, .. } = *file;
        if key != LOOKUP_OPTIONS {
            self.ask(&PHASES.key, &KeyContext::new(data, around, (key, entry)));
        } else if let Some(tree) = data.entry_at(entry.key_place.range.start) {
            let Surroundings { known, classes, lower, .. } = around;
            let options = OptionsContext { data, tree, entry, module, known, classes, lower };
            self.ask(&PHASES.options, &options);
        }
    }

    fn whole_file<'f>(
        &self,
        data: &'f DataFile,
        file: Option<&'f DataContext<'f>>,
    ) -> FileContext<'f> {
        let version = self.world.settings().puppet_version;
        let (text, format, verdict) = (data.text(), data.format(), data.verdict());
        let left_by_git = self.world.left_by_git(self.path, format);
        FileContext { data, text, format, verdict, version, left_by_git, file }
    }

    /// Checks the file as the `hiera.yaml` of a layer.
    fn config(&mut self, layer: LayerKind) {
        let (world, path) = (self.world, self.path);
        let Ok(text) = world.text(path) else { return };
        let version = world.settings().puppet_version;
        let Ok((config, problems)) = HieraYaml::of_file(&**world, path, layer, version) else {
            return;
        };
        let tree = yaml::parse(&text).root;
        let strings = tree
            .as_ref()
            .map_or_else(Vec::new, |root| config_strings(&text, root, &INTERPOLATED_KEYS.concat()));
        let (text, problems, root, strings) = (&*text, &*problems, tree.as_ref(), &*strings);
        let environment = world.environment_of(path);
        let environment = environment.as_ref();
        let is_global_too = environment.is_some_and(|it| it.global_config.as_deref() == Some(path));
        let puppet = version;
        let context =
            ConfigTextContext { text, layer, puppet, is_global_too, problems, root, strings };
        self.ask(&PHASES.config_text, &context);
        let nodes = self.complete_nodes(None);
        // Puppet reads no level of a file that it refuses, so rules about levels would only repeat that.
        let is_refused = problems.iter().any(ConfigProblem::is_error);
        let usable = config.as_ref().filter(|config| config.version == 5 && !is_refused);
        if let Some(config) = usable {
            let context = ConfigContext { world, config, environment, nodes: &nodes };
            self.ask(&PHASES.config, &context);
            // These rules report a level only if no other finding explains it.
            self.ask(&PHASES.config_rest, &context);
        }
        let nodes = &*nodes;
        let mapped = config.as_ref().map(mapped_variables).unwrap_or_default();
        let is_of_paths =
            |it: &PlacedName| !mapped.iter().any(|(at, name)| is_mapped(it, *at, name));
        // In paths, Puppet uses an empty string.
        for (keys, is_error) in
            [(KEYS_OF_PATHS, false), (KEYS_OF_LEVELS, version.has_strict_variables())]
        {
            let strings = root.map_or_else(Vec::new, |root| config_strings(text, root, keys));
            let mut variables = variables(&strings);
            variables.retain(is_of_paths);
            let known = KnownVariables {
                nodes: nodes.iter().collect(),
                is_error,
                is_config: true,
                of_code: self.code_variables(),
            };
            let (variables, start, users) = (&*variables, 0, Users::all(nodes));
            let context = VariablesContext { variables, start, known: &known, users, version };
            self.ask(&PHASES.variables, &context);
        }
    }

    /// Checks the file if Puppet loads code from it. Most files have nothing that a rule checks, and the index of the code
    /// shows that.
    fn code(&mut self) {
        let Some(environment) = self.world.environment_of(self.path) else { return };
        let index = self.world.code_index(&environment);
        let Some(summary) = index.summary(self.path) else { return };
        // A main manifest leads to classes in other ways than by their names.
        let is_main = || self.world.is_main_manifest(&environment, self.path);
        if !summary.is_broken && is_quiet(&index, summary) && !is_main() {
            return;
        }
        let context = CodeContext::new(self.world, &environment, &index, self.path);
        let Some(context) = context else { return };
        if summary.is_broken {
            self.ask(&PHASES.broken_code, &context);
        } else {
            self.ask(&PHASES.code, &context);
        }
    }

    /// The variables that code of the file's environment may set.
    fn code_variables(&self) -> Arc<CodeVariables> {
        let environment = self.world.environment_of(self.path);
        environment.map_or_else(Arc::default, |it| self.world.code_variables(&it))
    }

    /// The nodes that read a data file or use a `hiera.yaml`, and whose variables are all known.
    fn complete_nodes(&self, module: Option<&str>) -> Vec<Arc<Node>> {
        let (world, path) = (self.world, self.path);
        let Some(environment) = world.environment_of(path) else { return Vec::new() };
        if paths::file_name(path) == "hiera.yaml" {
            let nodes = world.nodes(&environment);
            let complete = nodes.iter().filter(|node| node.is_complete());
            return complete.take(self.bounds.nodes).cloned().collect();
        }
        let orders = world.read_orders(&environment);
        let mut readers = orders.complete_readers(world, &environment, world.id(path), module);
        readers.truncate(self.bounds.nodes);
        readers
    }
}

/// Whether a file of code has no keys, declarations or includes that a rule checks.
fn is_quiet(index: &CodeIndex, summary: &CodeSummary) -> bool {
    // A class and a defined type cannot have the same name.
    let kinds = [DeclarationKind::Class, DeclarationKind::Define];
    let mut declared = summary.declared.iter().filter(|it| kinds.contains(&it.kind));
    let places = |name: &str| kinds.map(|kind| index.declared(kind, name).len());
    let has_duplicates = declared.any(|it| places(&it.name).iter().sum::<usize>() > 1);
    summary.keys.is_empty()
        && summary.included.is_empty()
        && !summary.has_checked_types
        && !summary.has_failing_lookup
        && summary.node_blocks == 0
        && !has_duplicates
}

/// The templates of `mapped_paths`, each with the name of its variable.
fn mapped_variables(config: &HieraYaml) -> Vec<(TextRange, &str)> {
    let levels = config.hierarchy.iter().chain(&config.default_hierarchy);
    let mapped = levels.filter_map(|level| match &level.locations {
        Locations::MappedPaths(parts) => Some((parts[2].place?.range, parts[1].value.as_str()?)),
        _ => None,
    });
    mapped.collect()
}

/// Whether a token in the template of `mapped_paths` reads its variable, which no node has.
fn is_mapped(token: &PlacedName, template: TextRange, variable: &str) -> bool {
    template.contains_range(token.range) && part_read_by(variable, &token.name).is_some()
}

/// The strings of a `hiera.yaml` that Puppet interpolates, in the values of some keys.
fn config_strings<'a>(text: &'a str, root: &'a tree::Node, keys: &[&str]) -> Vec<StringNode<'a>> {
    let mut strings = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => {
                for pair in pairs {
                    match &pair.key.kind {
                        NodeKind::Scalar { text: key, .. }
                            if INTERPOLATED_KEYS.iter().any(|it| it.contains(&&**key)) =>
                        {
                            let wanted = keys.contains(&&**key).then_some(&pair.value);
                            strings.extend(
                                wanted.into_iter().flat_map(|it| interpolated_strings(text, it)),
                            );
                        }
                        _ => waiting.push(&pair.value),
                    }
                }
            }
            _ => {}
        }
    }
    strings
}
