//! Diagnostics: the one ordered table of rules, and running them over a file.
//!
//! Each rule lives in a file of its own with its doc block, its check and its tests; `docs/rules/<code>.md` explains it
//! to users. Rules about one top-level entry see that entry only, so that their findings can be kept as long as the
//! entry is not edited.

mod absolute_path_by_slash;
mod alias_not_alone;
mod bad_regex;
mod baseline;
mod bound_values;
mod brace_cut_by_quote;
mod broken_code;
mod code_context;
mod comma_number;
mod control;
mod convert_to_invalid;
mod convert_to_misses_type;
mod declared_classes;
mod deep_merge_order;
mod default_hierarchy_misuse;
mod default_type_mismatch;
mod dig_type_mismatch;
mod dotted_option_key;
mod dropped_by_first;
mod duplicate_class;
mod duplicate_key;
mod empty_file;
mod encrypted_but_not_sensitive;
mod entry_cache;
mod eyaml_blob;
mod failing_backend;
mod fix;
mod float_looking_string;
mod function_in_hiera_yaml;
mod function_inside_lookup_options;
mod hiera_yaml_schema;
mod hiera_yaml_version;
mod hocon_syntax;
mod ignored;
mod ignored_key;
mod invalid_encoding;
mod json_syntax;
mod knockout_no_effect;
mod known_keys;
mod legacy_fact;
mod level_never_matches;
mod literal_argument;
mod lookup_default_hides;
mod lookup_of_non_string;
mod lookup_options_not_a_hash;
mod lookup_without_data;
mod lower;
mod malformed_token;
mod matches_no_key;
mod merge_option_type;
mod merge_type_clash;
mod missing_datadir;
mod missing_lookup_target;
mod missing_required_parameter;
mod misspelt_key;
mod module_namespace;
mod multiple_documents;
mod near;
mod non_string_key_in_value;
mod not_a_hash;
mod octal_number;
mod option_edits;
mod options_break_yaml_data;
mod options_replaced_by_higher_level;
mod orphan_file;
mod parameter_without_effect;
mod path_empty_becomes_datadir;
mod path_without_extension;
mod pattern_order;
mod pattern_without_caret;
mod patterns;
mod plaintext_secret;
mod re_interpolated_percent;
mod recursive_lookup;
mod redundant_override;
mod referenced_keys;
mod run;
mod run_code;
mod sensitive_parameter_plain_data;
mod sexagesimal_number;
mod shadowed_by_plain_entry;
mod tab_indentation;
mod targets;
mod text_lookup;
mod type_fixes;
mod undef_wins;
mod undefined_variable;
mod unknown_backend;
mod unknown_class;
mod unknown_function;
mod unknown_lookup_option;
mod unknown_merge_strategy;
mod unknown_parameter;
mod unquoted_interpolation;
mod unreachable_integer_key;
mod unread_data;
mod unscoped_variable;
mod unsortable_arrays;
mod unsupported_tag;
mod untranslatable_regex;
mod unused_ignore;
mod unused_key;
mod value_type_mismatch;
mod version_four;
mod version_three;
mod walk;
mod yaml_1_1_boolean;
mod yaml_1_2_disagrees;
mod yaml_date_breaks_file;
mod yaml_symbol_value;
mod yaml_syntax;
mod yml_extension_trap;

use std::sync::Arc;

use super::strings::StringNode;
use crate::data::Format;
use crate::syntax::tree::Node;
use crate::text::TextRange;

pub use baseline::Baseline;
pub use fix::{Fix, Safety};
pub use run::diagnostics;
pub use walk::PlainScalar;

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
    &yaml_syntax::RULE,
    &json_syntax::RULE,
    &hocon_syntax::RULE,
    &invalid_encoding::RULE,
    &unquoted_interpolation::RULE,
    &tab_indentation::RULE,
    &yaml_date_breaks_file::RULE,
    &unsupported_tag::RULE,
    &not_a_hash::RULE,
    &empty_file::RULE,
    &multiple_documents::RULE,
    &duplicate_key::RULE,
    &yaml_symbol_value::RULE,
    &non_string_key_in_value::RULE,
    &unreachable_integer_key::RULE,
    &octal_number::RULE,
    &sexagesimal_number::RULE,
    &comma_number::RULE,
    &float_looking_string::RULE,
    &yaml_1_1_boolean::RULE,
    &eyaml_blob::RULE,
    &yaml_1_2_disagrees::RULE,
    &malformed_token::RULE,
    &brace_cut_by_quote::RULE,
    &unknown_function::RULE,
    &alias_not_alone::RULE,
    &literal_argument::RULE,
    &undefined_variable::RULE,
    &legacy_fact::RULE,
    &unscoped_variable::RULE,
    &missing_lookup_target::RULE,
    &dig_type_mismatch::RULE,
    &lookup_of_non_string::RULE,
    &re_interpolated_percent::RULE,
    &recursive_lookup::RULE,
    &lookup_options_not_a_hash::RULE,
    &unknown_lookup_option::RULE,
    &unknown_merge_strategy::RULE,
    &merge_option_type::RULE,
    &convert_to_invalid::RULE,
    &bad_regex::RULE,
    &untranslatable_regex::RULE,
    &pattern_without_caret::RULE,
    &dotted_option_key::RULE,
    &matches_no_key::RULE,
    &shadowed_by_plain_entry::RULE,
    &options_replaced_by_higher_level::RULE,
    &pattern_order::RULE,
    &function_inside_lookup_options::RULE,
    &merge_type_clash::RULE,
    &unsortable_arrays::RULE,
    &knockout_no_effect::RULE,
    &undef_wins::RULE,
    &dropped_by_first::RULE,
    &deep_merge_order::RULE,
    &module_namespace::RULE,
    &redundant_override::RULE,
    &parameter_without_effect::RULE,
    &unknown_parameter::RULE,
    &unknown_class::RULE,
    &value_type_mismatch::RULE,
    &sensitive_parameter_plain_data::RULE,
    &convert_to_misses_type::RULE,
    &default_type_mismatch::RULE,
    &missing_required_parameter::RULE,
    &misspelt_key::RULE,
    &unused_key::RULE,
    &lookup_without_data::RULE,
    &lookup_default_hides::RULE,
    &duplicate_class::RULE,
    &broken_code::RULE,
    &encrypted_but_not_sensitive::RULE,
    &plaintext_secret::RULE,
    &hiera_yaml_schema::RULE,
    &hiera_yaml_version::RULE,
    &missing_datadir::RULE,
    &unread_data::RULE,
    &path_without_extension::RULE,
    &absolute_path_by_slash::RULE,
    &path_empty_becomes_datadir::RULE,
    &level_never_matches::RULE,
    &default_hierarchy_misuse::RULE,
    &options_break_yaml_data::RULE,
    &unknown_backend::RULE,
    &failing_backend::RULE,
    &orphan_file::RULE,
    &yml_extension_trap::RULE,
    &function_in_hiera_yaml::RULE,
    &unused_ignore::RULE,
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
    malformed_token::check(entry, &mut report);
    brace_cut_by_quote::check(entry, &mut report);
    unknown_function::check(entry, &mut report);
    literal_argument::check(entry, &mut report);
    alias_not_alone::check(entry, &mut report);
    duplicate_key::check(entry, &mut report);
    module_namespace::check(entry, &mut report);
    unknown_merge_strategy::check(entry, &mut report);
    lookup_options_not_a_hash::check(entry, &mut report);
    unknown_lookup_option::check(entry, &mut report);
    bad_regex::check(entry, &mut report);
    untranslatable_regex::check(entry, &mut report);
    pattern_without_caret::check(entry, &mut report);
    shadowed_by_plain_entry::check(entry, &mut report);
    function_inside_lookup_options::check(entry, &mut report);
    yaml_date_breaks_file::check(entry, &mut report);
    yaml_symbol_value::check(entry, &mut report);
    non_string_key_in_value::check(entry, &mut report);
    unreachable_integer_key::check(entry, &mut report);
    octal_number::check(entry, &mut report);
    sexagesimal_number::check(entry, &mut report);
    comma_number::check(entry, &mut report);
    float_looking_string::check(entry, &mut report);
    yaml_1_1_boolean::check(entry, &mut report);
    eyaml_blob::check(entry, &mut report);
    plaintext_secret::check(entry, &mut report);
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
