//! `duplicate-class`: a class that is declared more than once.
//!
//! A class of the main manifest silently wins over that of a module. If Puppet reads both declarations, it fails.

use crate::code::DeclaredAt;
use crate::code::roots::files_of_class;
use crate::code::summary::known_as;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-class",
    name: "Class that is declared more than once",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A class is declared in more than one place, and Puppet uses one of them or refuses both.",
    page: include_str!("../../../../docs/rules/duplicate-class.md"),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the classes of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    for (number, class) in (0..).zip(&code.file.manifest.declarations) {
        let Some(name) = class.name.as_deref().filter(|_| class.kind == DeclarationKind::Class)
        else {
            continue;
        };
        let mut places = code.index.declared(DeclarationKind::Class, name).to_vec();
        // A file that Puppet refuses declares nothing.
        places.retain(|it| !it.is_broken);
        places.sort_by(|a, b| rank(code, name, a).cmp(&rank(code, name, b)));
        let own = places.iter().position(|it| &*it.path == code.path && it.index == number);
        // The first place is the one that Puppet reads first, so it has no finding.
        if let Some(own @ 1..) = own {
            report_class(code, class, &places[0], &places[own], report);
        }
    }
}

/// The order in which Puppet reads the places of a class: the main manifest, then the file that is named after the class.
fn rank<'p>(code: &CodeContext<'_>, name: &str, place: &'p DeclaredAt) -> (u8, &'p str, u32) {
    let own_file = format!("/manifests/{}", files_of_class(name)[0]);
    let rank = match &place.path {
        path if is_main(code, path) => 0,
        path if path.ends_with(&own_file) => 1,
        _ => 2,
    };
    (rank, &*place.path, place.index)
}

/// Whether the file is the main manifest, or part of it.
fn is_main(code: &CodeContext<'_>, path: &str) -> bool {
    let manifests = code.world.code_roots(code.environment).manifests;
    manifests.is_some_and(|main| paths::below(&main, path).is_some())
}

fn report_class(
    code: &CodeContext<'_>,
    class: &Declaration,
    first: &DeclaredAt,
    own: &DeclaredAt,
    report: &mut Report,
) {
    let name = known_as(DeclarationKind::Class, class.name.as_deref().unwrap_or_default());
    let Some(file) = code.world.code_file(&first.path) else { return };
    let Some(other) = file.manifest.declarations.get(first.index as usize) else { return };
    let directory = code.environment.directory();
    let shown = |path: &str| paths::below(directory, path).unwrap_or(path).to_owned();
    let place = format!("{}:{}", shown(&first.path), file.line(other.range.start));
    let refused = format!("Class '{name}' is already defined");
    // Puppet reads the main manifest for every node, but other files only for a class that they should declare.
    let (severity, problem) = if own.path == first.path {
        (Severity::Error, format!("Puppet refuses the file: {refused}."))
    } else if is_main(code, &own.path) {
        (Severity::Error, format!("Puppet refuses the main manifest: {refused}."))
    } else if is_main(code, &first.path) {
        (
            RULE.severity,
            format!(
                "That one wins. If this file is read for another class, Puppet refuses it: {refused}."
            ),
        )
    } else {
        (RULE.severity, format!("If both files are read, Puppet refuses the second: {refused}."))
    };
    let message = format!("class `{name}` is declared in {place} as well\n{problem}");
    let finding = report.add_as(&RULE, severity, class.name_range, message);
    finding.related.push(Related {
        path: (own.path != first.path).then(|| first.path.clone()),
        range: other.name_range,
        message: format!("`{name}` is here, too"),
    });
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn classes_with_several_places() {
        check(
            r"
#- /hiera.yaml
version: 5
#- /manifests/a.pp
class main { } class twice { }
class twice { }
#     ^^^^^ error[duplicate-class]: class `twice` is declared in manifests/a.pp:1 as well Puppet refuses the file: Class 'twice' is already defined.
#- /manifests/b.pp
class main { }
#     ^^^^ error[duplicate-class]: class `main` is declared in manifests/a.pp:1 as well Puppet refuses the main manifest: Class 'main' is already defined.
class web { }
#- /modules/web/manifests/init.pp
class web { class sub { } }
#     ^^^ warning[duplicate-class]: class `web` is declared in manifests/b.pp:2 as well That one wins. If this file is read for another class, Puppet refuses it: Class 'web' is already defined.
#                 ^^^ warning[duplicate-class]: class `web::sub` is declared in modules/web/manifests/sub.pp:1 as well If both files are read, Puppet refuses the second: Class 'web::sub' is already defined.
#- /modules/web/manifests/sub.pp
class web::sub { }
define web::main() { }
",
        );
    }

    #[test]
    fn the_other_place_is_shown() {
        check_related(
            "#- /hiera.yaml\nversion: 5\n#- /manifests/a.pp\nclass a { }\nclass a { }\n#- /manifests/b.pp\nclass a { }\n",
            "duplicate-class",
            &["/manifests/a.pp: a: `a` is here, too", "/manifests/a.pp: a: `a` is here, too"],
        );
    }
}
