//! Diagnostics: the one ordered table of rules, and running them over a file.
//!
//! Each rule lives in a file of its own with its doc block, its check and its tests; `docs/rules/<code>.md` explains it
//! to users. Rules about one top-level entry see that entry only, so that their findings can be kept as long as the
//! entry is not edited.

mod code;
mod config;
mod entry;
mod entry_cache;
mod entry_rules;
mod file;
mod kept_findings;
mod key;
mod lookup;
mod run;
mod shared;
mod suppression;

use std::sync::Arc;

use super::strings::StringNode;
use crate::data::Format;
use crate::syntax::tree::Node;
use crate::text::TextRange;

pub(crate) use code::missing_required_parameter::{Missing, missing_in, nodes_that_lack};
pub use file::nothing_checked::{NothingChecked, nothing_checked};
pub use run::{all_diagnostics, diagnostics, diagnostics_until};
pub use shared::fix::{Fix, Safety};
pub(crate) use shared::near::near_key;
pub use shared::walk::PlainScalar;
pub use suppression::baseline::Baseline;

/// How loudly a rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Puppet refuses it.
    Error,
    /// Puppet takes it, but hardly as it is meant.
    Warning,
    /// Worth knowing.
    Information,
    /// Shown faintly.
    Hint,
}

impl Severity {
    /// Its name, as settings write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The code that users see and write in settings, in kebab case.
    pub code: &'static str,
    /// What it is called in a heading.
    pub name: &'static str,
    /// How loudly it speaks unless settings say otherwise.
    pub severity: Severity,
    /// The version that brought it.
    pub since: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The page that explains it, in Markdown.
    pub page: &'static str,
    /// Whether it speaks unless settings ask for it.
    pub is_on: bool,
}

/// All rules, in the order of the documentation.
pub const RULES: &[&Rule] = &[
    &file::yaml_syntax::RULE,
    &file::json_syntax::RULE,
    &file::hocon_syntax::RULE,
    &file::invalid_encoding::RULE,
    &file::unquoted_interpolation::RULE,
    &file::tab_indentation::RULE,
    &file::yaml_date_breaks_file::RULE,
    &file::unsupported_tag::RULE,
    &file::not_a_hash::RULE,
    &file::empty_file::RULE,
    &file::multiple_documents::RULE,
    &entry::duplicate_key::RULE,
    &entry::yaml_symbol_value::RULE,
    &entry::non_string_key_in_value::RULE,
    &entry::unreachable_integer_key::RULE,
    &entry::octal_number::RULE,
    &entry::sexagesimal_number::RULE,
    &entry::comma_number::RULE,
    &entry::float_looking_string::RULE,
    &entry::yaml_1_1_boolean::RULE,
    &entry::number_looks_like_version::RULE,
    &entry::typographic_character::RULE,
    &entry::folded_list::RULE,
    &entry::flow_pair_without_space::RULE,
    &entry::merge_key_idle::RULE,
    &entry::eyaml_blob::RULE,
    &entry::decrypted_left_in_file::RULE,
    &entry::yaml_1_2_disagrees::RULE,
    &entry::malformed_token::RULE,
    &entry::brace_cut_by_quote::RULE,
    &entry::unknown_function::RULE,
    &entry::alias_not_alone::RULE,
    &entry::literal_argument::RULE,
    &entry::puppet_style_interpolation::RULE,
    &lookup::undefined_variable::RULE,
    &lookup::unknown_fact_member::RULE,
    &lookup::legacy_fact::RULE,
    &lookup::unscoped_variable::RULE,
    &lookup::missing_lookup_target::RULE,
    &lookup::dig_type_mismatch::RULE,
    &lookup::lookup_of_non_string::RULE,
    &lookup::re_interpolated_percent::RULE,
    &lookup::recursive_lookup::RULE,
    &entry::lookup_options_not_a_hash::RULE,
    &entry::unknown_lookup_option::RULE,
    &entry::unknown_merge_strategy::RULE,
    &entry::merge_option_type::RULE,
    &entry::convert_to_invalid::RULE,
    &entry::bad_regex::RULE,
    &entry::untranslatable_regex::RULE,
    &entry::pattern_without_caret::RULE,
    &key::dotted_option_key::RULE,
    &key::matches_no_key::RULE,
    &entry::shadowed_by_plain_entry::RULE,
    &key::options_replaced_by_higher_level::RULE,
    &key::pattern_order::RULE,
    &entry::function_inside_lookup_options::RULE,
    &key::merge_type_clash::RULE,
    &key::merge_changes_type::RULE,
    &key::unsortable_arrays::RULE,
    &key::knockout_no_effect::RULE,
    &key::undef_wins::RULE,
    &key::dropped_by_first::RULE,
    &key::deep_merge_order::RULE,
    &entry::module_namespace::RULE,
    &key::redundant_override::RULE,
    &key::parameter_without_effect::RULE,
    &key::unknown_parameter::RULE,
    &key::unknown_class::RULE,
    &key::value_type_mismatch::RULE,
    &key::sensitive_parameter_plain_data::RULE,
    &key::convert_to_misses_type::RULE,
    &code::default_type_mismatch::RULE,
    &code::missing_required_parameter::RULE,
    &key::malformed_key::RULE,
    &key::nested_parameter::RULE,
    &key::misspelt_key::RULE,
    &key::unused_key::RULE,
    &code::lookup_without_data::RULE,
    &code::lookup_type_mismatch::RULE,
    &code::lookup_default_hides::RULE,
    &code::duplicate_class::RULE,
    &code::broken_code::RULE,
    &key::encrypted_but_not_sensitive::RULE,
    &entry::plaintext_secret::RULE,
    &config::hiera_yaml_schema::RULE,
    &config::hiera_yaml_version::RULE,
    &config::missing_datadir::RULE,
    &config::deployed_datadir::RULE,
    &config::unread_data::RULE,
    &file::nothing_checked::RULE,
    &config::path_without_extension::RULE,
    &config::path_is_directory::RULE,
    &config::misspelt_path::RULE,
    &config::absolute_path_by_slash::RULE,
    &config::path_empty_becomes_datadir::RULE,
    &config::level_never_matches::RULE,
    &config::default_hierarchy_misuse::RULE,
    &config::options_break_yaml_data::RULE,
    &config::unknown_backend::RULE,
    &config::failing_backend::RULE,
    &file::orphan_file::RULE,
    &file::yml_extension_trap::RULE,
    &config::function_in_hiera_yaml::RULE,
    &suppression::unused_ignore::RULE,
];

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, in bytes.
    pub range: TextRange,
    /// How loudly to say it.
    pub severity: Severity,
    /// The rule's code.
    pub code: &'static str,
    /// Puppet's words where it has some, and what to do.
    pub message: String,
    /// Other places that matter.
    pub related: Vec<Related>,
    /// The rule's page.
    pub url: Option<String>,
    /// What would make it go away, the best first.
    pub fixes: Vec<Fix>,
}

/// Another place that matters to a [`Diagnostic`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The file; `None` for the file of the diagnostic.
    pub path: Option<Arc<str>>,
    /// Where, in bytes.
    pub range: TextRange,
    /// Why it matters.
    pub message: String,
}

/// How an editor may show what a rule is about, beside the squiggle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// It has no effect: faded.
    Unnecessary,
    /// It is on its way out: struck through.
    Deprecated,
}

impl Rule {
    /// What the rule's findings have in common.
    pub fn tag(&self) -> Option<Tag> {
        match self.code {
            "matches-no-key"
            | "dotted-option-key"
            | "unknown-lookup-option"
            | "unused-ignore"
            | "redundant-override"
            | "unused-key"
            | "parameter-without-effect"
            | "lookup-default-hides"
            | "multiple-documents" => Some(Tag::Unnecessary),
            "legacy-fact" => Some(Tag::Deprecated),
            _ => None,
        }
    }

    /// Where the rule's page can be read, if the package says where its sources lie.
    pub fn url(&self) -> Option<String> {
        let repository = env!("CARGO_PKG_REPOSITORY");
        let page = format!("{repository}/blob/main/docs/rules/{}.md", self.code);
        (!repository.is_empty()).then_some(page)
    }
}

impl Diagnostic {
    /// Adds a way out; the best ones first.
    fn with_fix(&mut self, fix: Fix) -> &mut Self {
        self.fixes.push(fix);
        self
    }
}

/// Code and summary of all rules, for the settings that name them.
pub fn codes() -> Vec<(&'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.code, rule.summary)).collect()
}

/// The rule with this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code).copied()
}

/// What the rules about single entries say of one top-level entry. Ranges count from the entry's first byte; findings
/// depend on nothing but the arguments.
pub fn entry_diagnostics(entry: &EntryContext<'_>) -> Vec<Diagnostic> {
    let mut report = Report::default();
    entry::malformed_token::check(entry, &mut report);
    entry::brace_cut_by_quote::check(entry, &mut report);
    entry::unknown_function::check(entry, &mut report);
    entry::literal_argument::check(entry, &mut report);
    entry::alias_not_alone::check(entry, &mut report);
    entry::duplicate_key::check(entry, &mut report);
    entry::module_namespace::check(entry, &mut report);
    entry::unknown_merge_strategy::check(entry, &mut report);
    entry::lookup_options_not_a_hash::check(entry, &mut report);
    entry::unknown_lookup_option::check(entry, &mut report);
    entry::bad_regex::check(entry, &mut report);
    entry::untranslatable_regex::check(entry, &mut report);
    entry::pattern_without_caret::check(entry, &mut report);
    entry::shadowed_by_plain_entry::check(entry, &mut report);
    entry::function_inside_lookup_options::check(entry, &mut report);
    file::yaml_date_breaks_file::check(entry, &mut report);
    entry::yaml_symbol_value::check(entry, &mut report);
    entry::non_string_key_in_value::check(entry, &mut report);
    entry::unreachable_integer_key::check(entry, &mut report);
    entry::octal_number::check(entry, &mut report);
    entry::sexagesimal_number::check(entry, &mut report);
    entry::comma_number::check(entry, &mut report);
    entry::float_looking_string::check(entry, &mut report);
    entry::yaml_1_1_boolean::check(entry, &mut report);
    entry::eyaml_blob::check(entry, &mut report);
    entry::plaintext_secret::check(entry, &mut report);
    entry::number_looks_like_version::check(entry, &mut report);
    entry::typographic_character::check(entry, &mut report);
    entry::folded_list::check(entry, &mut report);
    entry::flow_pair_without_space::check(entry, &mut report);
    entry::merge_key_idle::check(entry, &mut report);
    entry::decrypted_left_in_file::check(entry, &mut report);
    entry::puppet_style_interpolation::check(entry, &mut report);
    report.findings.sort_by_key(|it| (it.range.start, it.range.end));
    report.findings
}

/// One top-level entry of a data file.
#[derive(Debug)]
pub struct EntryContext<'a> {
    /// The entry's source.
    pub text: &'a str,
    /// The file's language.
    pub format: Format,
    /// The module whose data the file holds.
    pub module: Option<&'a str>,
    /// The key; ranges count from the entry's first byte.
    pub key: &'a Node,
    /// The value; likewise.
    pub value: &'a Node,
    /// The strings in the value that hold a `%{`.
    pub strings: Vec<StringNode<'a>>,
    /// The scalars of key and value that have no quotes and may be no strings.
    pub plain: Vec<PlainScalar<'a>>,
}

impl EntryContext<'_> {
    /// Whether a node of the entry is its key: a key of another type is the matter of a rule of its own.
    fn is_root_key(&self, node: &Node) -> bool {
        std::ptr::eq(node, self.key)
    }
}

/// Where rules put what they find.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<Diagnostic>,
}

impl Report {
    fn add(
        &mut self,
        rule: &'static Rule,
        range: TextRange,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add_as(rule, rule.severity, range, message)
    }

    /// Adds what is not there yet: levels share what their hierarchy's `defaults` say.
    fn add_once(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        range: TextRange,
        message: String,
    ) -> Option<&mut Diagnostic> {
        let is_known = self.holds(rule, range);
        (!is_known).then(|| self.add_as(rule, severity, range, message))
    }

    /// Whether the rule has said something of the range already.
    fn holds(&self, rule: &Rule, range: TextRange) -> bool {
        self.findings.iter().any(|it| it.range == range && it.code == rule.code)
    }

    fn add_as(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        range: TextRange,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.findings.push(Diagnostic {
            range,
            severity,
            code: rule.code,
            message: message.into(),
            related: Vec::new(),
            url: rule.url(),
            fixes: Vec::new(),
        });
        self.findings.last_mut().expect("one was just pushed")
    }
}

#[cfg(test)]
mod testing {
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;
    use crate::text::apply_edits;

    /// All diagnostics of a fixture's files are those that it expects.
    #[track_caller]
    pub(super) fn check(fixture: &str) {
        let fixture = Fixture::parse_without_marks(fixture);
        if let Err(problems) = fixture.check_diagnostics() {
            panic!("{problems}");
        }
        if let Err(problems) = fixture.check_fixes() {
            panic!("{problems}");
        }
    }

    /// The other places that the findings of a rule point to: `/path: text: message`, one of each line.
    #[track_caller]
    pub(super) fn check_related(fixture: &str, code: &str, expected: &[&str]) {
        let fixture = Fixture::parse_without_marks(fixture);
        let world = fixture.world();
        let mut related = Vec::new();
        for file in &fixture.files {
            let found = crate::ide::diagnostics(&world, &file.world_path());
            for place in found.iter().filter(|it| it.code == code).flat_map(|it| &it.related) {
                let path = place.path.as_deref().map_or(&*file.path, |it| {
                    it.strip_prefix(ROOT).expect("the fixture's files lie below its root")
                });
                let other = fixture.file(path).expect("the place is in the fixture");
                let text = place.range.slice(&other.text);
                related.push(format!("{path}: {text}: {}", place.message));
            }
        }
        assert_eq!(related, expected);
    }

    /// How many fixes each finding of a rule has in the first file of a fixture.
    #[track_caller]
    pub(super) fn fix_counts(fixture: &str, code: &str) -> Vec<usize> {
        let fixture = Fixture::parse_without_marks(fixture);
        let found = crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path());
        found.iter().filter(|it| it.code == code).map(|it| it.fixes.len()).collect()
    }

    /// The text with a comment behind it that makes it `length` bytes long.
    pub(super) fn padded(text: &str, length: usize) -> String {
        format!("{text}#{}\n", "-".repeat(length - text.len() - 2))
    }

    /// The first file of a fixture after the fix with this title, the first such one.
    #[track_caller]
    pub(super) fn check_fix(fixture: &str, title: &str, expected: &str) {
        let fixture = Fixture::parse_without_marks(fixture);
        let file = &fixture.files[0];
        let found = crate::ide::diagnostics(&fixture.world(), &file.world_path());
        let mut fixes = found.iter().flat_map(|it| &it.fixes);
        let Some(fix) = fixes.find(|fix| fix.title == title) else {
            let fixes = found.iter().flat_map(|it| &it.fixes).map(|it| &it.title);
            panic!("no fix `{title}` but {:?}", fixes.collect::<Vec<_>>());
        };
        assert_eq!(apply_edits(&file.text, &fix.edits), expected);
        if let Err(problems) = fixture.check_fixes() {
            panic!("{problems}");
        }
    }
}
