//! `duplicate-class`: a class, a defined type or a node block that is declared more than once.
//!
//! A class of the main manifest silently wins over that of a module. If Puppet reads both declarations, it fails.

use crate::code::roots::files_of_class;
use crate::code::summary::known_as;
use crate::code::{CodeFile, DeclaredAt};
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::text::TextRange;
use crate::world::node_classes::{redefinitions, refusal};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-class",
    name: "Class that is declared more than once",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A class, a defined type or a node block is declared in more than one place, and Puppet uses one of them or refuses both.",
    page: include_str!("../../../../docs/rules/duplicate-class.md"),
    checks: &[Check::Code(check)],
    ..Rule::USUAL
};

/// Checks the definitions of a file.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    let mains = code.world.main_manifests(code.environment);
    let is_main = mains.iter().any(|it| &*it.path == code.path);
    // Puppet reads the files of the main manifest together.
    let together: Vec<(&str, &CodeFile)> = if is_main {
        mains.iter().map(|it| (&*it.path, &*it.file)).collect()
    } else {
        vec![(code.path, &code.file)]
    };
    let mut told = Vec::new();
    for it in redefinitions(together.iter().map(|it| it.1)) {
        let ((own, range), (first, first_range)) = (it.at, it.first);
        if together[own].0 != code.path {
            continue;
        }
        let (path, file) = together[first];
        let refused = if own == first { "the file" } else { "the main manifest" };
        let problem = format!("Puppet refuses {refused}: {}.", it.message);
        let first = First { path, file, range: first_range };
        told.push(range);
        report_again(code, (it.kind, &it.name, range), &first, (Severity::Error, problem), report);
    }
    check_other_files(code, &told, report);
}

/// Checks the classes and defined types that other files declare, too, which Puppet may read or not.
fn check_other_files(code: &CodeContext<'_>, told: &[TextRange], report: &mut Report) {
    for (number, declared) in (0..).zip(&code.file.manifest.declarations) {
        let is_wanted = matches!(declared.kind, DeclarationKind::Class | DeclarationKind::Define);
        let Some(name) = declared.name.as_deref().filter(|_| is_wanted) else { continue };
        let kinds = [DeclarationKind::Class, DeclarationKind::Define];
        let places = kinds.into_iter().flat_map(|kind| {
            code.index.declared(kind, name).iter().map(move |place| (kind, place))
        });
        // A file that Puppet refuses declares nothing.
        let mut places: Vec<_> = places.filter(|it| !it.1.is_broken).collect();
        places.sort_by(|a, b| rank(code, name, a.1).cmp(&rank(code, name, b.1)));
        let own = places.iter().position(|it| &*it.1.path == code.path && it.1.index == number);
        // The first place is the one that Puppet reads first, so it has no finding.
        if let Some(1..) = own
            && !told.contains(&declared.name_range)
        {
            report_declared(code, declared, places[0], report);
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

fn report_declared(
    code: &CodeContext<'_>,
    declared: &Declaration,
    (kind, first): (DeclarationKind, &DeclaredAt),
    report: &mut Report,
) {
    let name = known_as(declared.kind, declared.name.as_deref().unwrap_or_default());
    let Some(refused) = refusal(kind, declared.kind, &name) else { return };
    let Some(file) = code.world.code_file(&first.path) else { return };
    let Some(other) = file.manifest.declarations.get(first.index as usize) else { return };
    // Puppet reads the main manifest for every node, but other files only for a class that they should declare.
    let problem = if is_main(code, &first.path) {
        format!(
            "That one wins. If this file is read for another class, Puppet refuses it: {refused}."
        )
    } else {
        format!("If both files are read, Puppet refuses the second: {refused}.")
    };
    let first = First { path: &first.path, file: &file, range: other.name_range };
    let own = (declared.kind, &*name, declared.name_range);
    report_again(code, own, &first, (RULE.severity, problem), report);
}

/// The definition that comes first.
struct First<'a> {
    path: &'a str,
    file: &'a CodeFile,
    /// Its name.
    range: TextRange,
}

fn report_again(
    code: &CodeContext<'_>,
    (kind, name, range): (DeclarationKind, &str, TextRange),
    first: &First<'_>,
    (severity, problem): (Severity, String),
    report: &mut Report,
) {
    let directory = code.environment.directory();
    let shown = paths::below(directory, first.path).unwrap_or(first.path);
    let kind = match kind {
        DeclarationKind::Define => "defined type",
        DeclarationKind::Node => "node",
        _ => "class",
    };
    let line = first.file.line(first.range.start);
    let message = format!("{kind} `{name}` is declared in {shown}:{line} as well\n{problem}");
    let finding = report.add_as(&RULE, severity, range, message);
    finding.related.push(Related {
        path: (code.path != first.path).then(|| first.path.into()),
        range: first.range,
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
    fn node_blocks_and_defined_types() {
        check(
            r"
#- /hiera.yaml
version: 5
#- /manifests/a.pp
node 'web01', /^db\d/ { }
node default { }
node default { }
#    ^^^^^^^ error[duplicate-class]: node `default` is declared in manifests/a.pp:2 as well Puppet refuses the file: Node 'default' is already defined.
define kind() { }
#- /manifests/b.pp
node 'WEB01' { }
#    ^^^^^^^ error[duplicate-class]: node `web01` is declared in manifests/a.pp:1 as well Puppet refuses the main manifest: Node 'web01' is already defined.
node /dbd/ { }
#    ^^^^^ error[duplicate-class]: node `__node_regexp__dbd` is declared in manifests/a.pp:1 as well Puppet refuses the main manifest: Node '__node_regexp__dbd' is already defined.
node web02 { }
#- /modules/web/manifests/init.pp
class web { }
define web() { }
#      ^^^ error[duplicate-class]: defined type `web` is declared in modules/web/manifests/init.pp:1 as well Puppet refuses the file: 'web' is already defined as a class.
#- /modules/kind/manifests/init.pp
class kind { }
#     ^^^^ warning[duplicate-class]: class `kind` is declared in manifests/a.pp:4 as well That one wins. If this file is read for another class, Puppet refuses it: Definition 'kind' is already defined; cannot be redefined as a class.
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
