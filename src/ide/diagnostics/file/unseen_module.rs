//! `unseen-module`: a module that Puppet does not see because of its `metadata.json`. The rule is about nothing else in such a file.

use crate::config::module_metadata::UnseenModule;
use crate::ide::diagnostics::file::UnreadContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "unseen-module",
    name: "Module that Puppet does not see",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "Because of its `metadata.json`, Puppet sees neither the data nor the classes of a module.",
    page: include_str!("../../../../docs/rules/unseen-module.md"),
    checks: &[Check::Unread(check)],
    ..Rule::USUAL
};

/// Checks the `metadata.json` of a module.
pub(crate) fn check(file: &UnreadContext<'_>, report: &mut Report) {
    let UnreadContext { world, path } = *file;
    if paths::file_name(path) != "metadata.json" {
        return;
    }
    let Some(unseen) = world.unseen_module(path).filter(|it| it.metadata() == path) else { return };
    let UnseenModule { message, range, error_class } = unseen.why;
    if error_class.is_some() {
        let what = format!(
            "{message}\nEvery lookup and every catalog fails because of it. The file must contain a hash, its `name` must be a \
             string, and each of its `dependencies` a hash."
        );
        report.add_as(&RULE, Severity::Error, range, what);
        return;
    }
    let name = unseen.name;
    let what = format!(
        "{message}\nPuppet does not see the module `{name}`: its data, classes, functions and types do not exist."
    );
    report.add(&RULE, range, what);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    const REST: &str = "#- /hiera.yaml\nversion: 5\n#- /modules/m/hiera.yaml\nversion: 5\n\
                        #- /modules/m/data/common.yaml\nm::a: 1\n#- /modules/m/manifests/init.pp\nclass m($a) { }\n";

    #[test]
    fn members_that_are_missing() {
        check(&format!(
            "#- /modules/m/metadata.json\n\
             {{ \"name\": \"a-m\", \"source\": \"\", \"author\": \"\", \"version\": \"1.0.0\", \"license\": \"\"}}\n\
             # ^^^^^^ warning[unseen-module]: No dependencies module metadata provided for m Puppet does not see the module `m`: \
             its data, classes, functions and types do not exist.\n{REST}"
        ));
    }

    #[test]
    fn a_dependency_that_is_a_string() {
        check(&format!(
            "#- /modules/m/metadata.json\n\
             {{\"source\": \"\", \"author\": \"\", \"version\": \"1\", \"license\": \"\", \"dependencies\": [\"a/b\"]}}\n\
             #                                                                            ^^^^^ error[unseen-module]: string not \
             matched Every lookup and every catalog fails because of it…\n{REST}"
        ));
    }

    #[test]
    fn modules_that_puppet_sees() {
        check(&format!("#- /modules/m/metadata.json\n{{}}\n{REST}"));
        check(REST);
    }
}
