//! Whether the value of a parameter fits its type.

use std::sync::Arc;

use super::Bound;
use crate::code::{ClassCode, CodeFile};
use crate::data::puppet_type::{self, KnownType, Misfit, Type, TypeAliases};
use crate::data::{Value, render};
use crate::engine::Answer;
use crate::engine::cases::in_a_list;
use crate::syntax::puppet::Parameter;

/// Puppet's verdict on a binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Puppet accepts the value.
    Fits,
    /// Puppet refuses the value, because of these parts, at least one.
    Misfit(Vec<Misfit>),
    /// The parameter has no value.
    Missing,
    /// The lookup fails.
    Fails,
    /// The verdict is not known.
    Unsure(Unsure),
}

/// Why it is not known whether a value fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsure {
    /// Puppet evaluates code for the value.
    Computed,
    /// The type cannot be read, for this reason.
    Type(String),
    /// A level that is not evaluated here may have another value.
    Opaque,
    /// The verdict depends on strings that are not completely known: they contain these open variables, or are encrypted.
    Texts(Vec<Arc<str>>),
    /// Puppet 8 fails unless code sets these variables, and their classes are not here.
    ClassesOf(Vec<Arc<str>>),
    /// The verdict depends on types in Puppet code that is missing.
    Unresolved(String),
}

/// The type of a parameter; `None` if it accepts everything.
#[derive(Debug)]
pub struct ParameterType(Option<Arc<KnownType>>);

impl ParameterType {
    /// The type of a class's parameter. A parameter without a type accepts everything.
    pub fn of(class: &ClassCode, parameter: &Parameter, aliases: &TypeAliases) -> Self {
        Self::of_parameter(&class.file, parameter, aliases)
    }

    /// The type of a parameter that is declared in `file`.
    pub fn of_parameter(file: &CodeFile, parameter: &Parameter, aliases: &TypeAliases) -> Self {
        Self(parameter.type_range.map(|range| aliases.known(file.slice(range))))
    }

    /// The type, if there is one and it can be read.
    pub fn known(&self) -> Option<&Type> {
        self.0.as_ref()?.wanted()
    }

    /// Why Puppet refuses the type itself, if it does. A module that is not in the workspace may define a missing type.
    pub fn refusal(&self) -> Option<&str> {
        self.0.as_ref()?.refusal()
    }

    /// Why Puppet refuses every class with such a parameter, whatever its value is: the type itself is an error, and no module
    /// that is not here can change that.
    pub fn certain_refusal(&self) -> Option<&str> {
        let is_certain = |it: &&str| {
            it.starts_with("Evaluation Error: ") && !it.contains("Resource type not found")
        };
        self.refusal().filter(is_certain)
    }

    /// Whether a completely known value fits.
    pub fn verdict_on(&self, value: &Value) -> Verdict {
        let Some(wanted) = &self.0 else { return Verdict::Fits };
        let fit = match wanted.fit(value) {
            Ok(fit) => fit,
            Err(problem) => return Verdict::Unsure(Unsure::Type(problem)),
        };
        match fit.misfits.iter().find(|it| it.is_unresolved()) {
            Some(misfit) => Verdict::Unsure(Unsure::Unresolved(misfit.message.clone())),
            // A parameter accepts every value for which Puppet has no error.
            None if fit.misfits.is_empty() => Verdict::Fits,
            None => Verdict::Misfit(fit.misfits.clone()),
        }
    }

    /// Whether a value fits in which some strings differ from those in a catalog.
    /// `names` are the open variables in them.
    fn verdict_on_open(
        &self,
        value: &Value,
        is_open: &dyn Fn(&str) -> bool,
        names: impl FnOnce() -> Vec<Arc<str>>,
    ) -> Verdict {
        let Some(wanted) = self.known() else { return self.verdict_on(value) };
        match puppet_type::fit_of_open(wanted, value, is_open) {
            Some(true) => Verdict::Fits,
            // No text makes the value fit, so the value as it is written shows which parts do not.
            Some(false) => self.verdict_on(value),
            None => Verdict::Unsure(Unsure::Texts(names())),
        }
    }
}

impl Verdict {
    pub(super) fn of(wanted: &ParameterType, bound: &Bound, answer: &Answer) -> Self {
        if !answer.opaque.is_empty() {
            return Self::Unsure(Unsure::Opaque);
        }
        match bound {
            // Puppet does not have this error: a limit of hiera-ls, or something that it does not implement, ended the lookup.
            Bound::Failed(failure) if failure.class.is_our_own() => Self::Unsure(Unsure::Opaque),
            Bound::Failed(_) => Self::Fails,
            Bound::Nothing => Self::Missing,
            Bound::Computed => Self::Unsure(Unsure::Computed),
            Bound::Default(value) => wanted.verdict_on(value),
            Bound::Data(value) => {
                let has_open_texts = !answer.open.is_empty() && value.value.has_tokens();
                if has_open_texts && is_unconverted(answer) {
                    return Self::Unsure(Unsure::Texts(answer.open.clone()));
                }
                if has_open_texts || render::has_encrypted_text(&value.value) {
                    let is_open =
                        |text: &str| has_open_texts && text.contains("%{") || text.contains("ENC[");
                    let names = || if has_open_texts { answer.open.clone() } else { Vec::new() };
                    return wanted.verdict_on_open(&value.value, &is_open, names);
                }
                wanted.verdict_on(&value.value)
            }
        }
    }

    /// Whether Puppet refuses the class with this parameter.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Misfit(_) | Self::Missing | Self::Fails)
    }

    /// Puppet's message about the parameter, one line for each part that does not fit.
    pub fn message(&self, parameter: &str) -> Option<String> {
        let messages = self.messages(parameter);
        (!messages.is_empty()).then(|| messages.join("\n"))
    }

    /// Puppet's message about each part of the parameter that does not fit.
    pub fn messages(&self, parameter: &str) -> Vec<String> {
        match self {
            Self::Missing => vec![format!("expects a value for parameter '{parameter}'")],
            Self::Misfit(misfits) => {
                let words = |it: &Misfit| format!("parameter '{parameter}' {}", it.message);
                misfits.iter().map(words).collect()
            }
            Self::Fits | Self::Fails | Self::Unsure(_) => Vec::new(),
        }
    }
}

/// Whether `convert_to` did not convert the value, because it contains texts that are not known.
fn is_unconverted(answer: &Answer) -> bool {
    let options = answer.merge.as_ref().and_then(|it| it.options.as_ref());
    let depends_on_texts = answer.left_out.iter().any(|it| it.level.is_none());
    depends_on_texts && options.is_some_and(|it| it.convert_to().is_some())
}

impl Unsure {
    /// A short description of what is not known.
    pub fn words(&self) -> String {
        match self {
            Self::Computed => "not known: computed by code".to_owned(),
            Self::Type(problem) => format!("the type cannot be read: {problem}"),
            Self::Opaque => "not known: another level may decide".to_owned(),
            Self::Texts(names) if names.is_empty() => {
                "not known: it depends on encrypted text".to_owned()
            }
            Self::Texts(names) => {
                format!("not known: it depends on the text of {}", in_a_list(names))
            }
            Self::ClassesOf(names) => {
                let classes = if names.len() == 1 { "a class that is" } else { "classes that are" };
                let names = in_a_list(names);
                format!(
                    "not known: the lookup fails unless code sets {names}, of {classes} not here"
                )
            }
            Self::Unresolved(problem) => format!("not known: the type {problem}"),
        }
    }
}
