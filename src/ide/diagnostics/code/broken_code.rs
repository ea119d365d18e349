//! `broken-code`: a file of Puppet code that Puppet refuses. At most a part of its declarations is known. Or a class that Puppet
//! refuses because the type of a parameter is an error.

use crate::binding::ParameterType;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::puppet::DeclarationKind;

pub(crate) const RULE: Rule = Rule {
    code: "broken-code",
    name: "Puppet code that Puppet refuses",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Puppet cannot load a file of Puppet code, so hiera-ls may know only a part of what it declares.",
    page: include_str!("../../../../docs/rules/broken-code.md"),
    checks: &[Check::BrokenCode(check), Check::Code(check_types)],
    ..Rule::USUAL
};

/// Checks a file. It reports one error, because Puppet reports only one.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    // Puppet stops at the first error, and later ones often follow from it.
    let Some(error) = code.file.manifest.errors.first() else { return };
    let message = format!(
        "{}\nPuppet refuses this file when it loads it. hiera-ls may know only a part of what it declares.",
        error.message
    );
    report.add(&RULE, error.range, message);
}

/// Checks the types of the parameters of classes. Puppet evaluates them with the class, also if nothing else is wrong.
pub(crate) fn check_types(code: &CodeContext<'_>, report: &mut Report) {
    if !code.summary.has_checked_types {
        return;
    }
    let classes =
        code.file.manifest.declarations.iter().filter(|it| it.kind == DeclarationKind::Class);
    let aliases = code.world.type_aliases(code.environment);
    for parameter in classes.flat_map(|it| &it.parameters) {
        let Some(range) = parameter.type_range else { continue };
        let wanted = ParameterType::of_parameter(&code.file, parameter, &aliases);
        let Some(message) = wanted.certain_refusal() else { continue };
        // The position is that of the finding, and a path is not that of a machine.
        let words = message.rsplit_once(" (line: ").map_or(message, |it| it.0);
        let words = words.replace(&format!("{}/", code.environment.directory()), "");
        let message = format!("{words}\nCatalogs with the class fail, whatever the value is.");
        report.add(&RULE, range, message);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::ide::diagnostics::testing::check;
    use crate::settings::Settings;
    use crate::world::{MemoryDisk, World};

    #[test]
    fn files_that_puppet_does_not_load() {
        check(
            r"
#- /hiera.yaml
version: 5
#- /manifests/site.pp
class a {
  file { 'x': ensure => } 
#                       ^ warning[broken-code]: Syntax error at '}' Puppet refuses this file when it loads it. hiera-ls may know only a part of what it declares.
}
class ] { }
#- /modules/m/templates/x.epp
<%= lookup( %>
#           ^^ warning[broken-code]: Syntax error at '%>'…
#- /modules/m/files/x.pp
class {
#- /modules/m/manifests/fine.pp
class m::fine { }
",
        );
    }

    #[test]
    fn types_that_puppet_refuses() {
        check(
            r"
#- /hiera.yaml
version: 5
#- /modules/m/types/mis.pp
type M::Miss = Integer
#- /modules/m/manifests/init.pp
class m (
  Integer[1, 10] $a,
  Elsewhere::Type $b,
  M::None $c,
  Integer[10, 1] $d,
# ^^^^^^^^^^^^^^ warning[broken-code]: Evaluation Error: Error while evaluating a '[]' expression, 'from' must be less or equal to 'to'. Got (10, 1 Catalogs with the class fail, whatever the value is.
  Optional[Hash[String]] $e,
# ^^^^^^^^^^^^^^^^^^^^^^ warning[broken-code]: Evaluation Error: Hash-Type[] accepts 2 to 4 arguments. Got 1 Catalogs with the class fail, whatever the value is.
  M::Mis $f,
# ^^^^^^ warning[broken-code]: Evaluation Error: Error while evaluating a Type-Name, The code loaded from modules/m/types/mis.pp produced type with the wrong name, expected 'm::mis', actual 'M::Miss'…
) {
}
",
        );
    }

    #[test]
    fn names_that_puppet_refuses() {
        check(
            r"
#- /hiera.yaml
version: 5
#- /data/common.yaml
m::x::title: 1
#- /modules/m/manifests/x.pp
class m::x (
  String $title,
#        ^^^^^^ warning[broken-code]: The parameter $title redefines a built in parameter in the Host Class Definition Puppet refuses this file when it loads it. hiera-ls may know only a part of what it declares.
) {
}
#- /modules/m/templates/x.epp
<% 'a' %> text
#  ^^^ warning[broken-code]: This String has no effect. A value was produced and then forgotten…
",
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        let files: [(&str, &[u8]); 2] = [
            ("/r/hiera.yaml", b"version: 5\n"),
            ("/r/manifests/site.pp", b"# caf\xe9\nclass a { }\n"),
        ];
        let world = World::on_disk(
            Arc::new(MemoryDisk::new(files)),
            vec!["/r".into()],
            Settings::default(),
        );
        let found = crate::ide::diagnostics(&world, "/r/manifests/site.pp");
        let shown: Vec<_> = found.iter().map(|it| (it.code, it.message.lines().next())).collect();
        assert_eq!(shown, [("broken-code", Some("invalid byte sequence in UTF-8"))]);
    }
}
