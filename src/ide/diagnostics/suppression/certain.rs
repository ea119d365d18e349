//! Whether a rule certainly has nothing to report where it reports nothing. Most rules are silent while something else is broken, and
//! their findings come back once it is mended.

use std::sync::{Arc, OnceLock};

use crate::config::hiera_yaml::ConfigProblem;
use crate::config::{Environment, HieraYaml};
use crate::ide::diagnostics::{Check, Rule};
use crate::world::World;

/// Whether something in an environment is broken. It is computed once for each snapshot.
#[derive(Default)]
struct KnownState {
    is_broken: OnceLock<bool>,
}

/// Whether the silence of a rule about `subject`, some text of the file at `path`, proves that there is nothing to report. Without a
/// rule, this is about all of them.
pub(crate) fn is_certain(
    world: &Arc<World>,
    path: &str,
    rule: Option<&Rule>,
    subject: &str,
) -> bool {
    if rule.is_some_and(|it| !looks_further(it)) {
        return true;
    }
    let Some(environment) = world.environment_of(path) else { return true };
    modules_in(subject).all(|it| environment.modules.contains_key(&*it))
        && !is_broken(world, &environment)
}

/// Whether a rule looks at more than the text of one file.
fn looks_further(rule: &Rule) -> bool {
    let stays = |it: &Check| {
        matches!(
            it,
            Check::Entry(_)
                | Check::File(_)
                | Check::ConfigText(_)
                | Check::EnvironmentConf(_)
                | Check::BrokenCode(_)
        )
    };
    !rule.checks.iter().all(stays)
}

/// The modules of the names in a text. One that is not here may be installed on the servers only, and rules say nothing about it.
fn modules_in(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | ':')));
    let names = words.filter_map(|it| it.trim_start_matches(':').split_once("::"));
    let is_name = |text: &str| text.starts_with(|it: char| it.is_ascii_alphabetic());
    names
        .filter(move |(module, rest)| is_name(module) && is_name(rest))
        .map(|(module, _)| module.to_ascii_lowercase())
}

/// Whether Puppet refuses data, code or a `hiera.yaml` of the environment, or the environment itself.
fn is_broken(world: &Arc<World>, environment: &Arc<Environment>) -> bool {
    let state = world.of_snapshot::<KnownState>(environment);
    *state.is_broken.get_or_init(|| {
        let version = world.settings().puppet_version;
        let is_refused = |(layer, path): (_, String)| {
            let read = HieraYaml::of_file(&**world, &path, layer, version);
            read.is_ok_and(|(_, problems)| problems.iter().any(ConfigProblem::is_error))
        };
        environment.refusal.is_some()
            || environment.hiera_yamls().any(is_refused)
            || world.code_index(environment).files().iter().any(|(_, it)| it.is_broken)
            || world.key_index(environment).has_refused_files()
    })
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::fixture::Fixture;

    /// The lines of `/manifests/site.pp` and `/data/common.yaml` that have comments without effect.
    #[track_caller]
    fn check(files: &str, expected: &[&str]) {
        let fixture = Fixture::parse_without_marks(files);
        let world = fixture.world();
        let mut found = Vec::new();
        for file in ["/manifests/site.pp", "/data/common.yaml"] {
            let Some(file) = fixture.file(file) else { continue };
            for finding in diagnostics(&world, &file.world_path()) {
                let before = &file.text[..finding.range.start as usize];
                let line = before.lines().next_back().unwrap_or_default();
                if finding.code == "unused-ignore" {
                    found.push(line.split('#').next().unwrap_or_default().trim());
                }
            }
        }
        assert_eq!(found, expected);
    }

    const HIERA_YAML: &str = "\
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}, {name: d, path: d.yaml}]
";

    const IGNORED: &str = "\
#- /manifests/site.pp
lookup('a') # hiera-ls: ignore[lookup-without-data]
#- /data/common.yaml
m::old::x: 1 # hiera-ls: ignore[unknown-class]
a: 1 # hiera-ls: ignore[octal-number]
b: 1 # hiera-ls: ignore
#- /modules/m/manifests/init.pp
class m { }
#- /modules/m/manifests/old.pp
class m::old($x) { }
";

    #[test]
    fn what_is_silent_because_something_else_is_broken() {
        let all = ["lookup('a')", "m::old::x: 1", "a: 1", "b: 1"];
        check(&format!("{HIERA_YAML}{IGNORED}"), &all);
        // This rule looks at nothing else.
        let broken = |other: &str| check(&format!("{HIERA_YAML}{IGNORED}{other}"), &["a: 1"]);
        broken("#- /data/d.yaml\n<<<<<<< HEAD\nc: 1\n=======\nc: 2\n>>>>>>> x\n");
        broken("#- /modules/n/manifests/init.pp\nclass n {\n");
        broken("#- /modules/n/hiera.yaml\nversion: 5\nhierarchy: [{nam: c}]\n");
        let members = "\"name\": \"x-n\", \"version\": \"1\", \"author\": \"\", \"license\": \"\", \"source\": \"\"";
        broken(&format!("#- /modules/n/metadata.json\n{{{members}, \"dependencies\": [\"x\"]}}\n"));
        check(&format!("{}{IGNORED}", HIERA_YAML.replacen("path", "pth", 1)), &[]);
    }

    #[test]
    fn names_of_modules_that_are_not_here() {
        let ignored = IGNORED.replace("/modules/m", "/modlues/m");
        check(&format!("{HIERA_YAML}{ignored}"), &["lookup('a')", "a: 1", "b: 1"]);
    }
}
