//! The templates of a level that read variables, and which ones.

use std::sync::Arc;

use crate::config::hiera_yaml::{Level, Locations};
use crate::data::{Place, inspect};
use crate::syntax::interpolation;

/// A path or glob of a level.
#[derive(Debug)]
pub(super) struct TemplateText {
    /// As `hiera.yaml` writes it.
    pub(super) text: String,
    /// Where.
    pub(super) place: Option<Place>,
    /// The facts that it depends on, by [`fact_of`].
    pub(super) variables: Vec<Arc<str>>,
}

/// The templates of `level` that do not lead to the same file for all nodes.
pub(super) fn with_variables(level: &Level) -> Vec<TemplateText> {
    let (templates, mut shared) = match &level.locations {
        Locations::Paths(templates) | Locations::Globs(templates) => (&**templates, Vec::new()),
        Locations::MappedPaths(parts) => {
            (&parts[2..], vec![fact_of(&inspect::to_s(&parts[0].value))])
        }
        Locations::Uris(_) | Locations::None => return Vec::new(),
    };
    shared.extend(facts_read(&inspect::to_s(&level.datadir.value)));
    let temporary = match &level.locations {
        Locations::MappedPaths(parts) => Some(inspect::to_s(&parts[1].value)),
        _ => None,
    };
    let texts = templates.iter().map(|template| {
        let text = inspect::to_s(&template.value);
        let own = facts_read(&text);
        let own = own.into_iter().filter(|it| temporary.as_ref().is_none_or(|tmp| **it != **tmp));
        let mut variables: Vec<_> = shared.iter().cloned().chain(own).collect();
        variables.sort_unstable();
        variables.dedup();
        TemplateText { text, place: template.place, variables }
    });
    texts.filter(|template| !template.variables.is_empty()).collect()
}

/// The facts that a text with tokens depends on.
pub(super) fn facts_read(text: &str) -> Vec<Arc<str>> {
    let tokens = interpolation::tokens(text);
    tokens.iter().filter_map(|token| Some(fact_of(token.variable()?.0))).collect()
}

/// One name for all spellings of a fact; what tells machines apart is one fact.
fn fact_of(variable: &str) -> Arc<str> {
    let name = variable.strip_prefix("::").unwrap_or(variable);
    let name = name.strip_prefix("facts.").unwrap_or(name);
    match name {
        "trusted.certname"
        | "trusted.hostname"
        | "trusted.domain"
        | "clientcert"
        | "fqdn"
        | "hostname"
        | "domain"
        | "networking.fqdn"
        | "networking.hostname"
        | "networking.domain" => "a machine".into(),
        name if name.ends_with("host") => "a machine".into(),
        // There is one environment here.
        "environment" | "server_facts.environment" => "environment".into(),
        name => name.into(),
    }
}
