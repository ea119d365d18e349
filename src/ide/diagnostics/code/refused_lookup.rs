//! `refused-lookup`: a call of `lookup()` or `hiera…()` in code has arguments that Puppet does not accept.
//!
//! The rule does not decide whether Puppet reaches the call.

use crate::code::CodeFile;
use crate::code::lookup_arguments::LookupArguments;
use crate::data::puppet_type;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::puppet::Call;
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "refused-lookup",
    name: "Lookup in code with arguments that Puppet refuses",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "Puppet code calls lookup() or a hiera function with arguments that Puppet does not accept.",
    page: include_str!("../../../../docs/rules/refused-lookup.md"),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the calls of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    if !code.summary.has_failing_lookup {
        return;
    }
    for call in code.file.manifest.calls.iter().filter(|it| it.is_lookup()) {
        if LookupArguments::of(call).is_ok() || has_splat(&code.file, call) {
            continue;
        }
        let function = call.function;
        let mut message =
            format!("Puppet refuses this call: {function}() does not accept these arguments");
        let second = call.written.get(1).and_then(|it| it.text());
        if let Some(second) = second.filter(|_| function == "lookup") {
            message += "\nThe second argument must be a type.";
            if second.starts_with(char::is_uppercase) && puppet_type::parse(second).is_ok() {
                message.push_str(" Write it without quotes: ");
                message.push_str(second);
            }
        } else if function == "lookup" && call.arguments.len() == 3 {
            message += "\nWith three arguments, the second must be a type and the third a merge. \
                        Write the merge as an option: {'merge' => 'deep'}";
        }
        report.add(&RULE, call.function_range, message);
    }
}

/// Whether an argument may stand for several: `lookup(*$arguments)`. A lambda after the arguments may have a `*`, too.
fn has_splat(file: &CodeFile, call: &Call) -> bool {
    let end = call.lambda.as_ref().map_or(call.range.end, |it| it.range.start);
    let arguments = TextRange::new(call.range.start, end.min(call.range.end));
    file.slice(arguments).contains('*')
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn arguments_that_puppet_refuses() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n#- /data/common.yaml\nk: {a: 1}\n\
             #- /manifests/site.pp\n\
             $a = lookup('k', undef, 'hash')\n\
             #    ^^^^^^ warning[refused-lookup]: Puppet refuses this call: lookup() does not accept these arguments…\n\
             $b = lookup('k', Hash, 'hash')\n$c = lookup('none', undef, undef, undef)\n\
             $d = lookup('k', { 'convert_to' => 'Hash' })\n\
             #    ^^^^^^ warning[refused-lookup]: Puppet refuses this call: lookup() does not accept these arguments\n\
             $e = lookup('k', *$rest)\nlookup('k', undef, *$rest) |*$k| { 1 }\n\
             $h = lookup('k', String, first, a, b) |*$k| { 3 }\n\
             #    ^^^^^^ warning[refused-lookup]\n\
             $f = lookup()\n\
             #    ^^^^^^ warning[refused-lookup]\n\
             $i = lookup('k', 'Hash', 'hash', {})\n\
             #    ^^^^^^ warning[refused-lookup]: Puppet refuses this call: lookup() does not accept these arguments \
             The second argument must be a type. Write it without quotes: Hash\n\
             $j = lookup('k', 'a default')\n\
             #    ^^^^^^ warning[refused-lookup]: Puppet refuses this call: lookup() does not accept these arguments \
             The second argument must be a type.\n\
             $g = hiera(['k'])\n\
             #    ^^^^^ warning[refused-lookup]: Puppet refuses this call: hiera() does not accept these arguments\n",
        );
    }
}
