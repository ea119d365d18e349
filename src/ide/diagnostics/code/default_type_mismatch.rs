//! `default-type-mismatch`: the default of a parameter does not fit its type.
//!
//! Puppet checks defaults like other values, but only if there is no data: the class works until a node uses the default.

use crate::binding::{ParameterType, Verdict};
use crate::code::literal;
use crate::data::Value;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity};
use crate::syntax::puppet::{DeclarationKind, Parameter};

pub(crate) const RULE: Rule = Rule {
    code: "default-type-mismatch",
    name: "Default that does not fit the parameter's type",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "The default of a parameter does not fit its type: Puppet fails when nothing else gives a value.",
    page: include_str!("../../../../docs/rules/default-type-mismatch.md"),
    cost: Cost::High,
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the defaults of all classes and defined types of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    if !code.summary.has_checked_types {
        return;
    }
    let declarations = &code.file.manifest.declarations;
    let declarations = declarations
        .iter()
        .filter(|it| matches!(it.kind, DeclarationKind::Class | DeclarationKind::Define));
    let aliases = code.world.type_aliases(code.environment);
    for parameter in declarations.flat_map(|it| &it.parameters) {
        let (Some(value), Some(default)) = (checked_default(parameter), &parameter.default) else {
            continue;
        };
        let wanted = ParameterType::of_parameter(&code.file, parameter, &aliases);
        let Verdict::Misfit(misfits) = wanted.verdict_on(&value) else { continue };
        let name = &parameter.name;
        let words: Vec<String> =
            misfits.iter().map(|it| format!("parameter '{name}' {}", it.message)).collect();
        let advice = match value {
            Value::Undef => {
                "\nWithout a value, Puppet fails. Write `Optional[…]`, or leave the default out."
            }
            _ => "\nPuppet fails where nothing else gives the parameter a value.",
        };
        report.add(&RULE, default.range, format!("{}{advice}", words.join("\n")));
    }
}

/// The value of a constant default with a type.
fn checked_default(parameter: &Parameter) -> Option<Value> {
    parameter.type_range?;
    literal::value_of(parameter.default.as_ref()?.constant.as_ref()?)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn defaults_of_classes_and_defined_types() {
        check(
            r"
#- /modules/web/types/port.pp
type Web::Port = Integer[1, 65535]
#- /modules/web/manifests/init.pp
class web (
  Web::Port $port = 0,
#                   ^ warning[default-type-mismatch]: parameter 'port' expects a Web::Port = Integer[1, 65535] value, got Integer[0, 0] Puppet fails where nothing else gives the parameter a value.
  String $name2 = undef,
#                 ^^^^^ warning[default-type-mismatch]: parameter 'name2' expects a String value, got Undef Without a value, Puppet fails. Write `Optional[…]`, or leave the default out.
  Optional[String] $fine = undef,
  Integer $computed = $port + 1,
  No::Such $unknown = 1,
  $untyped = 1,
  Enum['present', 'absent'] $ensure = present,
) { }
#- /modules/web/manifests/site.pp
define web::site (Boolean $on = 'true') { }
#                               ^^^^^^ warning[default-type-mismatch]: parameter 'on' expects a Boolean value, got String…
",
        );
    }
}
