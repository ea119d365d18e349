//! The class parameter that a key sets: its type, its default, and what its comment says.

use std::fmt::Write as _;
use std::sync::Arc;

use super::perspective::Perspective;
use crate::code::CodeFile;
use crate::code::documentation::of_parameter;
use crate::data::{Files as _, Place};
use crate::syntax::puppet::Parameter;

/// Longer types and defaults are cut.
const MAX_TEXT: usize = 200;

/// A line of Markdown about the parameter that `key` sets; `None` if it sets none.
pub(super) fn note(perspective: &Perspective, key: &str) -> Option<String> {
    let (class_name, name) = key.rsplit_once("::")?;
    let environment = perspective.evaluator.environment();
    let (path, file, index) = perspective.world.loaded_class(environment, class_name)?;
    let class = file.manifest.declarations.get(index)?;
    let parameter = class.parameters.iter().find(|it| it.name == name)?;
    let place = Place { file: perspective.world.id(&path), range: parameter.name_range };
    let place = perspective.shown_place(place);
    let mut text = format!("Parameter of class `{class_name}` (`{place}`)");
    text += &written(&file, parameter);
    if let Some(documentation) = of_parameter(&file, class, name) {
        let _ = write!(text, ". {documentation}");
    }
    Some(text)
}

fn written(file: &Arc<CodeFile>, parameter: &Parameter) -> String {
    let mut text = String::new();
    if let Some(range) = parameter.type_range {
        let _ = write!(text, ": {}", code(file.slice(range)));
    }
    match &parameter.default {
        Some(default) => {
            let _ = write!(text, ", default {}", code(file.slice(default.range)));
        }
        None => text += ", no default",
    }
    text
}

/// Code in one line between marks that it does not hold.
pub(super) fn code(text: &str) -> String {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(at);
        text.push('…');
    }
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use crate::ide::fixture::Fixture;
    use crate::ide::hover;

    #[track_caller]
    fn check(key: &str, code: &str, expected: Option<&str>) {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: Common, path: common.yaml}}]\n\
             #- {code}\n#- /data/common.yaml\n{key}$0: 8080\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let shown = hover(&fixture.world(), &file.world_path(), offset).expect("a hover").markdown;
        let found = shown.lines().find(|line| line.contains("Parameter of class"));
        assert_eq!(found.map(|it| it.trim_start_matches(['-', ' '])), expected, "{shown}");
    }

    const WEB: &str = "/modules/web/manifests/server.pp\n# @param port Where it listens.\n\
                       class web::server(\n  Integer[1,\n    65535] $port = 80, $bare,\n) { }";

    #[test]
    fn the_parameter_is_shown_with_its_comment() {
        check(
            "web::server::port",
            WEB,
            Some(
                "Parameter of class `web::server` (`modules/web/manifests/server.pp:4`): `Integer[1, 65535]`, \
                 default `80`. Where it listens.",
            ),
        );
        check(
            "web::server::bare",
            WEB,
            Some(
                "Parameter of class `web::server` (`modules/web/manifests/server.pp:4`), no default",
            ),
        );
        check("web::server::other", WEB, None);
        check("web::port", WEB, None);
    }

    #[test]
    fn a_class_in_the_file_of_a_class_above_is_found() {
        let code = "/modules/web/manifests/init.pp\nclass web { class server($port) { } }";
        let expected =
            "Parameter of class `web::server` (`modules/web/manifests/init.pp:1`), no default";
        check("web::server::port", code, Some(expected));
    }

    #[test]
    fn a_class_of_the_main_manifest_wins() {
        let code = "/modules/web/manifests/init.pp\nclass web($port = 1) { }\n\
                    #- /manifests/site.pp\nclass web($port = 2) { }";
        let expected = "Parameter of class `web` (`manifests/site.pp:1`), default `2`";
        check("web::port", code, Some(expected));
    }
}
