//! All rules over one file, with the severities that the settings ask for.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::code::run_code;
use super::config::{
    absolute_path_by_slash, default_hierarchy_misuse, deployed_datadir, failing_backend,
    function_in_hiera_yaml, hiera_yaml_schema, hiera_yaml_version, level_never_matches,
    missing_datadir, misspelt_path, options_break_yaml_data, path_empty_becomes_datadir,
    path_is_directory, path_without_extension, unknown_backend, unread_data,
};
use super::entry::{duplicate_key, eyaml_blob, puppet_style_interpolation, typographic_character};
use super::entry_cache::EntryCache;
use super::entry_rules::EntryRules;
use super::file::{
    empty_file, hocon_syntax, invalid_encoding, json_syntax, multiple_documents, not_a_hash,
    nothing_checked, orphan_file, tab_indentation, unquoted_interpolation, unsupported_tag,
    yaml_date_breaks_file, yaml_syntax, yml_extension_trap,
};
use super::kept_findings::{KeptFindings, Mentions};
use super::lookup::undefined_variable::KnownVariables;
use super::lookup::{
    dig_type_mismatch, legacy_fact, undefined_variable, unknown_fact_member, unscoped_variable,
};
use super::suppression::control;
use super::{Diagnostic, Report};
use crate::code::roots::is_code;
use crate::config::hiera_yaml::{ConfigProblem, LayerKind};
use crate::config::{HieraYaml, PuppetVersion};
use crate::data::{DataFile, Files, Format, Verdict};
use crate::engine::CancelToken;
use crate::facts::Node;
use crate::ide::file_role::FileRole;
use crate::ide::perspective::Perspective;
use crate::ide::strings::{StringNode, interpolated_strings, variables};
use crate::limits::{MAX_KEYS_WHILE_TYPING, MAX_NODES_WHILE_TYPING};
use crate::syntax::tree::{self, NodeKind};
use crate::syntax::yaml;
use crate::world::{World, paths};

/// How much of a file is looked at, where that takes lookups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// How many keys of one file the engine is asked about.
    keys: usize,
    /// Of how many nodes with fact sets the variables count.
    nodes: usize,
    /// Whether somebody types, so that the same will be asked again soon.
    is_typing: bool,
}

/// How one check of a file is done.
struct Run<'a> {
    bounds: Bounds,
    cancel: &'a CancelToken,
}

impl Bounds {
    /// More would make typing slow.
    const WHILE_TYPING: Self =
        Self { keys: MAX_KEYS_WHILE_TYPING, nodes: MAX_NODES_WHILE_TYPING, is_typing: true };

    const NONE: Self = Self { keys: usize::MAX, nodes: usize::MAX, is_typing: false };
}

/// The rules that any YAML or JSON language server has as well: off together where one runs beside us.
const COEXIST_FAMILY: [&str; 5] = [
    yaml_syntax::RULE.code,
    json_syntax::RULE.code,
    tab_indentation::RULE.code,
    unquoted_interpolation::RULE.code,
    duplicate_key::RULE.code,
];

/// The keys of `hiera.yaml` whose texts are interpolated.
const INTERPOLATED_KEYS: [&str; 10] = [
    "path",
    "paths",
    "glob",
    "globs",
    "uri",
    "uris",
    "mapped_paths",
    "datadir",
    "options",
    "hiera3_backend",
];

/// What the rules say of the file at `path`, in the order of the text, as far as that can be found out while somebody types:
/// what is left out of a very large file, the snapshot's notes say.
pub fn diagnostics(world: &Arc<World>, path: &str) -> Vec<Diagnostic> {
    diagnostics_until(world, path, &CancelToken::default())
}

/// The same, but nothing that counts if it is cancelled meanwhile.
pub fn diagnostics_until(world: &Arc<World>, path: &str, cancel: &CancelToken) -> Vec<Diagnostic> {
    diagnostics_within(world, path, &Run { bounds: Bounds::WHILE_TYPING, cancel })
}

/// Everything that the rules say of the file at `path`, in the order of the text.
pub fn all_diagnostics(world: &Arc<World>, path: &str) -> Vec<Diagnostic> {
    let cancel = CancelToken::default();
    diagnostics_within(world, path, &Run { bounds: Bounds::NONE, cancel: &cancel })
}

fn diagnostics_within(world: &Arc<World>, path: &str, run: &Run<'_>) -> Vec<Diagnostic> {
    let settings = &world.settings().diagnostics;
    if !settings.enabled {
        return Vec::new();
    }
    let mut report = Report::default();
    let role = FileRole::of(world, path);
    match &role {
        Some(FileRole::Data { format, module, is_built_in }) => {
            if let Ok(file) = world.file(path) {
                let data = file.data(*format).clone();
                if *is_built_in {
                    check_data(world, path, (&data, module.as_deref()), run, &mut report);
                } else {
                    check_syntax(&data, &mut report);
                }
            }
        }
        Some(FileRole::HieraYaml { layer }) => {
            check_config(world, path, *layer, run.bounds, &mut report);
        }
        None if is_code(path) => run_code::check(world, path, &mut report),
        None => {
            let is_explained = yml_extension_trap::check(world, path, &mut report)
                || misspelt_path::check_file(world, path, &mut report)
                || nothing_checked::check(world, path, &mut report);
            if !is_explained {
                orphan_file::check(world, path, &mut report);
            }
        }
    }
    let mut findings = control::apply(world, path, role.as_ref(), report.findings);
    if world.settings().coexist_with_yaml_language_server {
        findings.retain(|finding| !COEXIST_FAMILY.contains(&finding.code));
    }
    findings.sort_by_key(|it| (it.range.start, it.range.end));
    findings
}

/// What is said of a file that only a function of the site reads: that no reader of its format takes it. What else the
/// function accepts, only it knows.
fn check_syntax(data: &DataFile, report: &mut Report) {
    let text = data.text();
    match (data.verdict(), data.format()) {
        (Verdict::Broken(error), Format::Yaml) => {
            let is_of_class = yaml_date_breaks_file::refused_class(&error).is_some();
            let is_explained = is_of_class
                || unquoted_interpolation::check(&error, text, report)
                || tab_indentation::check(&error, text, report);
            if !is_explained {
                yaml_syntax::check(&error, text, report);
            }
        }
        (Verdict::Broken(error), Format::Json) => json_syntax::check(&error, text, report),
        (Verdict::Broken(error), Format::Hocon) => hocon_syntax::check(&error, report),
        _ => {}
    }
}

fn check_data(
    world: &Arc<World>,
    path: &str,
    (data, module): (&DataFile, Option<&str>),
    run: &Run<'_>,
    report: &mut Report,
) {
    let perspective = Perspective::of_file(world, path);
    let nodes = complete_nodes(world, path, module, run.bounds);
    let environment = world.environment_of(path);
    let rules = EntryRules::new(
        world,
        environment.as_ref(),
        path,
        (data, module),
        perspective.as_ref(),
        &nodes,
    );
    let is_split = data.is_split();
    // What nobody types is checked once.
    let keeps = is_split && run.bounds.is_typing && world.open_file(path).is_some();
    let moment = keeps.then(|| world.moment());
    let mut mentions = None;
    let mut asked = 0;
    world.attached::<EntryCache>().each(
        (world, environment.as_deref()),
        (data, module),
        moment,
        |entry, summary| {
            if run.cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            let findings = summary.findings.iter();
            let before = report.findings.len();
            report.findings.extend(findings.map(|finding| shifted(finding.clone(), entry.start)));
            if summary.has_encrypted && !rules.is_decrypted() {
                eyaml_blob::make_warnings(&mut report.findings[before..]);
            }
            let is_asked_about = asked < run.bounds.keys;
            asked += usize::from(matches!(entry.key.kind, NodeKind::Scalar { .. }));
            if let Some(kept) = &summary.kept {
                report.findings.extend(kept.at(path, entry.start));
                return ControlFlow::Continue(());
            }
            let mut own = Report::default();
            rules.check_tree(entry, summary, is_asked_about, &mut own);
            if is_split
                && is_asked_about
                && let NodeKind::Scalar { text: key, .. } = &entry.key.kind
                && let Some(root) = data.get(key)
                && root.key_place.range == entry.key.range.shifted(entry.start)
                && let Some(key) = root.key.as_str()
            {
                rules.check_key(key, root, &mut own);
            }
            if keeps && let Some(environment) = &environment {
                let mentions = mentions.get_or_insert_with(|| Mentions::new(world, environment));
                let words = mentions.of(world, &entry);
                summary.kept =
                    words.and_then(|it| KeptFindings::new(world, path, &entry, &own.findings, it));
            }
            report.findings.append(&mut own.findings);
            ControlFlow::Continue(())
        },
    );
    if asked > run.bounds.keys {
        let most = run.bounds.keys;
        let why = format!(
            "{path}: only its first {most} keys are compared with other files here; `hiera-ls check` looks at all"
        );
        world.left_out(path, why);
    }
    if !is_split {
        let keys = data.entries().filter_map(|entry| Some((entry.key.as_str()?, entry)));
        keys.take(run.bounds.keys).for_each(|(key, entry)| rules.check_key(key, entry, report));
    }
    if let (Some(module), Some(environment)) = (module, &environment) {
        default_hierarchy_misuse::check_data(world, environment, path, data, module, report);
    }
    duplicate_key::check_root(data, report);
    check_whole_file(data, world.settings().puppet_version, report);
}

/// What is wrong with the file as a whole. A file is broken for one reason: the rule that knows it best speaks.
fn check_whole_file(data: &DataFile, version: PuppetVersion, report: &mut Report) {
    let text = data.text();
    match (data.verdict(), data.format()) {
        (Verdict::Broken(error), Format::Yaml) => {
            let is_explained = invalid_encoding::check(&error, text, report)
                || yaml_date_breaks_file::check_file(&error, text, report)
                || unsupported_tag::check(&error, text, report)
                || unquoted_interpolation::check(&error, text, report)
                || tab_indentation::check(&error, text, report)
                || typographic_character::check_file(&error, text, report);
            if !is_explained {
                yaml_syntax::check(&error, text, report);
            }
        }
        (Verdict::Broken(error), Format::Json) => {
            if !invalid_encoding::check(&error, text, report) {
                json_syntax::check(&error, text, report);
            }
        }
        (Verdict::Broken(error), Format::Hocon) => hocon_syntax::check(&error, report),
        (verdict, format) => {
            invalid_encoding::check_mark(&verdict, format, text, report);
            not_a_hash::check(&verdict, format, text, version, report);
            empty_file::check(&verdict, format, text, report);
            // What is read entry by entry is one document.
            if format == Format::Yaml && !data.is_split() {
                multiple_documents::check(text, report);
            }
        }
    }
}

/// A finding in an entry that begins at byte `by`.
pub(super) fn shifted(mut finding: Diagnostic, by: u32) -> Diagnostic {
    finding.range = finding.range.shifted(by);
    for related in finding.related.iter_mut().filter(|related| related.path.is_none()) {
        related.range = related.range.shifted(by);
    }
    finding.fixes = finding.fixes.into_iter().map(|fix| fix.shifted(by)).collect();
    finding
}

fn check_config(
    world: &Arc<World>,
    path: &str,
    layer: LayerKind,
    bounds: Bounds,
    report: &mut Report,
) {
    let Ok(text) = world.text(path) else { return };
    let version = world.settings().puppet_version;
    let (config, problems) = HieraYaml::read(path, world.id(path), Some(&text), layer, version);
    hiera_yaml_schema::check(&text, &problems, report);
    hiera_yaml_version::check(&text, layer, &problems, report);
    let nodes = complete_nodes(world, path, None, bounds);
    let is_refused = problems.iter().any(ConfigProblem::is_error);
    if let Some(config) = config.filter(|config| config.version == 5 && !is_refused) {
        deployed_datadir::check(world, &config, report);
        missing_datadir::check(world, &config, report);
        unread_data::check(world, &config, report);
        path_empty_becomes_datadir::check(&config, &nodes, report);
        path_is_directory::check(world, &config, report);
        path_without_extension::check(world, &config, report);
        absolute_path_by_slash::check(world, &config, report);
        options_break_yaml_data::check(&config, report);
        unknown_backend::check(world, &config, report);
        failing_backend::check(world, &config, report);
        path_empty_becomes_datadir::check_unknown(&config, report);
        default_hierarchy_misuse::check(&config, report);
        if let Some(environment) = world.environment_of(path) {
            misspelt_path::check(world, &environment, &config, report);
            level_never_matches::check(world, &environment, &config, report);
        }
    }
    let Some(root) = yaml::parse(&text).root else { return };
    puppet_style_interpolation::check_texts(&text, &root, report);
    let strings = config_strings(&text, &root);
    function_in_hiera_yaml::check(&strings, report);
    // In the paths of hiera.yaml, Puppet goes on with an empty text.
    let known = KnownVariables { nodes: nodes.iter().collect(), is_error: false, is_path: true };
    let variables = variables(&strings);
    undefined_variable::check(&known, &variables, 0, report);
    unknown_fact_member::check(&known, &variables, 0, report);
    dig_type_mismatch::check_variables(&nodes, &variables, 0, report);
    legacy_fact::check(&variables, 0, report);
    unscoped_variable::check(&variables, 0, report);
}

/// The strings of a `hiera.yaml` that Puppet interpolates.
fn config_strings<'a>(text: &'a str, root: &'a tree::Node) -> Vec<StringNode<'a>> {
    let mut strings = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => {
                for pair in pairs {
                    match &pair.key.kind {
                        NodeKind::Scalar { text: key, .. }
                            if INTERPOLATED_KEYS.contains(&&**key) =>
                        {
                            strings.extend(interpolated_strings(text, &pair.value));
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

/// The nodes that read a data file, or use a `hiera.yaml`, and of which all variables are known.
fn complete_nodes(
    world: &Arc<World>,
    path: &str,
    module: Option<&str>,
    bounds: Bounds,
) -> Vec<Arc<Node>> {
    let Some(environment) = world.environment_of(path) else { return Vec::new() };
    if paths::file_name(path) == "hiera.yaml" {
        let nodes = world.nodes(&environment);
        let complete = nodes.iter().filter(|node| node.is_complete());
        return complete.take(bounds.nodes).cloned().collect();
    }
    let orders = world.read_orders(&environment);
    let mut readers = orders.complete_readers(world, &environment, world.id(path), module);
    readers.truncate(bounds.nodes);
    readers
}
