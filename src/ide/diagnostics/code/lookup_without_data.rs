//! `lookup-without-data`: a call in code looks up a constant key without a default, and no node has data for the key.
//!
//! The rule does not decide whether Puppet reaches the call. Plans have their own hierarchy and are ignored.

use crate::code::file::language_of;
use crate::code::lookup_arguments::{self, LookupDefault};
use crate::code::summary::root_key;
use crate::engine::Answer;
use crate::ide::diagnostics::code::code_context::{Answered, CodeContext};
use crate::ide::diagnostics::shared::fix::{Fix, replaced_in};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::key_path;
use crate::syntax::puppet::{Call, Language, Written, WrittenShape};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "lookup-without-data",
    name: "Lookup in code of a key without data",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Puppet code looks up a key without a default, and no node has data for it.",
    page: include_str!("../../../../docs/rules/lookup-without-data.md"),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the calls of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    // Plans use a hierarchy of their own, `plan_hierarchy`.
    if language_of(code.path) == Language::Plan {
        return;
    }
    for call in code.file.manifest.calls.iter().filter(|it| it.is_lookup()) {
        if call.is_dynamic || lookup_arguments::default_of(call) != LookupDefault::Missing {
            continue;
        }
        if call.names.is_empty() {
            report_empty_list(call, report);
            continue;
        }
        let is_unanswered = |name: &str| code.answered(name, call.position) == Answered::Never;
        let is_certain = call.names.iter().all(|it| is_unanswered(&it.text));
        if (is_certain || may_be_misspelt(code, call)) && !is_hidden(code, call) {
            report_call(code, call, is_certain, report);
        }
    }
}

/// Reports a call for none of the keys in an empty list, which finds nothing.
fn report_empty_list(call: &Call, report: &mut Report) {
    let is_empty =
        |it: &&Written| matches!(&it.shape, WrittenShape::List(items) if items.is_empty());
    let Some(list) = call.written.first().filter(is_empty) else { return };
    let failure = Answer::not_found_message(&[]);
    let message =
        format!("this looks up none of the keys in an empty list\nThe call fails: {failure}.");
    report.add(&RULE, list.range, message);
}

/// Whether no file here has the key, but one has a similar key. Data may also be elsewhere.
fn may_be_misspelt(code: &CodeContext<'_>, call: &Call) -> bool {
    let [only] = call.names.as_slice() else { return false };
    code.is_missing_here(&only.text) && code.near(&root_key(&only.text)).is_some()
}

/// Whether Puppet never makes the call, because there is data for what it would replace.
fn is_hidden(code: &CodeContext<'_>, call: &Call) -> bool {
    is_hidden_default(code, call) || is_in_hidden_lambda(code, call)
}

/// Whether the call is in the lambda of a lookup that finds a value for every node.
fn is_in_hidden_lambda(code: &CodeContext<'_>, call: &Call) -> bool {
    let holds_call = |it: TextRange| it.start <= call.position && call.position < it.end;
    let mut around = code.file.manifest.calls.iter().filter(|it| {
        it.is_lookup() && it.lambda.as_ref().is_some_and(|lambda| holds_call(lambda.range))
    });
    around.any(|it| it.names.iter().any(|name| code.answered(&name.text, it.position).is_always()))
}

/// Whether the call is the default of a class parameter for which every node has data, so that Puppet never makes it.
fn is_hidden_default(code: &CodeContext<'_>, call: &Call) -> bool {
    let holds_call = |it: TextRange| it.start <= call.position && call.position < it.end;
    let classes = code.file.manifest.declarations.iter();
    let parameters = classes.flat_map(|class| class.parameters.iter().map(move |it| (class, it)));
    parameters
        .filter(|(_, it)| it.default.as_ref().is_some_and(|it| holds_call(it.range)))
        .filter_map(|(class, it)| Some(format!("{}::{}", class.name.as_deref()?, it.name)))
        .any(|key| code.answered(&key, call.position) == Answered::Always)
}

fn report_call(code: &CodeContext<'_>, call: &Call, is_certain: bool, report: &mut Report) {
    let (Some(first), Some(last)) = (call.names.first(), call.names.last()) else { return };
    let one_line = |text: &str| text.replace('\n', "\\n");
    let names: Vec<_> = call.names.iter().map(|it| one_line(&it.text).into()).collect();
    let keys: Vec<_> = call.names.iter().map(|it| format!("`{}`", one_line(&it.text))).collect();
    // If the data has the root of a dotted key, another root is another value: what is missing is the member.
    let near = match call.names.as_slice() {
        [only] if code.keys().is_missing(&root_key(&only.text)) => code.near(&root_key(&only.text)),
        _ => None,
    };
    let advice = match &near {
        Some(near) => format!(" Did you mean `{near}`?"),
        None if call.names.iter().any(|it| it.text.ends_with('\n')) => {
            " The key ends with a line end. End a heredoc with `|-` to leave it out.".to_owned()
        }
        None => String::new(),
    };
    let (keys, failure) = (keys.join(" or "), Answer::not_found_message(&names));
    let (severity, message) = if is_certain {
        (RULE.severity, format!("no node has data for {keys}\nThe call fails: {failure}.{advice}"))
    } else {
        let unless = "Unless data outside this workspace has it, the call fails";
        (Severity::Hint, format!("no data file here has {keys}\n{unless}: {failure}.{advice}"))
    };
    let range = TextRange::new(first.range.start, last.range.end);
    let finding = report.add_as(&RULE, severity, range, message);
    let Some(near) = near else { return };
    finding.related.extend(code.keys().related(&near));
    let root = root_key(&first.text);
    let edit = replaced_in(&code.file.text, first.range, &root, &near);
    let edit = edit.filter(|_| key_path::is_verbatim(&near) && !near.contains(['\'', '\\']));
    finding.fixes.extend(edit.map(|it| Fix::changing(format!("Write `{near}`"), vec![it])));
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    const DATA: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                        - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: c, path: common.yaml}\n\
                        #- /data/common.yaml\nservers: {ntp: 1}\nweb::port: 1\nnulls::port: ~\n\
                        #- /data/nodes/web01.yaml\nonly::here: 1\n";

    #[test]
    fn keys_that_no_node_has() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup('servers')\nlookup('servers.ntp')\nlookup('only::here')\nlookup(\"x${{y}}\")\n\
             lookup('none')\n\
             #      ^^^^^^ warning[lookup-without-data]: no node has data for `none` The call fails: Function lookup() did \
             not find a value for the name 'none'.\n\
             lookup('servers.ntpd')\n\
             #      ^^^^^^^^^^^^^^ warning[lookup-without-data]: no node has data for `servers.ntpd`…\n\
             lookup(['none', 'other'], Integer)\n\
             #       ^^^^^^^^^^^^^^^ warning[lookup-without-data]: no node has data for `none` or `other` The call fails: \
             Function lookup() did not find a value for any of the names ['none', 'other'].\n\
             lookup(['none', 'servers'])\n\
             lookup([])\n\
             #      ^^ warning[lookup-without-data]: this looks up none of the keys in an empty list The call fails: \
             Function lookup() did not find a value for any of the names [].\n\
             lookup([], Integer, 'first', 1)\n\
             lookup('none', Integer, 'first', 1)\nlookup('none') |$key| {{ 1 }}\nhiera('none', 1)\n\
             lookup('none', {{ 'default_value' => 1 }})\n\
             hiera_include('none')\n\
             #             ^^^^^^ warning[lookup-without-data]\n\
             lookup('elsewhere::none')\n\
             lookup('::elsewhere::none')\n\
             #      ^^^^^^^^^^^^^^^^^^^ warning[lookup-without-data]: no node has data for `::elsewhere::none`…\n\
             #- /modules/web/functions/f.pp\n\
             function web::f() {{ lookup('web::none') }}\n\
             #                          ^^^^^^^^^^^ warning[lookup-without-data]\n\
             #- /modules/web/plans/p.pp\n\
             plan web::p() {{ lookup('web::none') }}\n"
        ));
    }

    #[test]
    fn a_line_end_in_the_key() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup(\"none\\n\")\n\
             #      ^^^^^^^^ warning[lookup-without-data]: no node has data for `none\\n` The call fails: Function lookup() did \
             not find a value for the name 'none\\n'. The key ends with a line end. End a heredoc with `|-` to leave it out.\n"
        ));
    }

    #[test]
    fn the_default_of_a_parameter_that_has_data_is_not_evaluated() {
        check(&format!(
            "{DATA}#- /modules/web/manifests/init.pp\n\
             class web($port = lookup('none'), $other = lookup('none')) {{ }}\n\
             #                                                 ^^^^^^ warning[lookup-without-data]\n"
        ));
    }

    #[test]
    fn null_is_no_data_for_a_parameter() {
        check(&format!(
            "{DATA}#- /modules/nulls/manifests/init.pp\n\
             class nulls($port = lookup('none')) {{ }}\n\
             #                          ^^^^^^ warning[lookup-without-data]\n\
             #- /manifests/site.pp\nlookup('nulls::port') |$k| {{ lookup('none') }}\n"
        ));
    }

    #[test]
    fn the_lambda_of_a_lookup_that_finds_something_does_not_run() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup('servers') |$k| {{ lookup('none') }}\n\
             lookup('only::here') |$k| {{ lookup('none') }}\n\
             #                                  ^^^^^^ warning[lookup-without-data]\n"
        ));
    }

    /// Such a call fails, but not because data are missing.
    #[test]
    fn nothing_is_said_where_every_lookup_fails() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: common.yaml}\n  - {name: x, path: common.yaml}\n\
             #          ^ error[hiera-yaml-schema]\n\
             #- /data/common.yaml\na: 1\n#- /manifests/site.pp\nlookup('none')\n",
        );
    }

    #[test]
    fn what_a_file_may_have_that_puppet_refuses_is_not_known() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, data_hash: json_data, path: common.json}]\n\
             #- /data/common.json\n{\n  \"a\": []\n  \"b\": 1,\n\
             # ^ error[json-syntax]\n  \"c\": 2\n}\n\
             #- /manifests/site.pp\nlookup('c')\nlookup('d')\n\
             #      ^^^ warning[lookup-without-data]\n",
        );
    }

    #[test]
    fn nothing_is_said_where_data_may_be_elsewhere() {
        let code = "#- /manifests/site.pp\nlookup('none')\n";
        check(&format!("#- /README.md\n\n{code}"));
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, path: common.yaml}}]\n{code}"
        ));
        let near = "lookup('server::al')\n#      ^^^^^^^^^^^^ hint[lookup-without-data]: no data file here has `server::al` Unless data outside this workspace has it, the call fails: Function lookup() did not find a value for the name 'server::al'. Did you \
                    mean `server::all`?\n";
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
             - {{name: x, path: common.yaml}}\n- {{name: y, lookup_key: vault_lookup}}\n\
             #                       ^^^^^^^^^^^^ information[unknown-backend]\n\
             #- /data/common.yaml\nserver::all: 1\n{code}{near}"
        ));
    }

    /// The data has `servers`, but `servers2` is not that name misspelt.
    #[test]
    fn no_other_root_is_meant_where_a_member_is_missing() {
        check(&format!(
            "{DATA}servers2: 1\n#- /data/nodes/web02.yaml\nservers2: 1\n#- /manifests/site.pp\n\
             lookup('servers.ntpd')\n\
             #      ^^^^^^^^^^^^^^ warning[lookup-without-data]: no node has data for `servers.ntpd` The call fails: Function \
             lookup() did not find a value for the name 'servers.ntpd'.\n"
        ));
    }

    #[test]
    fn the_key_that_was_meant() {
        let code = "lookup('server.ntp')\n";
        check_fix(
            &format!("#- /manifests/site.pp\n{code}{DATA}"),
            "Write `servers`",
            "lookup('servers.ntp')\n",
        );
        check_related(
            &format!("{DATA}#- /manifests/site.pp\n{code}"),
            "lookup-without-data",
            &["/data/common.yaml: servers: `servers` is here"],
        );
    }
}
