//! `hiera-ls rule`: prints the page about a rule, or the list of all rules.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;

use super::completions;
use super::terminal::{FAINT, STRONG, complain, print_styled, style_of, styled};
use crate::ide::diagnostics::{RULES, rule};
use crate::settings::nearest_name;

/// The arguments.
#[derive(Debug, Args)]
pub struct RuleArguments {
    /// The name of the rule, e.g. malformed-token. Without it: list all rules
    #[arg(value_name = "NAME", add = completions::rules())]
    pub name: Option<String>,
    /// Print the page as it is written, in Markdown
    #[arg(long, requires = "name")]
    pub markdown: bool,
}

/// Prints the page.
pub fn run(arguments: &RuleArguments) -> ExitCode {
    let Some(name) = &arguments.name else {
        print_styled(&list());
        return ExitCode::SUCCESS;
    };
    if let Some(rule) = rule(name) {
        print_styled(&if arguments.markdown {
            rule.page.to_owned()
        } else {
            for_people(rule.page)
        });
        return ExitCode::SUCCESS;
    }
    complain(&no_such_rule(name));
    ExitCode::from(2)
}

/// The message for a name that no rule has.
pub(super) fn no_such_rule(name: &str) -> String {
    let codes = || RULES.iter().map(|rule| rule.code);
    // Every name contains an empty one, such as that of a variable of CI that is not set.
    let containing = || codes().find(|code| !name.is_empty() && code.contains(name));
    let near = nearest_name(name, codes()).or_else(containing);
    let advice = match near {
        Some(near) => format!("; did you mean {near}?"),
        None => "; `hiera-ls rule` lists all".to_owned(),
    };
    let shown = if name.is_empty() { "''" } else { name };
    format!("there is no rule {shown}{advice}")
}

/// A page for a terminal: titles without Markdown, and examples as users write them, with the findings below.
fn for_people(page: &str) -> String {
    let mut text = String::new();
    let mut example: Option<Example> = None;
    for line in page.lines() {
        match (&mut example, line.strip_prefix("```")) {
            (None, Some(_)) => example = Some(Example::default()),
            (Some(shown), Some(_)) => {
                text += &shown.end();
                example = None;
            }
            (Some(shown), None) => shown.add(line),
            (None, None) => {
                let title = line.strip_prefix("## ").or_else(|| line.strip_prefix("# "));
                text +=
                    &title.map_or_else(|| line.replace("**", ""), |title| styled(STRONG, title));
                text.push('\n');
            }
        }
    }
    text
}

/// The files of an example.
#[derive(Default)]
struct Example {
    text: String,
    /// The line in the file, from 1.
    line: usize,
    reported: String,
}

impl Example {
    fn add(&mut self, line: &str) {
        if let Some(file) = line.strip_prefix("#- /") {
            let between = if self.text.is_empty() { "" } else { "\n" };
            let _ = writeln!(self.text, "{between}    {}", styled(FAINT, &format!("# {file}")));
            // Findings name lines of the file, not of the page.
            self.line = 0;
        } else if let Some(said) = expectation(line) {
            let (kind, message) = said.split_once(": ").unwrap_or((said, ""));
            let _ = writeln!(
                self.reported,
                "    line {}: {kind}{}{message}",
                self.line,
                if message.is_empty() { "" } else { ": " }
            );
        } else {
            self.line += 1;
            let _ = writeln!(self.text, "    {line}");
        }
    }

    fn end(&mut self) -> String {
        let reported = std::mem::take(&mut self.reported);
        let between = if reported.is_empty() { "" } else { "\n" };
        format!("{}{between}{reported}", std::mem::take(&mut self.text))
    }
}

/// The finding that a line such as `#  ^^^ warning[octal-number]: …` describes for the line above it.
fn expectation(line: &str) -> Option<&str> {
    let after = line.trim_start().strip_prefix('#')?.trim_start();
    let said = after.trim_start_matches('^');
    (said.len() < after.len()).then(|| said.trim())
}

fn list() -> String {
    let width = RULES.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in RULES {
        let severity = if rule.is_on { rule.severity.name() } else { "off" };
        let style = if rule.is_on { style_of(rule.severity) } else { FAINT };
        let _ =
            writeln!(text, "{:width$}  {style}{severity:11}{style:#}  {}", rule.code, rule.summary);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_shown_as_users_write_them() {
        let page = "# code\n\n**Harm.** x\n\n```yaml\n#- /data/common.yaml\na: 1\na: 2\n#^ warning[code]: twice\n```\n";
        let shown = anstream::adapter::strip_str(&for_people(page)).to_string();
        let expected = "code\n\nHarm. x\n\n    # data/common.yaml\n    a: 1\n    a: 2\n\n    line 2: warning[code]: twice\n";
        assert_eq!(shown, expected);
    }
}
