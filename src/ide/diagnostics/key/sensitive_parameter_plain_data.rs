//! `sensitive-parameter-plain-data`: a parameter accepts only `Sensitive` values, and the data is plain.
//!
//! Data is never `Sensitive` by itself, even if it is encrypted: lookup options have to convert it.

use crate::binding::Verdict;
use crate::data::Value;
use crate::data::puppet_type::Type;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::option_edits::make_sensitive;
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity, Subject};

pub(crate) const RULE: Rule = Rule {
    code: "sensitive-parameter-plain-data",
    name: "Plain data for a Sensitive parameter",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A class parameter takes `Sensitive` values only, and no lookup option makes this one `Sensitive`.",
    page: include_str!("../../../../docs/rules/sensitive-parameter-plain-data.md"),
    cost: Cost::High,
    explains: Some(Subject::ParameterType),
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Whether this is why Puppet refuses the parameter; if so, it is reported at the key.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(refused) = at.refused() else { return };
    // If a plain value can be right, it is this value that is wrong. `NotUndef` takes a Sensitive undef, too, but that is not
    // what is missing.
    if !refused.wanted.known().is_some_and(Type::takes_only_sensitive) {
        return;
    }
    // The advice helps only if `Sensitive` is all that is missing.
    let part = refused.parts.iter().find(|part| {
        let sensitive = Value::Sensitive(part.value.clone().into());
        part.misfit.path.is_empty()
            && part.conversion.is_none()
            && !matches!(part.value.value, Value::Sensitive(_))
            && refused.wanted.verdict_on(&sensitive) == Verdict::Fits
    });
    let Some(part) = part else { return };
    let Some(perspective) = at.perspective() else { return };
    let options = part.options.as_ref();
    let (advice, fix) = make_sensitive(perspective, refused.data, refused.key, options);
    let advice = format!("\n{advice}: data are never Sensitive by themselves.");
    let range = refused.entry.key_place.range;
    let finding = refused.report(&RULE, part, range, &advice, report);
    finding.fixes.extend(fix);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    const DB: &str = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
                      #- /modules/db/manifests/init.pp\n\
                      class db(Sensitive[String] $password, Optional[Sensitive[String]] $other = undef,\n\
                      Variant[String, Sensitive[String]] $either = '', Sensitive[String[8]] $number) { }\n";

    #[test]
    fn values_that_no_option_converts() {
        check(&format!(
            "{DB}#- /data/common.yaml\n\
             lookup_options: {{db::other: {{convert_to: Sensitive}}}}\n\
             db::password: ENC[GPG,YWJj]\n\
             #^^^^^^^^^^^ warning[sensitive-parameter-plain-data]: parameter 'password' expects a Sensitive[String] value, got String…\n\
             db::other: x\n\
             db::either: x\n\
             db::number: 1\n\
             #           ^ warning[value-type-mismatch]: parameter 'number' expects a Sensitive[String] value, got Integer…\n"
        ));
    }

    #[test]
    fn values_of_another_file() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: r, path: '%{role}.yaml'}, {name: c, path: common.yaml}]\n\
             #- /modules/db/manifests/init.pp\nclass db(Sensitive[String] $a) { }\n\
             #- /data/web.yaml\ndb::a: \"%{alias('x')}\"\n\
             #^^^^ warning[sensitive-parameter-plain-data]\n\
             #- /data/common.yaml\nx: a\n",
        );
    }

    #[test]
    fn types_that_do_not_name_sensitive() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
             #- /modules/db/manifests/init.pp\nclass db(NotUndef $a) { }\n\
             #- /data/common.yaml\ndb::a: ~\n\
             #      ^ warning[value-type-mismatch]: parameter 'a' expects a NotUndef value, got Undef…\n",
        );
    }

    #[test]
    fn types_that_also_take_plain_values() {
        let class = "class db(Variant[String[1], Sensitive[String[1]]] $a, Variant[Sensitive[String], Integer] $b, \
                     Variant[Undef, Sensitive[String]] $c) { }";
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
             #- /modules/db/manifests/init.pp\n{class}\n#- /data/common.yaml\ndb::a: ''\n\
             #      ^^ warning[value-type-mismatch]\n\
             db::b: x\n\
             #      ^ warning[value-type-mismatch]\n\
             db::c: x\n\
             #^^^^ warning[sensitive-parameter-plain-data]\n"
        ));
    }

    #[test]
    fn an_option_makes_them_sensitive() {
        check_fix(
            &format!("db::password: x\n{DB}"),
            "Make the value Sensitive with lookup_options",
            "db::password: x\nlookup_options:\n  db::password: {convert_to: Sensitive}\n",
        );
    }

    #[test]
    fn options_that_the_key_has_are_not_hidden() {
        let counts = |options: &str| {
            let fixture = format!("#- /data/common.yaml\n{options}db::password: x\n{DB}");
            fix_counts(&fixture, "sensitive-parameter-plain-data")
        };
        assert_eq!(counts("lookup_options: {db::password: {merge: first}}\n"), [1]);
        assert_eq!(counts("lookup_options: {^db::pass: {merge: first}, a: {}}\n"), [0]);
    }

    #[test]
    fn the_advice_names_the_options_that_apply() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: n, path: '%{trusted.certname}.yaml'}, {name: c, path: common.yaml}]\n\
             #- /modules/w/manifests/init.pp\nclass w(Sensitive[Hash] $h, Sensitive[String] $t, Sensitive[String] $u) { }\n\
             #- /data/n1.yaml\nlookup_options: {w::t: {merge: first}}\n\
             #- /data/common.yaml\nlookup_options: {^w::: {merge: deep}, w::u: {merge: first}}\n\
             w::h: {a: 1}\n\
             #^^^ warning[sensitive-parameter-plain-data]: parameter 'h' expects a Sensitive[Hash] value, got Struct Catalogs with class `w` fail for any node. Add `lookup_options: {w::h: {convert_to: Sensitive}}`, and repeat there the `merge` of `^w::`: data are never Sensitive by themselves.\n\
             w::u: a\n\
             #^^^ warning[sensitive-parameter-plain-data]: parameter 'u' expects a Sensitive[String] value, got String Catalogs with class `w` fail for any node. Set `convert_to: Sensitive` in the options of `w::u` in data/common.yaml: data are never Sensitive by themselves.\n\
             #- /data/n2.yaml\nlookup_options: {w::t: {merge: first}}\nw::t: a\n\
             #^^^ warning[sensitive-parameter-plain-data]: parameter 't' expects a Sensitive[String] value, got String…\n",
        );
    }
}
