//! Offers the `node_name` pattern that the names of the data files suggest: in `hiera.yaml`, and in the project file.

use super::{Action, ActionContext, ActionKind};
use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::ide::edits::FileEdit;
use crate::settings::PROJECT_FILE;
use crate::text::{TextEdit, TextRange};
use crate::world::paths;

/// One action, if the settings have no pattern yet and the names fit one.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    find(context).into_iter().collect()
}

fn find(context: &ActionContext<'_>) -> Option<Action> {
    let (world, path) = (context.world, &*context.file.path);
    let environments = world.environments();
    let is_config = |it: &Environment| paths::join(it.directory(), "hiera.yaml") == path;
    let environment = match paths::file_name(path) {
        PROJECT_FILE => environments.first()?,
        "hiera.yaml" => environments.iter().find(|it| is_config(it))?,
        _ => return None,
    };
    let suggestion = world.suggested_name_pattern(environment)?;
    // Patterns contain backslashes, which only single quotes keep as they are.
    let line = format!("node_name: '{}'\n", suggestion.pattern.replace('\'', "''"));
    let directory = world.folders().iter().find(|folder| paths::below(folder, path).is_some())?;
    let project = paths::join(directory, PROJECT_FILE);
    let edit = if world.kind(&project) == PathKind::File {
        let text = world.text(&project).ok()?;
        let lead = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let end = TextRange::empty(text.len() as u32);
        FileEdit::new(project, vec![TextEdit::replace(end, format!("{lead}{line}"))])
    } else {
        FileEdit::create(project, line)
    };
    Some(Action {
        title: format!("Read facts out of the names of nodes: {}", suggestion.effect()),
        kind: ActionKind::Refactor,
        edits: vec![edit],
        fixes: Vec::new(),
        is_preferred: false,
        refusal: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use crate::ide::actions::{ActionKind, actions};
    use crate::ide::edits::{FileChange, FileEdit};
    use crate::ide::fixture::Fixture;
    use crate::text::{TextRange, apply_edits};

    const FILES: &str = "
#- /data/nodes/web01.yaml
a: 1
#- /data/nodes/web02.yaml
a: 1
#- /data/nodes/db01.yaml
a: 1
#- /data/roles/web.yaml
a: 1
#- /data/roles/db.yaml
a: 1
";

    const HIERA_YAML: &str = "#- /hiera.yaml\n$0version: 5\nhierarchy:\n\
                              - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                              - {name: r, path: 'roles/%{role}.yaml'}\n";

    /// The titles, and the resulting project file.
    fn offered(fixture: &str) -> (Vec<String>, Vec<FileEdit>) {
        let fixture = Fixture::parse(&format!("{FILES}{fixture}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let kinds = [ActionKind::Refactor];
        let range = TextRange::empty(offset);
        let cancel = CancelToken::default();
        let found = actions(&fixture.world(), &file.world_path(), range, &kinds, &cancel);
        let titles = found.iter().map(|it| it.title.clone()).collect();
        (titles, found.into_iter().flat_map(|it| it.edits).collect())
    }

    const TITLE: &str = "Read facts out of the names of nodes: proves role for 3 of 3 nodes";

    #[test]
    fn a_project_file_is_made_or_gets_a_line() {
        let (titles, edits) = offered(HIERA_YAML);
        assert_eq!(titles, [TITLE]);
        let [FileEdit { change: FileChange::Create(text), .. }] = &edits[..] else {
            panic!("{edits:?}");
        };
        assert!(text.starts_with("node_name: '(?<role>"), "{text}");
        let hiera_yaml = HIERA_YAML.replace("$0", "");
        let (titles, edits) =
            offered(&format!("{hiera_yaml}#- /.hiera-ls.yaml\n$0puppetVersion: 7\n"));
        assert_eq!(titles, [TITLE]);
        let [FileEdit { change: FileChange::Edit(edits), .. }] = &edits[..] else {
            panic!("{edits:?}");
        };
        let after = apply_edits("puppetVersion: 7\n", edits);
        assert!(after.starts_with("puppetVersion: 7\nnode_name: '"), "{after}");
    }

    #[test]
    fn not_where_there_is_a_pattern_already() {
        let settings = "#- /.hiera-ls.yaml\nnode_name: '(?<role>[a-z]+)\\d+'\n";
        assert_eq!(offered(&format!("{HIERA_YAML}{settings}")).0, [""; 0]);
    }
}
