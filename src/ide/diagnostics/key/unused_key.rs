//! `unused-key`: neither data nor code refers to a key without a module.
//!
//! Other programs can read the data as well, so the rule is off by default. A key that code may look up by a name with
//! expressions, or whose name is in Ruby code, only may be unused. A key with a module is a class parameter.

use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::fix::{Fix, Safety};
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Tag};
use crate::ide::pair_edits::{holds_anchor, remove_entry};

pub(crate) const RULE: Rule = Rule {
    code: "unused-key",
    name: "Key that nothing refers to",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "No data and no code refer to a key without a module.",
    page: include_str!("../../../../docs/rules/unused-key.md"),
    is_on: false,
    tag: Some(Tag::Unnecessary),
    cost: Cost::High,
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Checks a root key of a file.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { classes, data, key, entry, .. } = *at;
    // A key with `::` may be a class parameter, which Puppet looks up by itself.
    if key.contains("::")
        || key == LOOKUP_OPTIONS
        || classes.code().is_named(key)
        || classes.is_named_by_data(key)
    {
        return;
    }
    let range = entry.key_place.range;
    // Other entries may use an anchor in the value.
    if data.entry_at(range.start).is_some_and(|entry| holds_anchor(&entry)) {
        return;
    }
    if let Some(user) = possible_user(classes, key) {
        let message = format!("`{key}` may be unused\n{user}");
        report.add_as(&RULE, Severity::Hint, range, message);
        return;
    }
    let message = format!(
        "`{key}` is unused: neither data nor Puppet code refers to it\n\
         Unless another program reads it, remove it."
    );
    let finding = report.add(&RULE, range, message);
    let removal = remove_entry(data, range);
    let fix = |it| Fix::removing("Remove the entry", Safety::ChangesValue, it);
    finding.fixes.extend(removal.map(fix));
}

/// The code that may look the key up, as a sentence.
fn possible_user(classes: &DeclaredClasses<'_>, key: &str) -> Option<String> {
    let code = classes.code();
    if code.files().is_empty() {
        return Some("The workspace has no Puppet code, which may look the key up.".to_owned());
    }
    if let Some(path) = code.pattern_of(key) {
        let path = classes.shown(path);
        return Some(format!(
            "{path} looks up a key whose name contains expressions. It may be this key."
        ));
    }
    if let Some(path) = code.lookup_of_anything() {
        let path = classes.shown(path);
        return Some(format!("{path} looks up keys whose names are computed elsewhere."));
    }
    let is_in_unread = classes.is_in_unread_code(key);
    is_in_unread.then(|| {
        "Ruby code of a module, or code outside of the modulepath, has its name.".to_owned()
    })
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
lookup('in_code', Any).include
# nothing code
#- /modules/m/manifests/init.pp
class m { lookup('hash.a') $code = "some_${x}".lookup }
#- /stray/manifests/init.pp
class stray { lookup('in_stray') }
#- /modules/m/lib/facter/f.rb
Puppet.lookup('in_ruby')
#- /data/a.yaml
used: 1
looked: {up: 1}
listed: 1
nothing: 1
#^^^^^^ information[unused-key]: `nothing` is unused: neither data nor Puppet code refers to it…
in_code: 1
hash: {a: 1}
some_name: 1
#^^^^^^^^ information[unused-key]: `some_name` may be unused modules/m/manifests/init.pp looks up a key whose name contains expressions. It may be this key.
in_ruby: 1
#^^^^^^ information[unused-key]: `in_ruby` may be unused Ruby code of a module, or code outside of the modulepath, has its name.
in_stray: 1
#^^^^^^^ information[unused-key]: `in_stray` may be unused…
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
    fn what_can_be_any_key() {
        let fixture = |code: &str, expected: &str| {
            check(&format!(
                "#- /.hiera-ls.yaml\ndiagnostics: {{severity: {{unused-key: information}}}}\n{code}\
                 #- /data/common.yaml\nkey: 1\n#^^ information[unused-key]: {expected}\n"
            ));
        };
        fixture(
            "",
            "`key` may be unused The workspace has no Puppet code, which may look the key up.",
        );
        fixture(
            "#- /manifests/a/b/c/d/e.pp\nlookup($any)\n",
            "`key` may be unused manifests/a/b/c/d/e.pp looks up keys whose names are computed elsewhere.",
        );
        fixture("#- /manifests/a/b/c/d/e.pp\n'key'\n", "`key` is unused…");
    }

    #[test]
    fn what_other_entries_repeat_by_an_anchor_is_used() {
        check(
            "#- /.hiera-ls.yaml\ndiagnostics: {severity: {unused-key: information}}\n#- /manifests/site.pp\nnotice('x')\n\
             #- /data/common.yaml\n.template: &it {a: 1}\nb::x: *it\n",
        );
    }

    #[test]
    fn the_entry_goes() {
        check_fix(
            "# a\na: 1\n# b\nb::x: 2\n#- /manifests/site.pp\nnotice('a')\n#- /.hiera-ls.yaml\ndiagnostics: {severity: {unused-key: hint}}\n",
            "Remove the entry (also removes a comment)",
            "# b\nb::x: 2\n",
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
