//! The rules that look at an entry and at what other entries, files and nodes have to do with it.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Report;
use super::entry::{convert_to_invalid, merge_option_type, yaml_1_2_disagrees};
use super::entry_cache::EntrySummary;
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
use super::run::shifted;
use super::shared::bound_values::BoundValues;
use super::shared::declared_classes::DeclaredClasses;
use super::shared::known_keys::KnownKeys;
use super::shared::lower::LowerLevels;
use super::shared::targets::Targets;
use super::suppression::control;
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, Format, RootEntry};
use crate::facts::Node;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::perspective::Perspective;
use crate::syntax::tree::NodeKind;
use crate::world::World;

/// Checks the entries of one file. What the rules ask for is found out when the first of them asks.
pub(super) struct EntryRules<'a> {
    world: &'a Arc<World>,
    environment: Option<&'a Arc<Environment>>,
    path: &'a str,
    data: &'a DataFile,
    module: Option<&'a str>,
    perspective: Option<&'a Perspective>,
    nodes: &'a [Arc<Node>],
    variables: KnownVariables<'a>,
    known_keys: OnceCell<KnownKeys<'a>>,
    targets: OnceCell<Targets<'a>>,
    lower: OnceCell<LowerLevels<'a>>,
    bound: OnceCell<BoundValues<'a>>,
    classes: OnceCell<DeclaredClasses<'a>>,
    is_decrypted: OnceCell<bool>,
    wanted: Wanted,
}

/// Which rules somebody wants to hear of that cost much.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
struct Wanted {
    disagreements: bool,
    unused: bool,
    classes: bool,
    order: bool,
    types: bool,
}

impl Wanted {
    fn of(world: &World) -> Self {
        let any = |rules: &[&super::Rule]| rules.iter().any(|it| control::asks_for(world, it));
        Self {
            disagreements: any(&[&yaml_1_2_disagrees::RULE]),
            unused: any(&[&unused_key::RULE]),
            classes: any(&[
                &parameter_without_effect::RULE,
                &unknown_parameter::RULE,
                &unknown_class::RULE,
            ]),
            order: any(&[&deep_merge_order::RULE]),
            types: any(&[
                &value_type_mismatch::RULE,
                &sensitive_parameter_plain_data::RULE,
                &convert_to_misses_type::RULE,
            ]),
        }
    }
}

impl<'a> EntryRules<'a> {
    /// The rules for the entries of `data`, which the nodes read; the data of `module` if there is one.
    pub(super) fn new(
        world: &'a Arc<World>,
        environment: Option<&'a Arc<Environment>>,
        path: &'a str,
        (data, module): (&'a DataFile, Option<&'a str>),
        perspective: Option<&'a Perspective>,
        nodes: &'a [Arc<Node>],
    ) -> Self {
        let variables = KnownVariables {
            nodes: nodes.iter().collect(),
            is_error: world.settings().puppet_version.has_strict_variables(),
            is_path: false,
        };
        Self {
            world,
            environment,
            path,
            data,
            module,
            perspective,
            nodes,
            variables,
            known_keys: OnceCell::new(),
            targets: OnceCell::new(),
            lower: OnceCell::new(),
            bound: OnceCell::new(),
            classes: OnceCell::new(),
            is_decrypted: OnceCell::new(),
            wanted: Wanted::of(world),
        }
    }

    /// Whether what is encrypted in the file is decrypted.
    pub(super) fn is_decrypted(&self) -> bool {
        let decrypts = |it| encrypted_but_not_sensitive::is_decrypted(it, self.module, self.path);
        *self.is_decrypted.get_or_init(|| self.perspective.is_some_and(decrypts))
    }

    /// The rules about what stands in an entry. `is_asked_about` says whether the engine may be asked about its key.
    pub(super) fn check_tree(
        &self,
        entry: EntryTree<'_>,
        summary: &EntrySummary,
        is_asked_about: bool,
        report: &mut Report,
    ) {
        undefined_variable::check(&self.variables, &summary.variables, entry.start, report);
        unknown_fact_member::check(&self.variables, &summary.variables, entry.start, report);
        dig_type_mismatch::check_variables(self.nodes, &summary.variables, entry.start, report);
        if self.wanted.disagreements && self.data.format() == Format::Yaml {
            let findings = yaml_1_2_disagrees::of_entry(&entry, summary).iter();
            report.findings.extend(findings.map(|it| shifted(it.clone(), entry.start)));
        }
        legacy_fact::check(&summary.variables, entry.start, report);
        unscoped_variable::check(&summary.variables, entry.start, report);
        let NodeKind::Scalar { text: key, .. } = &entry.key.kind else {
            return self.check_lookups(entry, summary, report);
        };
        if **key == *LOOKUP_OPTIONS {
            self.check_options(entry, report);
        }
        self.check_lookups(entry, summary, report);
        if let Some(perspective) = self.perspective.filter(|_| is_asked_about) {
            if !summary.looked_up.is_empty() {
                let looked_up = &summary.looked_up;
                recursive_lookup::check(
                    perspective,
                    self.path,
                    key,
                    entry.start,
                    looked_up,
                    report,
                );
            }
            merge_type_clash::check(perspective, self.path, key, report);
            if summary.has_encrypted && self.is_decrypted() {
                let range = entry.key.range.shifted(entry.start);
                encrypted_but_not_sensitive::check(perspective, self.data, key, range, report);
            }
        }
    }

    fn check_options(&self, entry: EntryTree<'_>, report: &mut Report) {
        let (Some(keys), Some(classes)) = (self.known_keys(), self.classes()) else { return };
        dotted_option_key::check(keys, entry, self.data.format(), report);
        if self.module.is_none() {
            matches_no_key::check(keys, classes, entry, self.data.format(), report);
        }
    }

    fn check_lookups(&self, entry: EntryTree<'_>, summary: &EntrySummary, report: &mut Report) {
        let looked_up = &summary.looked_up;
        if looked_up.is_empty() {
            return;
        }
        let (Some(keys), Some(targets)) = (self.known_keys(), self.targets()) else { return };
        let is_options =
            matches!(&entry.key.kind, NodeKind::Scalar { text, .. } if **text == *LOOKUP_OPTIONS);
        if !is_options {
            missing_lookup_target::check(keys, looked_up, entry.start, report);
        }
        dig_type_mismatch::check(targets, looked_up, entry.start, report);
        missing_lookup_target::check_members(targets, keys, looked_up, entry.start, report);
        lookup_of_non_string::check(targets, &summary.texts, entry.start, report);
        re_interpolated_percent::check(targets, &summary.texts, entry.start, report);
    }

    /// The rules about a root key and what other files have for it.
    pub(super) fn check_key(&self, key: &str, entry: &RootEntry, report: &mut Report) {
        let (Some(known), Some(lower), Some(classes)) =
            (self.known_keys(), self.lower(), self.classes())
        else {
            return;
        };
        let data = self.data;
        if key == LOOKUP_OPTIONS {
            merge_option_type::check(entry, report);
            convert_to_invalid::check(data.text(), entry, report);
            options_replaced_by_higher_level::check(data, lower, entry, report);
            pattern_order::check(lower, known, entry, report);
            return;
        }
        let is_explained = self.wanted.classes
            && (parameter_without_effect::check(classes, data, key, entry, report)
                || unknown_parameter::check(classes, data, key, entry, report)
                || unknown_class::check(classes, data, key, entry, report));
        if !is_explained && !malformed_key::check(known, classes, data, key, entry, report) {
            misspelt_key::check(known, classes, data, key, entry, report);
        }
        nested_parameter::check(known, classes, data, key, entry, report);
        if self.wanted.unused {
            unused_key::check(classes, data, key, entry, report);
        }
        self.check_type(classes, key, entry, report);
        if let Some(above) = lower.of_key(key, entry) {
            redundant_override::check(data, &above, report);
            undef_wins::check(data, &above, report);
            dropped_by_first::check(data, lower, &above, report);
            merge_changes_type::check(&above, report);
            unsortable_arrays::check(&above, report);
            knockout_no_effect::check(&above, report);
            if self.wanted.order {
                deep_merge_order::check(&above, report);
            }
        }
    }

    fn check_type(
        &self,
        classes: &DeclaredClasses<'_>,
        key: &str,
        entry: &RootEntry,
        report: &mut Report,
    ) {
        let Some(perspective) = self.perspective.filter(|_| self.wanted.types) else { return };
        let bound = self.bound.get_or_init(|| BoundValues::new(perspective, self.path));
        if let Some(refused) = bound.refused(classes, self.data, (key, entry))
            && !sensitive_parameter_plain_data::check(&refused, report)
            && !convert_to_misses_type::check(&refused, report)
        {
            value_type_mismatch::check(&refused, report);
        }
    }

    fn known_keys(&self) -> Option<&KnownKeys<'a>> {
        let environment = self.environment?.clone();
        Some(self.known_keys.get_or_init(|| KnownKeys::new(self.world, environment)))
    }

    fn targets(&self) -> Option<&Targets<'a>> {
        let environment = self.environment?.clone();
        Some(self.targets.get_or_init(|| Targets::new(self.world, environment, self.path)))
    }

    fn lower(&self) -> Option<&LowerLevels<'a>> {
        let environment = self.environment?;
        let new = || LowerLevels::new(self.world, environment, self.path, self.module);
        Some(self.lower.get_or_init(new))
    }

    fn classes(&self) -> Option<&DeclaredClasses<'a>> {
        let environment = self.environment?;
        Some(self.classes.get_or_init(|| DeclaredClasses::new(self.world, environment)))
    }
}
