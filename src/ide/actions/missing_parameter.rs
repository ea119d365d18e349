//! Adds a key for a class parameter without a value to the level that the user picks, with a value of the parameter's type.

use super::extract_to_hiera::Entry;
use super::levels::places_for;
use super::{Action, ActionContext, ActionKind};
use crate::code::roots::is_code;
use crate::data::puppet_type::{Misfit, evaluate, fit};
use crate::data::{Value, render};
use crate::ide::diagnostics::{Missing, missing_in};
use crate::ide::flow_yaml::flow_text;
use crate::ide::perspective::Perspective;

/// The maximum number of places that are offered for a parameter.
const MAX_PLACES: usize = 12;

/// The maximum number of characters of a value that are shown in a title.
const MAX_SHOWN: usize = 40;

/// An action for each level of the node that lacks the value.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let path = &*context.file.path;
    if !is_code(path)
        || !context.touched_diagnostics().any(|it| it.code == "missing-required-parameter")
    {
        return Vec::new();
    }
    let mut actions = Vec::new();
    for missing in missing_in(context.world, path) {
        let mut findings = context.touched_diagnostics();
        let Some(finding) = findings.find(|it| missing.is_reported_by(it)) else { continue };
        for parameter in missing.listed_parameters() {
            let offered = places(context, &missing, parameter).into_iter();
            actions.extend(offered.map(|it| Action { fixes: vec![finding.clone()], ..it }));
        }
    }
    actions
}

fn places(context: &ActionContext<'_>, missing: &Missing, parameter: &str) -> Vec<Action> {
    let Some(environment) = context.world.environment_of(&context.file.path) else {
        return Vec::new();
    };
    let evaluator = context.world.quiet_evaluator(&environment, &missing.node);
    let perspective = Perspective::hiding(context.world, evaluator);
    let value = placeholder(context, missing, parameter);
    let key = &missing.class.key_of(parameter);
    let mut actions = Vec::new();
    places_for(context, &perspective, None, key, |target, level| {
        let shown = perspective.shown_path(target.path);
        let (what, edits) = match &value {
            Ok(value) => {
                let (key_text, own) = (key.clone(), value.clone());
                let entry = Entry { key: key_text, comment: None, value: own, written: None };
                let edit = target.edit(&entry.text(target.format), key, value);
                let edits = edit.map(|edit| vec![edit]).map_err(|why| format!("{shown} {why}."));
                (format!("`{key}` with the placeholder `{}`", brief(value)), edits)
            }
            Err(why) => (format!("`{key}`"), Err(why.clone())),
        };
        let title = format!("Add {what} to {shown} ({level})");
        actions.push(Action::new(title, ActionKind::QuickFix, edits));
    });
    actions.truncate(MAX_PLACES);
    actions
}

/// A value that the parameter's type accepts. `Err` is a sentence that says why there is none.
fn placeholder(
    context: &ActionContext<'_>,
    missing: &Missing,
    parameter: &str,
) -> Result<Value, String> {
    let unknown = Value::string("changeme");
    let Some(environment) = context.world.environment_of(&context.file.path) else {
        return Ok(unknown);
    };
    let aliases = context.world.type_aliases(&environment);
    let parameter = missing.class.parameter(parameter);
    let written = parameter.and_then(|it| it.type_range).map(|it| missing.class.file.slice(it));
    let Some((written, Ok(wanted))) = written.map(|it| (it, evaluate(it, &aliases))) else {
        return Ok(unknown);
    };
    // Of a type whose module is not installed here, nothing is known.
    let is_unresolved =
        || fit(&wanted, &unknown).is_ok_and(|it| it.misfits.iter().any(Misfit::is_unresolved));
    match wanted.example() {
        Some(example) => Ok(example),
        None if is_unresolved() => Ok(unknown),
        None => Err(format!("hiera-ls finds no value that `{written}` accepts.")),
    }
}

/// A value on one line, cut off if it is long.
fn brief(value: &Value) -> String {
    let text = match value {
        Value::String(text) => flow_text(text),
        other => render::to_json(other),
    };
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use crate::ide::actions::{Action, ActionKind, actions};
    use crate::ide::edits::FileChange;
    use crate::ide::fixture::Fixture;
    use crate::text::{TextRange, apply_edits};

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
nodes: {web01: {facts: {a: 1}}}
#- /data/common.yaml
x: 1
#- /modules/web/types/port.pp
type Web::Port = Integer[1024, 65535]
#- /modules/web/manifests/init.pp
class web(Web::Port $port, Hash[String, Struct[{root => String}]] $sites) { }
#- /manifests/site.pp
include we$0b
";

    fn offered() -> (Fixture, Vec<Action>) {
        offered_in(FILES)
    }

    fn offered_in(files: &str) -> (Fixture, Vec<Action>) {
        let fixture = Fixture::parse(files);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let (range, cancel) = (TextRange::empty(offset), CancelToken::default());
        let wanted = [ActionKind::QuickFix];
        let found = actions(&fixture.world(), &file.world_path(), range, &wanted, &cancel);
        let found = found.into_iter().filter(|it| it.title.starts_with("Add"));
        (fixture, found.collect())
    }

    #[test]
    fn the_levels_of_the_node_are_offered() {
        let (_, found) = offered();
        let titles: Vec<_> = found.iter().map(|it| it.title.as_str()).collect();
        let expected = [
            "Add `web::port` with the placeholder `1024` to data/nodes/web01.yaml (Nodes)",
            "Add `web::port` with the placeholder `1024` to data/common.yaml (Common)",
            "Add `web::sites` with the placeholder `{\"changeme\":{\"root\":\"changeme\"}}` to data/nodes/web01.yaml (Nodes)",
            "Add `web::sites` with the placeholder `{\"changeme\":{\"root\":\"changeme\"}}` to data/common.yaml (Common)",
        ];
        assert_eq!(titles, expected);
        assert!(found.iter().all(|it| it.fixes.len() == 1), "each belongs to the finding");
    }

    #[test]
    fn a_type_without_a_known_value_gets_none() {
        let files = FILES.replace("Web::Port $port", "Pattern[/^x/] $port");
        let (_, found) = offered_in(&files);
        assert_eq!(found[0].title, "Add `web::port` to data/nodes/web01.yaml (Nodes)");
        let why = "hiera-ls finds no value that `Pattern[/^x/]` accepts.";
        assert_eq!(found[0].refusal.as_deref(), Some(why));
        // The module of the type is not here.
        let (_, found) = offered_in(&FILES.replace("Web::Port $port", "Stdlib::Port $port"));
        let title =
            "Add `web::port` with the placeholder `changeme` to data/nodes/web01.yaml (Nodes)";
        assert_eq!((&*found[0].title, &found[0].refusal), (title, &None));
    }

    #[test]
    fn the_value_has_the_shape_of_the_type() {
        let (fixture, found) = offered();
        let after = |action: &Action| match &action.edits[..] {
            [edit] => match &edit.change {
                FileChange::Create(text) => text.clone(),
                FileChange::Edit(edits) => {
                    let file = fixture.file("/data/common.yaml").expect("it is there");
                    apply_edits(&file.text, edits)
                }
            },
            edits => panic!("{edits:?}"),
        };
        assert_eq!(after(&found[0]), "---\nweb::port: 1024\n");
        let expected = "x: 1\nweb::sites:\n  changeme:\n    root: changeme\n";
        assert_eq!(after(&found[3]), expected);
    }
}
