//! `hiera-ls rule`: the page about a rule, or the list of all.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;

use super::{complain, print};
use crate::ide::diagnostics::{RULES, rule};
use crate::settings::nearest_name;

/// The arguments.
#[derive(Debug, Args)]
pub struct RuleArguments {
    /// The rule's name, e.g. malformed-token; without it, all rules are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Prints the page.
pub fn run(arguments: &RuleArguments) -> ExitCode {
    let Some(name) = &arguments.name else {
        print(&list());
        return ExitCode::SUCCESS;
    };
    if let Some(rule) = rule(name) {
        print(rule.page);
        return ExitCode::SUCCESS;
    }
    let near = nearest_name(name, RULES.iter().map(|rule| rule.code));
    let advice = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
    complain(&format!("there is no rule {name}{advice}"));
    ExitCode::from(2)
}

fn list() -> String {
    let width = RULES.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in RULES {
        let severity = if rule.is_on { rule.severity.name() } else { "off" };
        let _ = writeln!(text, "{:width$}  {severity:11}  {}", rule.code, rule.summary);
    }
    text
}
