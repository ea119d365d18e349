//! All rules over one file, with the severities that the settings ask for.

use std::cell::OnceCell;
use std::sync::Arc;

use super::code::run_code;
use super::config::{
    absolute_path_by_slash, default_hierarchy_misuse, deployed_datadir, failing_backend,
    function_in_hiera_yaml, hiera_yaml_schema, hiera_yaml_version, level_never_matches,
    missing_datadir, misspelt_path, options_break_yaml_data, path_empty_becomes_datadir,
    path_is_directory, path_without_extension, unknown_backend, unread_data,
};
use super::entry::{
    convert_to_invalid, duplicate_key, eyaml_blob, merge_option_type, puppet_style_interpolation,
    typographic_character, yaml_1_2_disagrees,
};
use super::entry_cache::EntryCache;
use super::file::{
    empty_file, hocon_syntax, invalid_encoding, json_syntax, multiple_documents, not_a_hash,
    nothing_checked, orphan_file, tab_indentation, unquoted_interpolation, unsupported_tag,
    yaml_date_breaks_file, yaml_syntax, yml_extension_trap,
};
use super::key::{
    convert_to_misses_type, deep_merge_order, dotted_option_key, dropped_by_first,
    encrypted_but_not_sensitive, knockout_no_effect, malformed_key, matches_no_key,
    merge_changes_type, merge_type_clash, misspelt_key, nested_parameter,
    options_replaced_by_higher_level, parameter_without_effect, pattern_order, redundant_override,
    sensitive_parameter_plain_data, undef_wins, unknown_class, unknown_parameter,
    unsortable_arrays, unused_key, value_type_mismatch,
};
use super::lookup::undefined_variable::KnownVariables;
use super::lookup::{
    dig_type_mismatch, legacy_fact, lookup_of_non_string, missing_lookup_target,
    re_interpolated_percent, recursive_lookup, undefined_variable, unknown_fact_member,
    unscoped_variable,
};
use super::shared::bound_values::BoundValues;
use super::shared::declared_classes::DeclaredClasses;
use super::shared::known_keys::KnownKeys;
use super::shared::lower::LowerLevels;
use super::shared::targets::Targets;
use super::shared::walk::text_of;
use super::suppression::control;
use super::{Diagnostic, Report};
use crate::code::roots::is_code;
use crate::config::hiera_yaml::{ConfigProblem, LayerKind};
use crate::config::{HieraYaml, PuppetVersion};
use crate::data::{DataFile, Files, Format, Verdict};
use crate::facts::Node;
use crate::ide::context::LOOKUP_OPTIONS;
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
}

impl Bounds {
    /// More would make typing slow.
    const WHILE_TYPING: Self = Self { keys: MAX_KEYS_WHILE_TYPING, nodes: MAX_NODES_WHILE_TYPING };

    const NONE: Self = Self { keys: usize::MAX, nodes: usize::MAX };
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
    diagnostics_within(world, path, Bounds::WHILE_TYPING)
}

/// Everything that the rules say of the file at `path`, in the order of the text.
pub fn all_diagnostics(world: &Arc<World>, path: &str) -> Vec<Diagnostic> {
    diagnostics_within(world, path, Bounds::NONE)
}

fn diagnostics_within(world: &Arc<World>, path: &str, bounds: Bounds) -> Vec<Diagnostic> {
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
                    check_data(world, path, (&data, module.as_deref()), bounds, &mut report);
                } else {
                    check_syntax(&data, &mut report);
                }
            }
        }
        Some(FileRole::HieraYaml { layer }) => {
            check_config(world, path, *layer, bounds, &mut report);
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

/// Agents of Puppet 7 send legacy facts.
fn reports_legacy_facts(world: &World) -> bool {
    world.settings().puppet_version != PuppetVersion::V7
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
    bounds: Bounds,
    report: &mut Report,
) {
    let perspective = Perspective::of_file(world, path);
    let nodes = complete_nodes(world, path, module, bounds);
    let known = KnownVariables {
        nodes: nodes.iter().collect(),
        is_error: world.settings().puppet_version.has_strict_variables(),
        is_path: false,
    };
    let mut asked = 0;
    let environment = world.environment_of(path);
    let known_keys = OnceCell::new();
    let known_keys = || {
        let environment = environment.as_ref()?;
        Some(known_keys.get_or_init(|| KnownKeys::new(world, environment.clone())))
    };
    let is_decrypted = OnceCell::new();
    let is_decrypted = || {
        let decrypts = |it| encrypted_but_not_sensitive::is_decrypted(it, module, path);
        *is_decrypted.get_or_init(|| perspective.as_ref().is_some_and(decrypts))
    };
    let targets = OnceCell::new();
    let targets = || {
        let environment = environment.as_ref()?;
        Some(targets.get_or_init(|| Targets::new(world, environment.clone(), path)))
    };
    world.attached::<EntryCache>().each(data, module, |entry, summary| {
        let findings = summary.findings.iter();
        let before = report.findings.len();
        report.findings.extend(findings.map(|finding| shifted(finding.clone(), entry.start)));
        if summary.has_encrypted && !is_decrypted() {
            eyaml_blob::make_warnings(&mut report.findings[before..]);
        }
        undefined_variable::check(&known, &summary.variables, entry.start, report);
        unknown_fact_member::check(&known, &summary.variables, entry.start, report);
        dig_type_mismatch::check_variables(&nodes, &summary.variables, entry.start, report);
        if control::asks_for(world, &yaml_1_2_disagrees::RULE) && data.format() == Format::Yaml {
            let findings = yaml_1_2_disagrees::of_entry(&entry, summary).iter();
            report.findings.extend(findings.map(|it| shifted(it.clone(), entry.start)));
        }
        if reports_legacy_facts(world) {
            legacy_fact::check(&summary.variables, entry.start, report);
        }
        unscoped_variable::check(&summary.variables, entry.start, report);
        let is_options = text_of(entry.key).is_some_and(|key| &**key == LOOKUP_OPTIONS);
        if is_options && let Some(keys) = known_keys() {
            dotted_option_key::check(keys, entry, data.format(), report);
            if module.is_none()
                && let Some(environment) = &environment
            {
                let classes = DeclaredClasses::new(world, environment);
                matches_no_key::check(keys, &classes, entry, data.format(), report);
            }
        } else if !summary.looked_up.is_empty()
            && let Some(keys) = known_keys()
        {
            missing_lookup_target::check(keys, &summary.looked_up, entry.start, report);
        }
        if !summary.looked_up.is_empty()
            && let Some(targets) = targets()
        {
            dig_type_mismatch::check(targets, &summary.looked_up, entry.start, report);
            if let Some(keys) = known_keys() {
                let looked_up = &summary.looked_up;
                missing_lookup_target::check_members(targets, keys, looked_up, entry.start, report);
            }
            lookup_of_non_string::check(targets, &summary.texts, entry.start, report);
            re_interpolated_percent::check(targets, &summary.texts, entry.start, report);
        }
        if let (Some(perspective), NodeKind::Scalar { text: key, .. }) =
            (&perspective, &entry.key.kind)
            && asked < bounds.keys
        {
            asked += 1;
            if !summary.looked_up.is_empty() {
                let looked_up = &summary.looked_up;
                recursive_lookup::check(perspective, path, key, entry.start, looked_up, report);
            }
            merge_type_clash::check(perspective, path, key, report);
            if summary.has_encrypted && is_decrypted() {
                let range = entry.key.range.shifted(entry.start);
                encrypted_but_not_sensitive::check(perspective, data, key, range, report);
            }
        }
    });
    let perspective = perspective.as_ref();
    check_keys(world, path, (data, module, perspective), known_keys(), bounds, report);
    duplicate_key::check_root(data, report);
    check_whole_file(data, world.settings().puppet_version, report);
}

/// The rules about keys and what other files have for them.
fn check_keys(
    world: &Arc<World>,
    path: &str,
    (data, module, perspective): (&DataFile, Option<&str>, Option<&Perspective>),
    known: Option<&KnownKeys<'_>>,
    bounds: Bounds,
    report: &mut Report,
) {
    let (Some(environment), Some(known)) = (world.environment_of(path), known) else { return };
    if let Some(module) = module {
        default_hierarchy_misuse::check_data(world, &environment, path, data, module, report);
    }
    let lower = LowerLevels::new(world, &environment, path, module);
    let wants_unused = control::asks_for(world, &unused_key::RULE);
    let of_classes =
        [&parameter_without_effect::RULE, &unknown_parameter::RULE, &unknown_class::RULE];
    let wants_classes = of_classes.iter().any(|it| control::asks_for(world, it));
    let classes = DeclaredClasses::new(world, &environment);
    let wants_order = control::asks_for(world, &deep_merge_order::RULE);
    let of_types = [
        &value_type_mismatch::RULE,
        &sensitive_parameter_plain_data::RULE,
        &convert_to_misses_type::RULE,
    ];
    let wants_types = of_types.iter().any(|it| control::asks_for(world, it));
    let bound = perspective.filter(|_| wants_types).map(|it| BoundValues::new(it, path));
    for (number, entry) in data.entries().enumerate() {
        if number >= bounds.keys {
            let most = bounds.keys;
            let why = format!(
                "{path}: only its first {most} keys are compared with other files here; `hiera-ls check` looks at all"
            );
            world.left_out(path, why);
            break;
        }
        let Some(key) = entry.key.as_str() else { continue };
        if key == LOOKUP_OPTIONS {
            merge_option_type::check(entry, report);
            convert_to_invalid::check(data.text(), entry, report);
            options_replaced_by_higher_level::check(data, &lower, entry, report);
            pattern_order::check(&lower, known, entry, report);
            continue;
        }
        let is_explained = wants_classes
            && (parameter_without_effect::check(&classes, data, key, entry, report)
                || unknown_parameter::check(&classes, data, key, entry, report)
                || unknown_class::check(&classes, data, key, entry, report));
        if !is_explained && !malformed_key::check(known, &classes, data, key, entry, report) {
            misspelt_key::check(known, &classes, data, key, entry, report);
        }
        nested_parameter::check(known, &classes, data, key, entry, report);
        if wants_unused {
            unused_key::check(&classes, data, key, entry, report);
        }
        let refused = bound.as_ref().and_then(|it| it.refused(&classes, data, (key, entry)));
        if let Some(refused) = refused
            && !sensitive_parameter_plain_data::check(&refused, report)
            && !convert_to_misses_type::check(&refused, report)
        {
            value_type_mismatch::check(&refused, report);
        }
        if let Some(above) = lower.of_key(key, entry) {
            redundant_override::check(data, &above, report);
            undef_wins::check(data, &above, report);
            dropped_by_first::check(data, &lower, &above, report);
            merge_changes_type::check(&above, report);
            unsortable_arrays::check(&above, report);
            knockout_no_effect::check(&above, report);
            if wants_order {
                deep_merge_order::check(&above, report);
            }
        }
    }
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
            if format == Format::Yaml {
                multiple_documents::check(text, report);
            }
        }
    }
}

fn shifted(mut finding: Diagnostic, by: u32) -> Diagnostic {
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
    if reports_legacy_facts(world) {
        legacy_fact::check(&variables, 0, report);
    }
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
