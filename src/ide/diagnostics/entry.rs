//! Rules about one top-level entry of a data file: they see only its text and its tree, and what aliases bring to
//! `lookup_options`.

pub(super) mod alias_not_alone;
pub(super) mod bad_regex;
pub(super) mod comma_number;
pub(super) mod decrypted_left_in_file;
pub(super) mod duplicate_key;
pub(super) mod escape_in_windows_path;
pub(super) mod eyaml_blob;
pub(super) mod float_looking_string;
pub(super) mod flow_pair_without_space;
pub(super) mod folded_list;
pub(super) mod function_inside_lookup_options;
pub(super) mod literal_argument;
pub(super) mod lookup_options_not_a_hash;
pub(super) mod malformed_token;
pub(super) mod merge_key_idle;
pub(super) mod module_namespace;
pub(super) mod non_string_key_in_value;
pub(super) mod number_looks_like_version;
pub(super) mod octal_number;
pub(super) mod pattern_without_caret;
pub(super) mod plaintext_secret;
pub(super) mod puppet_style_interpolation;
pub(super) mod sexagesimal_number;
pub(super) mod shadowed_by_plain_entry;
pub(super) mod token_cut_at_brace;
pub(super) mod typographic_character;
pub(super) mod unknown_function;
pub(super) mod unknown_lookup_option;
pub(super) mod unknown_merge_strategy;
pub(super) mod unreachable_integer_key;
pub(super) mod untranslatable_regex;
pub(super) mod yaml_1_1_boolean;
pub(super) mod yaml_1_2_disagrees;
pub(super) mod yaml_symbol_value;

use super::phases::{PHASES, ask};
use super::shared::option_tree::OptionTree;
use super::shared::walk::PlainScalar;
use super::{Diagnostic, Report};
use crate::data::Format;
use crate::ide::strings::StringNode;
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;

/// One top-level entry of a data file.
#[derive(Debug)]
pub(crate) struct EntryContext<'a> {
    /// The text of the ranges: the source of the entry, or of the whole file if the file cannot be split into entries.
    pub(crate) text: &'a str,
    /// The format of the file.
    pub(crate) format: Format,
    /// The module whose data the file contains.
    pub(crate) module: Option<&'a str>,
    /// The key; ranges are relative to the entry's first byte.
    pub(crate) key: &'a Node,
    /// The value; ranges are relative to the entry's first byte.
    pub(crate) value: &'a Node,
    /// The strings in the value that contain a `%{`.
    pub(crate) strings: Vec<StringNode<'a>>,
    /// The unquoted scalars of key and value that may not be strings.
    pub(crate) plain: Vec<PlainScalar<'a>>,
    /// The value of `lookup_options`, if it is known; `None` for all other entries.
    pub(crate) options: Option<OptionTree<'a>>,
}

impl<'a> EntryContext<'a> {
    /// The value, as Puppet names it at the start of its messages.
    pub(crate) fn subject(&self) -> String {
        let key = match &self.key.kind {
            NodeKind::Scalar { text, .. } => &**text,
            _ => self.key.range.slice(self.text),
        };
        format!("Value for key '{key}'")
    }

    /// The source of the key and the value. A rule that searches the text must use this one: if a file cannot be split,
    /// searching its whole text for each of very many entries takes too long.
    pub(crate) fn written(&self) -> &'a str {
        let end = self.value.range.end.max(self.key.range.end);
        TextRange::new(self.key.range.start, end).slice(self.text)
    }

    /// Whether a node of the entry is its key: another rule checks keys of other types.
    pub(crate) fn is_root_key(&self, node: &Node) -> bool {
        std::ptr::eq(node, self.key)
    }
}

/// The findings of the rules about single entries for one top-level entry. Ranges are relative to the entry's first byte;
/// findings depend only on the arguments.
pub(super) fn entry_diagnostics(entry: &EntryContext<'_>) -> Vec<Diagnostic> {
    let mut report = Report::default();
    ask(&PHASES.entry, entry, &|_| true, &mut report);
    if let Some(options) = &entry.options {
        options.tidy(&mut report.findings);
    }
    report.findings.sort_by_key(|it| (it.range.start, it.range.end));
    report.findings
}
