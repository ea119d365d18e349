//! Shell completion: commands and options by clap, and keys, nodes, classes and rules of the workspace.
//!
//! The shell's script runs this program at each press of the completion key. The suggestions depend on the options that are
//! already typed (`--root`, `--environment`).

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::{Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Zsh};

use super::place::{Place, PlaceArguments};
use super::terminal;
use crate::ide::diagnostics::RULES;
use crate::syntax::puppet::DeclarationKind;

/// Set by the scripts to the name of the shell.
const VARIABLE: &str = "HIERA_LS_COMPLETE";

/// The name of the program.
const PROGRAM: &str = "hiera-ls";

/// The maximum number of suggestions: more are hard to read, and a shell is slow with all keys of a large repository.
const MAX_OFFERED: usize = 2_000;

/// The shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Bash splits words at `:` and `=`, and replaces only the text after the last of them: a key such as `ntp::servers` is three
/// words. The line is therefore split again, and the part that bash keeps is removed from the suggestions. After an opening quote, bash
/// splits nothing.
const BASH: &str = r#"_hiera_ls() {
    local line="${COMP_LINE:0:COMP_POINT}" words word kept reply IFS=$' \t\n'
    read -ra words <<<"$line"
    [[ "$line" == *[[:space:]] ]] && words+=("")
    word="${words[${#words[@]} - 1]}"
    if [[ "$word" == [\'\"]* ]]; then
        words[${#words[@]} - 1]="${word:1}"
    elif [[ "$word" == *[:=]* ]]; then
        kept="${word%"${word##*[:=]}"}"
    fi
    COMPREPLY=()
    while IFS= read -r reply; do
        [[ -n "$reply" ]] && COMPREPLY+=("${reply#"$kept"}")
    done < <(HIERA_LS_COMPLETE=bash _CLAP_IFS=$'\n' _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) \
        hiera-ls -- "${words[@]}" 2>/dev/null; echo)
    [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" == *[=/:] ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -o bashdefault -F _hiera_ls hiera-ls
"#;

/// The start of the function for zsh, which quotes the `~` of suggestions: then the path does not exist.
const ZSH_START: &str = r#"() {
    if [[ "${words[CURRENT]}" == \~* ]]; then
        _files
        return
    fi
"#;

/// The script for a shell.
pub(super) fn script(shell: Shell) -> Result<String, String> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => return Ok(BASH.to_owned()),
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
        Shell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    completer
        .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)
        .map_err(|error| error.to_string())?;
    let script = String::from_utf8(script).map_err(|error| error.to_string())?;
    Ok(if shell == Shell::Zsh { script.replacen("() {\n", ZSH_START, 1) } else { script })
}

/// Responds to a shell; `false` if no shell made the call.
pub(super) fn answer(command: fn() -> Command) -> bool {
    if std::env::var_os(VARIABLE).is_none_or(|it| it.is_empty()) {
        return false;
    }
    // A message would appear in the middle of the line that the user types.
    terminal::be_silent();
    let here = std::env::current_dir().ok();
    let completion = CompleteEnv::with_factory(command).var(VARIABLE).bin(PROGRAM);
    completion.try_complete(std::env::args_os(), here.as_deref()).unwrap_or(true)
}

/// Suggests the keys of the data.
pub(super) fn keys() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offered(typed, |place| place.all_keys().iter().map(ToString::to_string).collect())
    })
}

/// Suggests the nodes of the workspace, also after a comma.
pub(super) fn nodes() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        // --nodes takes a list with commas. Only the name after the last one is completed.
        let before = typed.to_str().and_then(|it| it.rfind(',')).map_or(0, |comma| comma + 1);
        let (listed, last) = typed.to_str().unwrap_or_default().split_at(before);
        let found = offered(OsStr::new(last), |place| {
            let nodes = place.world.nodes(&place.environment);
            nodes.iter().map(|node| node.name.to_string()).collect()
        });
        found.into_iter().map(|it| it.add_prefix(listed)).collect()
    })
}

/// Suggests the environments of the workspace.
pub(super) fn environments() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        // What is typed may be only a part of a name.
        let place = PlaceArguments { environment: None, ..place() };
        offered_at(&place, typed, |place| {
            let all = place.world.environments();
            all.iter().map(|it| place.world.environment_label(it).to_string()).collect()
        })
    })
}

/// Suggests the classes that manifests declare.
pub(super) fn classes() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offered(typed, |place| {
            let code = place.world.code_index(&place.environment);
            code.names(DeclarationKind::Class).iter().map(ToString::to_string).collect()
        })
    })
}

/// Suggests the rules, with a summary of each.
pub(super) fn rules() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed = typed.to_str().unwrap_or_default();
        let rules = RULES.iter().filter(|rule| rule.code.starts_with(typed));
        let candidate = |code, summary: &str| {
            CompletionCandidate::new(code).help(Some(StyledStr::from(summary.to_owned())))
        };
        rules.map(|rule| candidate(rule.code, rule.summary)).collect()
    })
}

/// The names of the workspace that start with the typed text.
fn offered(typed: &OsStr, all: impl Fn(&Place) -> Vec<String>) -> Vec<CompletionCandidate> {
    offered_at(&place(), typed, all)
}

fn offered_at(
    place: &PlaceArguments,
    typed: &OsStr,
    all: impl Fn(&Place) -> Vec<String>,
) -> Vec<CompletionCandidate> {
    let (Some(typed), Ok(place)) = (typed.to_str(), place.open()) else { return Vec::new() };
    // A line end in a name would make two completions of it, and other such characters could move the cursor.
    let is_meant = |it: &String| it.starts_with(typed) && !it.contains(char::is_control);
    let found = all(&place).into_iter().filter(is_meant);
    found.take(MAX_OFFERED).map(CompletionCandidate::new).collect()
}

/// The place that the typed line refers to. A completion never trusts a workspace.
fn place() -> PlaceArguments {
    let line: Vec<String> =
        std::env::args_os().filter_map(|argument| argument.into_string().ok()).collect();
    let root = value_of(&line, &["--root"]).map_or_else(|| PathBuf::from("."), PathBuf::from);
    PlaceArguments {
        root,
        // Pressing a key must not start anything that a repository names.
        trust: false,
        environment: value_of(&line, &["--environment", "-E"]),
        modulepath: value_of(&line, &["--modulepath"]),
        hiera_config: None,
        puppet_version: None,
        is_bounded: false,
    }
}

/// The value of an option, written `--root DIR` or `--root=DIR`.
fn value_of(line: &[String], names: &[&str]) -> Option<String> {
    let after = line.windows(2).find(|pair| names.contains(&&*pair[0])).map(|pair| pair[1].clone());
    let joined = || {
        let value = |it: &String| {
            let (name, value) = it.split_once('=')?;
            names.contains(&name).then(|| value.to_owned())
        };
        line.iter().find_map(value)
    };
    after.filter(|it| !it.is_empty()).or_else(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_line() {
        let line: Vec<String> =
            ["lookup", "-E", "x", "--root=a/b", "k"].map(str::to_owned).to_vec();
        assert_eq!(value_of(&line, &["--root"]).as_deref(), Some("a/b"));
        assert_eq!(value_of(&line, &["--environment", "-E"]).as_deref(), Some("x"));
        assert_eq!(value_of(&line, &["--modulepath"]), None);
    }
}
