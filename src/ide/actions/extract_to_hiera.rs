//! Copies the default of a class parameter in a manifest to a key of the data, in the level that the user picks.
//!
//! The default stays, so nodes that do not read the level are not affected.

use std::cell::LazyCell;
use std::sync::Arc;

use super::levels::{callers_in_words, places_for};
use super::{Action, ActionContext, ActionKind};
use crate::code::CodeFile;
use crate::code::documentation::of_parameter;
use crate::code::literal::value_of;
use crate::code::roots::is_code;
use crate::data::{Format, Hash, Located, Value, render, scalar};
use crate::engine::Request;
use crate::ide::code::spot::{ClassParameter, class_parameters};
use crate::ide::consequences::consequences;
use crate::ide::edits::FileEdit;
use crate::ide::perspective::Perspective;
use crate::syntax::puppet::{Constant, ParameterDefault};

/// An action for each level of the active node that does not have the key of the class parameter under the cursor.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    if !is_code(&context.file.path) {
        return Vec::new();
    }
    find(context).unwrap_or_default()
}

fn find(context: &ActionContext<'_>) -> Option<Vec<Action>> {
    let path = &*context.file.path;
    let file = context.world.code_file(path)?;
    let at = context.range.start;
    let is_touched = |it: &ClassParameter<'_>| {
        let default = it.parameter.default.as_ref();
        it.parameter.name_range.touches(at) || default.is_some_and(|it| it.range.touches(at))
    };
    let parameter = class_parameters(&file).find(is_touched)?;
    let perspective = Perspective::of_file(context.world, path)?;
    let environment = perspective.evaluator.environment();
    let (loaded, _, index) = context.world.loaded_class(environment, &parameter.class_name())?;
    // Data sets parameters only of the class that Puppet loads.
    if *loaded != *path || index != parameter.class_index {
        return None;
    }
    let default = parameter.parameter.default.as_ref()?;
    let value = match value_for_data(default) {
        Ok(value) => value,
        Err(why) => return Some(vec![refused(why)]),
    };
    let written = written_number(default, &value);
    let comment = comment(&file, &parameter);
    let entry = Entry { key: parameter.key(), comment, value, written };
    let callers = LazyCell::new(|| callers_in_words(context, environment, &entry.key));
    let module = context.world.module_of(environment, path).map(|(name, _)| name);
    let mut actions = Vec::new();
    places_for(context, &perspective, module.as_deref(), &entry.key, |target, level| {
        let shown = perspective.shown_path(target.path);
        let text = entry.text(target.format);
        let edits = if target.format != Format::Yaml && has_other_than_string_keys(&entry.value) {
            Err(format!("{shown} can only have strings as keys."))
        } else {
            let edit = target.edit(&text, &entry.key, &entry.value);
            edit.map(|edit| vec![edit]).map_err(|why| format!("{shown} {why}."))
        };
        let title = format!("Extract `{}` to {shown} ({level})", entry.key);
        let title = match changes(context, &perspective, &entry, &edits) {
            Some(changes) => format!("{title}: {changes}{}", *callers),
            None => title,
        };
        actions.push(action(title, edits));
    });
    Some(actions)
}

/// The value that data must contain so that the parameter gets the value of the default.
fn value_for_data(default: &ParameterDefault) -> Result<Value, &'static str> {
    let constant = default.constant.as_ref();
    let value = constant.and_then(value_of);
    let value =
        value.ok_or("The default is an expression: only what is written out can go to data.")?;
    match &value {
        Value::Undef => {
            Err("The default is undef, which data cannot say: null leaves it to the default.")
        }
        value => match unsayable(value) {
            Some(why) => Err(why),
            None if has_tokens(value) => {
                Err("The default contains `%{`, which Hiera would interpolate.")
            }
            None => Ok(value.clone()),
        },
    }
}

/// Why no data can hold a value.
fn unsayable(value: &Value) -> Option<&'static str> {
    match value {
        Value::Array(items) => items.iter().find_map(|it| unsayable(&it.value)),
        Value::Hash(hash) => hash.iter().find_map(|(key, member)| match key {
            Value::String(_) | Value::Integer(_) | Value::Float(_) => {
                unsayable(&member.value.value)
            }
            _ => Some("Puppet accepts only strings and numbers as keys of a hash in data."),
        }),
        Value::Default => Some("YAML has no `default`."),
        Value::Object(_) => Some("YAML has no regular expressions."),
        _ => None,
    }
}

fn has_other_than_string_keys(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|it| has_other_than_string_keys(&it.value)),
        Value::Hash(hash) => hash.iter().any(|(key, member)| {
            key.as_str().is_none() || has_other_than_string_keys(&member.value.value)
        }),
        _ => false,
    }
}

fn has_tokens(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("%{"),
        Value::Array(items) => items.iter().any(|it| has_tokens(&it.value)),
        Value::Hash(hash) => {
            hash.iter().any(|(key, member)| has_tokens(key) || has_tokens(&member.value.value))
        }
        _ => false,
    }
}

/// The entry to add to the data.
pub(super) struct Entry {
    pub(super) key: String,
    /// The manifest's comment about the parameter.
    pub(super) comment: Option<String>,
    pub(super) value: Value,
    /// The value as a number in the notation of the manifest.
    pub(super) written: Option<String>,
}

/// A number such as `0644` as it is written, if YAML reads it alike.
fn written_number(default: &ParameterDefault, value: &Value) -> Option<String> {
    let Some(Constant::Number(written)) = &default.constant else { return None };
    let read = scalar::by_looks(&Arc::from(written.as_str())).ok()?;
    (read == *value).then(|| written.clone())
}

fn comment(file: &CodeFile, parameter: &ClassParameter<'_>) -> Option<String> {
    of_parameter(file, parameter.class, &parameter.parameter.name)
}

impl Entry {
    /// The lines for a file; JSON has no comments.
    pub(super) fn text(&self, format: Format) -> String {
        // JSON has no comments.
        let comment = self.comment.iter().filter(|_| format != Format::Json);
        let lines = comment.flat_map(|it| it.lines());
        let comment =
            lines.fold(String::new(), |text, it| text + format!("# {it}").trim_end() + "\n");
        let entry = match (format, &self.written) {
            (Format::Yaml, Some(number)) => {
                format!("{}: {number}\n", render::to_yaml_key(&Value::string(self.key.as_str())))
            }
            (Format::Yaml, None) => {
                let mut hash = Hash::with_capacity(1);
                let value = Located::new(self.value.clone(), None);
                hash.insert(Value::string(self.key.as_str()), None, value);
                let document = render::to_readable_yaml(&Value::hash(hash));
                let entry = document.strip_prefix("---\n").unwrap_or(&document);
                // The marker after a text with empty lines at its end would hide what is written below it.
                entry.strip_suffix("...\n").unwrap_or(entry).to_owned()
            }
            (Format::Json | Format::Hocon, _) => {
                let key = serde_json::Value::from(self.key.as_str());
                let value = render::to_json(&self.value);
                format!("{key}: {}", value.trim_end())
            }
        };
        comment + &entry
    }
}

/// The nodes whose parameter gets another value: none if no lower level has a value.
fn changes(
    context: &ActionContext<'_>,
    perspective: &Perspective,
    entry: &Entry,
    edits: &Result<Vec<FileEdit>, String>,
) -> Option<String> {
    let environment = perspective.evaluator.environment();
    // Nodes without data have the default now, so the edit changes nothing for a node that gets the same value.
    let default = Some(Located::new(entry.value.clone(), None));
    let request = Request { default, ..Request::key(entry.key.as_str()) };
    consequences(context.world, environment, &request, edits.as_ref().ok()?, context.cancel)
}

fn action(title: String, edits: Result<Vec<FileEdit>, String>) -> Action {
    Action::new(title, ActionKind::RefactorExtract, edits)
}

fn refused(why: &str) -> Action {
    action("Extract to Hiera".to_owned(), Err(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use crate::ide::actions::{Action, ActionKind, actions};
    use crate::ide::edits::FileChange;
    use crate::ide::fixture::Fixture;
    use crate::text::{TextRange, apply_edits};

    const DATA: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Json, path: more.json, data_hash: json_data}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}, web02: {facts: {a: 1}}}
#- /data/more.json
{\"x\": 1}
#- /data/common.yaml
y: 1
web::lower: 1
lookup_options: {web::list: {merge: unique}}
";

    fn offered(code: &str) -> (Fixture, Vec<Action>) {
        let file = format!("{DATA}#- /modules/web/manifests/init.pp\n{code}\n");
        let fixture = Fixture::parse(&file);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let range = TextRange::empty(offset);
        let wanted = [ActionKind::RefactorExtract];
        let cancel = CancelToken::default();
        let found = actions(&fixture.world(), &file.world_path(), range, &wanted, &cancel);
        (fixture, found)
    }

    #[track_caller]
    fn check_titles(code: &str, expected: &[&str]) {
        let (_, found) = offered(code);
        let titles = found.iter().map(|it| match &it.refusal {
            Some(why) => format!("({}) {why}", it.title),
            None => it.title.clone(),
        });
        assert_eq!(titles.collect::<Vec<_>>(), expected, "{code}");
    }

    /// The file's text after the action with this title.
    #[track_caller]
    fn check(code: &str, path: &str, expected: &str) {
        let (fixture, found) = offered(code);
        let action = found.iter().find(|it| it.title.contains(path)).expect("it is offered");
        let after = match &action.edits[..] {
            [edit] => match &edit.change {
                FileChange::Create(text) => text.clone(),
                FileChange::Edit(edits) => {
                    let file = fixture.file(&format!("/{path}")).expect("it is there");
                    apply_edits(&file.text, edits)
                }
            },
            edits => panic!("{edits:?}"),
        };
        assert_eq!(after, expected);
    }

    #[test]
    fn a_default_goes_to_a_level() {
        let code = "# @param port Where it\n#   listens.\nclass web(Integer $po$0rt = 80) { }";
        check_titles(
            code,
            &[
                "Extract `web::port` to data/nodes/web01.yaml (Nodes)",
                "Extract `web::port` to data/more.json (Json)",
                "Extract `web::port` to data/common.yaml (Common)",
            ],
        );
        check(code, "data/nodes/web01.yaml", "---\n# Where it\n# listens.\nweb::port: 80\n");
        check(code, "data/more.json", "{\"x\": 1, \"web::port\": 80}\n");
        let common = "y: 1\nweb::lower: 1\nlookup_options: {web::list: {merge: unique}}\n";
        let expected = format!("{common}# Where it\n# listens.\nweb::port: 80\n");
        check(code, "data/common.yaml", &expected);
    }

    #[test]
    fn files_outside_of_the_workspace_are_not_offered() {
        let hierarchy = "version: 5\nhierarchy:\n  - {name: Absolute, path: /common.yaml}\n  \
                         - {name: Common, path: common.yaml}\n";
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\n{hierarchy}#- /data/common.yaml\n{{}}\n\
             #- /modules/web/manifests/init.pp\nclass web(Integer $po$0rt = 80) {{ }}\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let (wanted, cancel) = ([ActionKind::RefactorExtract], CancelToken::default());
        let range = TextRange::empty(offset);
        let found = actions(&fixture.world(), &file.world_path(), range, &wanted, &cancel);
        let titles: Vec<_> = found.iter().map(|it| &*it.title).collect();
        assert_eq!(titles, ["Extract `web::port` to data/common.yaml (Common)"]);
    }

    #[test]
    fn values_of_all_sorts() {
        let after = |code: &str, expected: &str| {
            let common = "y: 1\nweb::lower: 1\nlookup_options: {web::list: {merge: unique}}\n";
            check(code, "data/common.yaml", &format!("{common}{expected}"));
        };
        after("class web($a = 'ye$0s') { }", "web::a: 'yes'\n");
        after("class web($a$0 = [1, 'b']) { }", "web::a:\n- 1\n- b\n");
        after("class web($a$0 = {b => {c => 0x1F}}) { }", "web::a:\n  b:\n    c: 31\n");
        after("class web($a$0 = {}) { }", "web::a: {}\n");
        after("class web($a$0 = 0644) { }", "web::a: 0644\n");
        after("class web($a$0 = { 1 => 2 }) { }", "web::a:\n  1: 2\n");
        after("class web($a$0 = [\"z\\n\"]) { }", "web::a:\n- \"z\\n\"\n");
        after("class web($a$0 = 'dbü😀') { }", "web::a: dbü😀\n");
        after("class web($a$0 = \"x\\ny\\n\\n\") { }", "web::a: |+\n  x\n  y\n\n");
    }

    #[test]
    fn whose_value_changes_is_said() {
        check_titles(
            "class web($lo$0wer = 2) { }",
            &[
                "Extract `web::lower` to data/nodes/web01.yaml (Nodes): changes the value for web01",
                "Extract `web::lower` to data/more.json (Json): changes the value for every node",
            ],
        );
    }

    #[test]
    fn keys_that_look_the_key_up_are_counted() {
        let code = "class web($lo$0wer = 2) { }\n#- /data/z.yaml\n";
        let data = DATA.replace("y: 1\n", "y: \"%{lookup('web::lower')}\"\n");
        let file = format!("{data}#- /modules/web/manifests/init.pp\n{code}\n");
        let fixture = Fixture::parse(&file);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let (wanted, cancel) = ([ActionKind::RefactorExtract], CancelToken::default());
        let range = TextRange::empty(offset);
        let found = actions(&fixture.world(), &file.world_path(), range, &wanted, &cancel);
        let titles: Vec<_> = found.iter().map(|it| &*it.title).collect();
        let said = "changes the value for every node; 1 other key looks it up";
        assert_eq!(titles[1], format!("Extract `web::lower` to data/more.json (Json): {said}"));
    }

    #[test]
    fn what_cannot_go_to_data_says_why() {
        let expression = "(Extract to Hiera) The default is an expression: only what is written out can go to data.";
        check_titles("class web($a$0 = $facts['x']) { }", &[expression]);
        let undef = "(Extract to Hiera) The default is undef, which data cannot say: null leaves it to the default.";
        check_titles("class web($a$0 = undef) { }", &[undef]);
        let why = "(Extract to Hiera) YAML has no regular expressions.";
        check_titles("class web($a$0 = [/x/]) { }", &[why]);
        check_titles(
            "class web($a$0 = { a => default }) { }",
            &["(Extract to Hiera) YAML has no `default`."],
        );
        let why =
            "(Extract to Hiera) Puppet accepts only strings and numbers as keys of a hash in data.";
        check_titles("class web($a$0 = { true => 1 }) { }", &[why]);
        let token = "(Extract to Hiera) The default contains `%{`, which Hiera would interpolate.";
        check_titles("class web($a$0 = ['%{x}']) { }", &[token]);
        check_titles("class web($a$0) { }", &[]);
        check_titles("define web::d($a$0 = 1) { }", &[]);
        check_titles("class web($a = 1) { $0 }", &[]);
    }
}
