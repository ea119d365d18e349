//! `lookup-default-hides`: a call in code that gives a default for a key for which every node has data.

use crate::code::file::language_of;
use crate::code::lookup_arguments::{self, LookupDefault};
use crate::code::summary::root_key;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Tag};
use crate::syntax::puppet::{ArgumentKind, Call, CallForm, Language};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "lookup-default-hides",
    name: "Default of a lookup that is never used",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "Puppet code gives a default for a key for which every node has data.",
    page: include_str!("../../../../docs/rules/lookup-default-hides.md"),
    tag: Some(Tag::Unnecessary),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the calls of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    // Plans use a hierarchy of their own, `plan_hierarchy`.
    if language_of(code.path) == Language::Plan {
        return;
    }
    for call in code.file.manifest.calls.iter().filter(|it| it.is_lookup() && !it.is_dynamic) {
        let LookupDefault::Written(range) = lookup_arguments::default_of(call) else { continue };
        let has_data = |name: &str| code.answered(name, call.position).is_always();
        let Some(found) = call.names.iter().find(|it| has_data(&it.text)) else { continue };
        let message =
            format!("every node has data for `{}`\nThis default is never used.", found.text);
        let finding = report.add(&RULE, range, message);
        finding.related.extend(code.keys().related(&root_key(&found.text)));
        let edits = removed(call);
        finding.fixes.extend(edits.map(|it| Fix::changing("Remove the default", it)));
    }
}

/// The edits that remove the default, and the arguments that are only needed before it.
fn removed(call: &Call) -> Option<Vec<TextEdit>> {
    let ends_the_call = match (call.function, call.arguments.as_slice()) {
        // An options hash with other options must stay.
        ("lookup", [_, (ArgumentKind::Hash, _)]) => call.options.len() == 1,
        ("lookup", arguments) => arguments.len() == 4,
        (_, arguments) => arguments.len() == 2,
    };
    let (_, rest) = call.arguments.split_last().filter(|_| ends_the_call)?;
    let is_left = |kind: ArgumentKind| kind != ArgumentKind::Undef;
    let kept = rest.iter().rposition(|(kind, _)| is_left(*kind))?;
    // The first argument of a method precedes its name.
    if kept == 0 && call.form == CallForm::Method {
        return None;
    }
    let end = call.arguments.last().map(|(_, range)| range.end)?;
    let mut edits = vec![TextEdit::delete(TextRange::new(call.arguments[kept].1.end, end))];
    // Puppet accepts undef as the type only if there is a default.
    let before = &call.arguments[..kept];
    edits
        .extend(before.iter().filter(|it| !is_left(it.0)).map(|it| TextEdit::replace(it.1, "Any")));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    const DATA: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                        - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: c, path: common.yaml}\n\
                        #- /data/common.yaml\nservers: {ntp: 1}\nnothing: ~\n\
                        #- /data/nodes/web01.yaml\nonly::here: 1\nservers: {ntp: 2}\n";

    #[test]
    fn defaults_that_are_never_used() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup('servers', undef, undef, {{}})\n\
             #                               ^^ information[lookup-default-hides]: every node has data for `servers` This \
             default is never used.\n\
             lookup('servers.ntp', {{ 'default_value' => 1, 'merge' => 'hash' }})\n\
             #                                          ^ information[lookup-default-hides]\n\
             hiera('nothing', $x)\n\
             #                ^^ information[lookup-default-hides]\n\
             lookup(['none', 'servers'], undef, undef, 1)\n\
             #                                         ^ information[lookup-default-hides]\n\
             lookup('only::here', undef, undef, 1)\n\
             lookup('none', undef, undef, 1)\n\
             lookup('servers')\n"
        ));
    }

    /// Puppet finds no key of it.
    #[test]
    fn data_that_puppet_cannot_parse() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}]
#- /data/common.yaml
servers: {ntp: 1}
x: "a" b
#      ^ error[yaml-syntax]
#- /manifests/site.pp
lookup('servers', undef, undef, {})
"#,
        );
    }

    #[test]
    fn a_default_goes_with_what_stands_before_it() {
        let fix = |before: &str, after: &str| {
            let fixture = format!("#- /manifests/site.pp\n{before}\n{DATA}");
            check_fix(&fixture, "Remove the default", &format!("{after}\n"));
        };
        fix("lookup('servers', undef, undef, {})", "lookup('servers')");
        fix("lookup('servers', Hash, undef, {})", "lookup('servers', Hash)");
        fix("lookup('servers', undef, 'deep', {})", "lookup('servers', Any, 'deep')");
        fix("lookup('servers', { default_value => 1 })", "lookup('servers')");
        fix("hiera('servers', {})", "hiera('servers')");
        fix("'servers'.lookup(Hash, undef, {})", "'servers'.lookup(Hash)");
    }
}
