//! `unused-key`: a key without a module that no file of data refers to.
//!
//! Puppet code can look it up by name, and is not read here; so the rule is off by default. A key whose
//! name stands in a manifest of the environment is only possibly used, and one with a module is a class parameter.

use super::fix::Fix;
use super::referenced_keys::ReferencedKeys;
use super::{Report, Rule, Severity};
use crate::data::{DataFile, RootEntry};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::pair_edits::remove_entry;

pub(super) const RULE: Rule = Rule {
    code: "unused-key",
    name: "Key that nothing refers to",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "No interpolation and no `lookup_options` refer to a key without a module.",
    page: include_str!("../../../docs/rules/unused-key.md"),
    is_on: false,
};

/// Checks a root key of a file.
pub(super) fn check(
    referenced: &ReferencedKeys,
    data: &DataFile,
    key: &str,
    entry: &RootEntry,
    report: &mut Report,
) {
    if key.contains("::") || key == LOOKUP_OPTIONS || referenced.by_data(key) {
        return;
    }
    let range = entry.key_place.range;
    if referenced.by_manifests(key) {
        let message = format!(
            "`{key}` is possibly used: no data refers to it, but a manifest has its name\n\
             Puppet code is not read any further."
        );
        report.add_as(&RULE, Severity::Hint, range, message);
    } else {
        let message = format!(
            "`{key}` is unused: no data refers to it\n\
             Unless Puppet code looks it up by its name, remove it."
        );
        let finding = report.add(&RULE, range, message);
        let edit = remove_entry(data, range);
        finding.fixes.extend(edit.map(|edit| Fix::changing("Remove the entry", vec![edit])));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::ide::diagnostics::testing::{check, check_fix};
    use crate::settings::Settings;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn what_refers_to_keys() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {severity: {unused-key: information}}
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /manifests/site.pp
lookup('in_code', Array).include
#- /data/a.yaml
used: 1
looked: {up: 1}
listed: 1
nothing: 1
#^^^^^^ information[unused-key]: `nothing` is unused: no data refers to it…
in_code: 1
#^^^^^^ information[unused-key]: `in_code` is possibly used: no data refers to it, but a manifest has its name…
code: 1
#^^^ information[unused-key]: `code` is unused…
a::parameter: 1
#- /data/b.yaml
b::x: "%{lookup('used')} %{hiera('looked.up')} %{scope('nothing')}"
lookup_options: {listed: {merge: unique}}
"#,
        );
    }

    #[test]
    fn manifests_lie_three_folders_deep_at_most() {
        check(
            r"
#- /.hiera-ls.yaml
diagnostics: {severity: {unused-key: information}}
#- /manifests/a/b/c/site.pp
lookup('third')
#- /manifests/a/b/c/d/site.pp
lookup('fourth')
#- /data/common.yaml
third: 1
#^^^^ information[unused-key]: `third` is possibly used…
fourth: 1
#^^^^^ information[unused-key]: `fourth` is unused…
",
        );
    }

    #[test]
    fn the_entry_goes() {
        check_fix(
            "# a\na: 1\n# b\nb::x: 2\n#- /.hiera-ls.yaml\ndiagnostics: {severity: {unused-key: hint}}\n",
            "Remove the entry",
            "# a\n# b\nb::x: 2\n",
        );
    }

    #[test]
    fn what_refers_to_keys_is_read_again_when_it_changes() {
        let files = [
            ("hiera.yaml", "version: 5\nhierarchy: [{name: x, datadir: ., glob: '*.data'}]\n"),
            ("a.data", "a: 1\n"),
            ("b.data", "m::b: \"%{lookup('a')}\"\n"),
        ];
        let files = files.map(|(path, text)| (format!("/r/{path}"), text.to_owned()));
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        let settings = "diagnostics: {severity: {unused-key: hint}}\n";
        host.apply(Change::Settings(Settings::read(Some(settings), None, &[]).0));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let count = |host: &Host| crate::ide::diagnostics(&host.snapshot(), "/r/a.data").len();
        assert_eq!(count(&host), 0);
        let (path, text) = ("/r/b.data".to_owned(), "m::b: 1\n".to_owned());
        host.apply(Change::OpenBuffer { path, text, version: 1 });
        assert_eq!(count(&host), 1);
    }
}
