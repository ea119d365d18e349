//! `convert-to-misses-type`: lookup options convert a value to a type that the class parameter does not accept.

use crate::data::Value;
use crate::data::puppet_type::Type;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Subject};

pub(crate) const RULE: Rule = Rule {
    code: "convert-to-misses-type",
    name: "Conversion to a type that the parameter does not take",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "`convert_to` makes a value of a type that the class parameter does not take.",
    page: include_str!("../../../../docs/rules/convert-to-misses-type.md"),
    cost: Cost::High,
    explains: Some(Subject::ParameterType),
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Whether this is why Puppet refuses the parameter; if so, it is reported at the key.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(refused) = at.refused() else { return };
    // A conversion returns another value as a whole, so a misfit of a part has another cause.
    let mut parts = refused.parts.iter().filter(|it| it.misfit.path.is_empty());
    let Some((part, conversion)) = parts.find_map(|it| Some((it, it.conversion.as_ref()?))) else {
        return;
    };
    let is_sensitive = matches!(part.value.value, Value::Sensitive(_));
    if is_sensitive && refused.wanted.known().is_some_and(Type::names_sensitive) {
        // Only the content does not fit, and that is what the data has.
        return;
    }
    let advice = match &part.value.value {
        Value::Sensitive(_) => "\nOnly a parameter whose type names Sensitive takes such values.",
        _ => "",
    };
    let advice = format!("{advice}\nThe lookup options of `{}` convert it.", conversion.entry);
    let range = refused.entry.key_place.range;
    let finding = refused.report(&RULE, part, range, &advice, report);
    finding.related.extend(conversion.place.clone());
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    const FIXTURE: &str = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
                           #- /modules/db/manifests/init.pp\nclass db(String $password, Integer $port, Array[Integer] $ports) { }\n\
                           #- /data/common.yaml\nlookup_options:\n  ^db::pass: {convert_to: Sensitive}\n  db::port: {convert_to: String}\n\
                           \x20 db::ports: {convert_to: Array}\n";

    #[test]
    fn the_value_after_the_conversion_counts() {
        check(&format!(
            "{FIXTURE}\
             db::password: x\n\
             #^^^^^^^^^^^ warning[convert-to-misses-type]: parameter 'password' expects a String value, got Sensitive[String] Catalogs with class `db` fail for any node. Only a parameter whose type names Sensitive takes such values. The lookup options of `^db::pass` convert it.\n\
             db::port: 1\n\
             #^^^^^^^ warning[convert-to-misses-type]: parameter 'port' expects an Integer value, got String…\n\
             db::ports: [1, x]\n\
             #              ^ warning[value-type-mismatch]: parameter 'ports' index 1 expects an Integer value, got String…\n"
        ));
    }

    #[test]
    fn the_content_of_a_sensitive_value_does_not_fit() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
             #- /modules/db/manifests/init.pp\nclass db(Sensitive[Integer] $port) { }\n\
             #- /data/common.yaml\nlookup_options: {db::port: {convert_to: Sensitive}}\n\
             db::port: '1'\n\
             #         ^^^ warning[value-type-mismatch]: parameter 'port' expects a Sensitive[Integer] value, got Sensitive[String]…\n",
        );
    }

    #[test]
    fn it_leads_to_the_options() {
        check_related(
            &format!("{FIXTURE}db::password: x\n"),
            "convert-to-misses-type",
            &[
                "/modules/db/manifests/init.pp: $password: `$password` is here",
                "/data/common.yaml: ^db::pass: these lookup options convert it",
            ],
        );
    }
}
