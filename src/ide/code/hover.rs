//! Hover in Puppet code: the value of a class parameter or a lookup for the active node, or its cases.

use std::fmt::Write as _;

use indexmap::IndexMap;

use super::given;
use super::lookup_call::LookupCall;
use super::spot::{ClassParameter, CodeSpot, spot};
use crate::binding::{self, BoundCase, ParameterType, Verdict};
use crate::code::CodeFile;
use crate::code::lookup_arguments;
use crate::code::summary::KeyPattern;
use crate::data::{Located, puppet_type};
use crate::engine::Condition;
use crate::engine::cases::in_words;
use crate::ide::changes::counted;
use crate::ide::class_parameter;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::hover::markup::{code, plain};
use crate::ide::hover::{AskedKey, Hover, Otherwise, asked_key_text};
use crate::ide::perspective::Perspective;
use crate::syntax::puppet::{Call, CalledName};

/// The maximum number of keys that are listed for a key with expressions.
const MAX_MATCHING_KEYS: usize = 12;

/// The maximum number of cases that are named for an error about a type.
const MAX_REFUSED_CASES: usize = 3;

/// The hover at `offset` (bytes) of the Puppet code at `path`.
pub(in crate::ide) fn hover(perspective: &Perspective, path: &str, offset: u32) -> Option<Hover> {
    let file = perspective.world.code_file(path)?;
    let spot = spot(&file, offset)?;
    let (markdown, range) = match &spot {
        CodeSpot::Parameter(parameter) => {
            let text = parameter_text(perspective, path, &file, parameter);
            (text, parameter.parameter.name_range)
        }
        CodeSpot::Key { call, name } => {
            (lookup_text(perspective, path, &file, (call, name)), name.range)
        }
        CodeSpot::DynamicKey { call, range } => (dynamic_text(perspective, call), *range),
        CodeSpot::Class(_) => return None,
    };
    Some(Hover { markdown, range })
}

/// The value that Puppet finds for a class parameter. If it is null, the default is used.
fn parameter_text(
    perspective: &Perspective,
    path: &str,
    file: &CodeFile,
    spot: &ClassParameter<'_>,
) -> String {
    let key = spot.key();
    let default = spot.parameter.default.as_ref();
    let otherwise = match default {
        Some(default) => Otherwise::ParameterDefault(file.slice(default.range).to_owned()),
        None => Otherwise::Required,
    };
    let given = given::note(perspective, &spot.class_name(), &spot.parameter.name);
    let mut notes = refusals(perspective, file, spot);
    notes.extend(given);
    let asked = AskedKey { otherwise, notes, ..AskedKey::new(&key) };
    let text = asked_key_text(perspective, &asked);
    match other_declaration(perspective, path, spot) {
        Some(place) => format!("{text}\n\nPuppet loads this class from {}.", code(&place)),
        None => text,
    }
}

/// Puppet's errors about the type of the value, and in which cases the value has it.
fn refusals(perspective: &Perspective, file: &CodeFile, spot: &ClassParameter<'_>) -> Vec<String> {
    let aliases = perspective.world.type_aliases(perspective.evaluator.environment());
    let wanted = ParameterType::of_parameter(file, spot.parameter, &aliases);
    // It is the answer that the hover shows, so nothing is looked up twice.
    let answer = perspective.answer(&spot.key());
    let cases = answer.each_case();
    let mut refused: IndexMap<String, Vec<&[Condition]>> = IndexMap::new();
    for (conditions, answer) in &cases {
        let case = BoundCase::new(spot.parameter, &wanted, conditions, answer);
        if let Verdict::Misfit(_) = case.verdict {
            for message in case.verdict.messages(&spot.parameter.name) {
                refused.entry(message).or_default().push(conditions);
            }
        }
    }
    let note = |(message, refused): (String, Vec<&[Condition]>)| {
        let is_always = refused.len() == cases.len() && answer.left_out.is_empty();
        let when = if is_always { String::new() } else { in_cases(&refused) };
        format!("Puppet refuses the value{when}: {}", code(&message))
    };
    refused.into_iter().map(note).collect()
}

/// ` if role is web, or if role is db, or in 2 more cases, or otherwise`
fn in_cases(cases: &[&[Condition]]) -> String {
    let others: Vec<_> = cases.iter().filter(|it| !it.is_empty()).collect();
    let shown = others.iter().take(MAX_REFUSED_CASES);
    let mut words: Vec<String> = shown.map(|it| format!("if {}", plain(&in_words(it)))).collect();
    if let more @ 1.. = others.len().saturating_sub(MAX_REFUSED_CASES) {
        words.push(format!("in {}", counted(more, "more case")));
    }
    if others.len() < cases.len() {
        words.push("otherwise".to_owned());
    }
    format!(" {}", words.join(", or "))
}

/// Where the class is loaded from, if not from this file.
fn other_declaration(
    perspective: &Perspective,
    path: &str,
    spot: &ClassParameter<'_>,
) -> Option<String> {
    let environment = perspective.evaluator.environment();
    let (loaded, _, index) = perspective.world.loaded_class(environment, &spot.class_name())?;
    let is_here = &*loaded == path && index == spot.class_index;
    (!is_here).then(|| perspective.shown_path(&loaded))
}

/// The result of a call with a constant key.
fn lookup_text(
    perspective: &Perspective,
    path: &str,
    file: &CodeFile,
    (call, name): (&Call, &CalledName),
) -> String {
    let LookupCall { mut request, default_code, open, .. } = match LookupCall::of(file, call) {
        Ok(asked) => asked,
        Err(lookup_arguments::Refused) => {
            return format!(
                "Puppet refuses this call: {}() does not accept these arguments.",
                call.function
            );
        }
    };
    let mut notes = Vec::new();
    let aliases = perspective.world.type_aliases(perspective.evaluator.environment());
    // The lookup would fail because of a name that is not defined here, although a server may have it.
    let is_checkable = |it: &mut String| aliases.parse(it).is_ok_and(|it| !it.names_unknown());
    if let Some(value_type) = request.value_type.take_if(|it| !is_checkable(it)) {
        notes.push(format!("Not checked: the type {}", class_parameter::code(&value_type)));
    }
    // YAML has no form for `default` and regular expressions.
    let is_shown_as_code = |it: &mut Located| {
        let fits =
            |wanted: &str| puppet_type::check_type(wanted, Some(&aliases), "", &it.value).is_ok();
        !puppet_type::is_data(&it.value) && request.value_type.as_deref().is_none_or(fits)
    };
    request.default.take_if(is_shown_as_code);
    request.type_aliases = Some(aliases);
    let brings_values = request.default.is_some()
        || !(request.default_values.is_empty() && request.overrides.is_empty());
    let otherwise = match default_code {
        Some(code) => Otherwise::CallDefault(code),
        None => Otherwise::Fails,
    };
    let asked = AskedKey {
        request: Some(request),
        caller: binding::caller_at(perspective.evaluator.environment(), path, file, call.position),
        otherwise,
        brings_values,
        proviso: proviso(&open),
        notes,
        ..AskedKey::new(&name.text)
    };
    asked_key_text(perspective, &asked)
}

fn proviso(open: &[String]) -> Option<String> {
    (!open.is_empty()).then(|| {
        format!(
            "Not known, because hiera-ls does not evaluate code: {}. The constant parts give:",
            open.join(", ")
        )
    })
}

/// The keys of the data that match a key with expressions.
fn dynamic_text(perspective: &Perspective, call: &Call) -> String {
    let parts = call.pattern.iter().flatten();
    let shown: String = parts.map(|it| it.as_deref().unwrap_or("…")).collect();
    let mut text =
        format!("**{}**: not known, because hiera-ls does not evaluate code.\n", code(&shown));
    let pattern = KeyPattern::of(call);
    if pattern.is_anything() {
        return text.trim_end().to_owned();
    }
    let mut keys = perspective.world.all_keys(perspective.evaluator.environment());
    keys.retain(|it| &**it != LOOKUP_OPTIONS && pattern.matches(it));
    if keys.is_empty() {
        return text + "\nNo key of the data matches.";
    }
    text += "\nThese keys of the data match:\n\n";
    for key in keys.iter().take(MAX_MATCHING_KEYS) {
        let _ = writeln!(text, "- {}", code(key));
    }
    if keys.len() > MAX_MATCHING_KEYS {
        let _ = write!(text, "\nand {} more", keys.len() - MAX_MATCHING_KEYS);
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use expect_test::{Expect, expect};

    use crate::ide::fixture::Fixture;
    use crate::ide::hover;

    const DATA: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.yaml}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
#- /data/nodes/web01.yaml
web::port: 8080
web::gone: ~
list: [1]
over: 1
#- /data/common.yaml
lookup_options: {list: {merge: unique}, over: {merge: unique}}
web::port: 80
list: [2]
scalar: one
env::a::x: 1
env::b::x: 2
asking: \"%{lookup('over')}\"
";

    #[track_caller]
    fn check(file: &str, code: &str, expected: &Expect) {
        check_in(DATA, file, code, expected);
    }

    #[track_caller]
    fn check_in(data: &str, file: &str, code: &str, expected: &Expect) {
        let fixture = Fixture::parse(&format!("{data}#- {file}\n{code}\n"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let shown =
            match hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default()) {
                Some(hover) => {
                    format!("{}\n---\n{}", hover.range.slice(&file.text), hover.markdown)
                }
                None => "nothing".to_owned(),
            };
        expected.assert_eq(&shown);
    }

    /// Only the hover's text about the value: its first block and notes.
    #[track_caller]
    fn value(call: &str, expected: &str) {
        let fixture = Fixture::parse(&format!("{DATA}#- /manifests/site.pp\n$x = {call}\n"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let markdown = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
            .expect("a key")
            .markdown;
        let is_about_value = |it: &&str| {
            !it.is_empty() && !it.starts_with("**") && !it.starts_with("```") && {
                let is_place = it.contains("· `");
                !is_place && !it.starts_with("Merge strategy")
            }
        };
        let lines: Vec<_> = markdown.lines().filter(is_about_value).collect();
        assert_eq!(lines.join(" / "), expected, "{markdown}");
    }

    const INIT: &str = "/modules/web/manifests/init.pp";

    #[test]
    fn a_parameter_with_data() {
        check(
            INIT,
            "class web(Integer $po$0rt = 1) { }",
            &expect![[r#"
                $port
                ---
                **`web::port`** for node `web01`, environment `production`

                ```yaml
                8080
                ```

                Merge strategy `first`, by default

                1. **level "Nodes" · `data/nodes/web01.yaml:1`**
                2. level "Common" · `data/common.yaml:2` · overridden"#]],
        );
    }

    #[test]
    fn a_parameter_without_data() {
        check(
            INIT,
            "class web($other$0 = $facts['a']) { }",
            &expect![[r"
                $other
                ---
                **`web::other`** for node `web01`, environment `production`

                No data: the default `$facts['a']` is used."]],
        );
        check(
            INIT,
            "class web($other$0) { }",
            &expect![[r"
                $other
                ---
                **`web::other`** for node `web01`, environment `production`

                No data and no default: the class must be given a value."]],
        );
        check(
            INIT,
            "class web($gone$0 = 7) { }",
            &expect![[r#"
                $gone
                ---
                **`web::gone`** for node `web01`, environment `production`

                The data has null: the default `7` is used.

                1. **level "Nodes" · `data/nodes/web01.yaml:2`**"#]],
        );
    }

    /// The notes about values that Puppet refuses.
    #[track_caller]
    fn refused(data: &str, parameter: &str, expected: &[&str]) {
        let file = format!("{INIT}\nclass web({parameter}) {{ }}\n");
        let fixture = Fixture::parse(&format!("{data}#- {file}"));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let markdown = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
            .expect("a parameter")
            .markdown;
        let notes: Vec<_> =
            markdown.lines().filter(|it| it.starts_with("Puppet refuses")).collect();
        assert_eq!(notes, expected, "{markdown}");
    }

    #[test]
    fn a_value_that_the_type_refuses() {
        let wants = |it: &str, got: &str| {
            format!("Puppet refuses the value: `parameter 'port' expects {it}, got {got}`")
        };
        refused(DATA, "String $port$0", &[&wants("a String value", "Integer")]);
        refused(DATA, "Integer $port$0", &[]);
        refused(DATA, "$port$0", &[]);
        refused(DATA, "No::Such $port$0", &[]);
        refused(
            DATA,
            "Integer[9000, 9010] $port$0 = 9001",
            &[&wants("an Integer[9000, 9010] value", "Integer[8080, 8080]")],
        );
        // The default is used instead of null.
        refused(DATA, "Integer $gone$0 = 7", &[]);
        let default =
            "Puppet refuses the value: `parameter 'gone' expects an Integer value, got String`";
        refused(DATA, "Integer $gone$0 = 'x'", &[default]);
        refused(DATA, "Integer $gone$0 = $x", &[]);
        refused(DATA, "Integer $nothing$0", &[]);
        let open =
            DATA.replace("node: web01\n", "").replace("web::port: 80\n", "web::port: '80'\n");
        let other = |when: &str, got: &str, wants: &str| {
            format!(
                "Puppet refuses the value {when}: `parameter 'port' expects {wants} value, got {got}`"
            )
        };
        refused(&open, "Integer $port$0", &[&other("otherwise", "String", "an Integer")]);
        let when = "if trusted.certname is web01";
        refused(&open, "String $port$0", &[&other(when, "Integer", "a String")]);
    }

    #[test]
    fn values_that_code_gives_are_named() {
        check(
            INIT,
            "class web($port$0) { }\n#- /manifests/site.pp\n\nclass { '::web': port => 1 }\n\
             class { 'other': port => 1 }\nclass { ['x', 'web']: * => $h }\nclass { 'web': port => undef }\n\
             class { default: port => 2; 'web': port => undef; }",
            &expect![[r#"
                $port
                ---
                **`web::port`** for node `web01`, environment `production`

                ```yaml
                8080
                ```

                Merge strategy `first`, by default

                1. **level "Nodes" · `data/nodes/web01.yaml:1`**
                2. level "Common" · `data/common.yaml:2` · overridden

                Set in `manifests/site.pp:2`, `manifests/site.pp:4`: if that code declares the class, its value wins over data."#]],
        );
    }

    #[test]
    fn a_default_is_not_converted() {
        let data =
            DATA.replace("lookup_options: {", "lookup_options: {'^web::': {convert_to: String}, ");
        check_in(
            &data,
            INIT,
            "class web($other$0 = 1) { }",
            &expect![[r"
                $other
                ---
                **`web::other`** for node `web01`, environment `production`

                No data: the default `1` is used."]],
        );
    }

    #[test]
    fn only_parameters_of_classes_are_looked_up() {
        check("/modules/web/manifests/d.pp", "define web::d($po$0rt = 1) { }", &expect!["nothing"]);
        check(INIT, "class web($port = $a$0) { }", &expect!["nothing"]);
    }

    #[test]
    fn a_class_that_puppet_loads_from_elsewhere_says_so() {
        check(
            INIT,
            "class web($other$0) { }\n#- /manifests/site.pp\nclass web($other) { }",
            &expect![[r"
                $other
                ---
                **`web::other`** for node `web01`, environment `production`

                No data and no default: the class must be given a value.

                Puppet loads this class from `manifests/site.pp`."]],
        );
    }

    #[test]
    fn without_a_node_the_cases_are_shown() {
        let data = DATA.replace("node: web01\n", "");
        let data = data.replace("web::port: 80\n", "");
        check_in(
            &data,
            INIT,
            "class web(Integer $po$0rt = 1) { }",
            &expect![[r"
                $port
                ---
                **`web::port`** for any node

                No data: the default `1` is used, except in these cases:

                - `8080` if trusted.certname is web01 (`data/nodes/web01.yaml:1`)"]],
        );
    }

    /// A level that some nodes read may have the key that has a default in the call.
    #[test]
    fn without_a_node_the_call_gives_the_value_only_where_no_level_has_the_key() {
        check_in(
            &DATA.replace("node: web01\n", "").replace("8080", "8080\nown: 2"),
            INIT,
            "class web($port = lookup('ow$0n', default_value => 1)) { }",
            &expect![[r"
                'own'
                ---
                **`own`** for any node

                ```yaml
                1
                ```

                - `2` if trusted.certname is web01 (`data/nodes/web01.yaml:2`)

                Where no level has the key, the value comes from the call itself."]],
        );
    }

    #[test]
    fn a_call_s_own_merge_and_default_count() {
        value("lookup('li$0st')", "- 1 / - 2");
        value("lookup('list$0', Array, first)", "- 1");
        value("lookup('web::gone$0', Any, first, 3)", "~");
        value("hiera('lis$0t')", "- 1");
        value("hiera_array('sca$0lar')", "- one");
        value("lookup('none$0')", "Not found: a lookup of this key fails.");
        value(
            "lookup('none$0', Any, first, [3])",
            "- 3 / The value comes from the call itself, not from data.",
        );
        value(
            "lookup('none$0', {default_values_hash => {none => 4}, default_value => 5})",
            "4 / The value comes from the call itself, not from data.",
        );
        // A default does not help if the lookup fails.
        let fails = "A lookup of this key fails at `data/common.yaml:4`: / Data Provider type mismatch: Got String when a hash-like object was \
                     expected to access value using 'x' from key 'scalar.x'";
        value("lookup('scalar.$0x', Any, first, 3)", fails);
        value("lookup('none$0', Any, first, $y)", "No data: the default `$y` is used.");
        value("lookup('none$0', Any, first, default)", "No data: the default `default` is used.");
        value("hiera('none$0', [/x/])", "No data: the default `[/x/]` is used.");
        value("lookup('scalar$0', {default_value => /x/})", "one");
        let wrong = "This call fails: / Default value has wrong type, expects an Integer value, got Default";
        value("lookup('none$0', Integer, first, default)", wrong);
        value("lookup('none$0') |$k| { $k }", "No data: the block of the call gives the value.");
        value("lookup(['none', 'sc$0alar'])", "one");
        value("lookup(asking$0, {override => {over => 9}})", "'9'");
        value(
            "lookup('over$0', {override => {over => 9}, merge => hash})",
            "9 / The value comes from the call itself, not from data.",
        );
        value("'scal$0ar'.lookup(String)", "one");
    }

    #[test]
    fn a_merge_that_a_call_sets() {
        check(
            "/modules/web/manifests/a.pp",
            "class web::a { lookup('web::po$0rt', Any, 'unique') }",
            &expect![[r#"
                'web::port'
                ---
                **`web::port`** for node `web01`, environment `production`

                ```yaml
                - 8080
                - 80
                ```

                Merge strategy `unique`, set by the call

                1. level "Nodes" · `data/nodes/web01.yaml:1`
                2. level "Common" · `data/common.yaml:2`"#]],
        );
    }

    #[test]
    fn types_are_checked_as_far_as_they_are_known() {
        value(
            "lookup('scal$0ar', Integer)",
            "This call fails: / Found value has wrong type, expects an Integer value, got String",
        );
        value("lookup('scalar$0', Stdlib::Port)", "one / Not checked: the type `Stdlib::Port`");
        value("lookup('scalar$0', Enum[$x])", "one / Not checked: the type `Enum[$x]`");
    }

    #[test]
    fn what_is_not_constant_is_said_not_to_be_known() {
        value(
            "lookup('scalar$0', Any, $m)",
            "Not known, because hiera-ls does not evaluate code: the merge is `$m`. The constant parts give: / one",
        );
        value(
            "lookup('scalar$0', 'x')",
            "Puppet refuses this call: lookup() does not accept these arguments.",
        );
        value(
            "lookup(\"env::${y}::$0x\")",
            "These keys of the data match: / - `env::a::x` / - `env::b::x`",
        );
    }

    #[test]
    fn templates_and_functions_look_up_too() {
        check(
            "/modules/web/templates/a.epp",
            "<%- | $p | -%>\n<%= lookup('scal$0ar') %>",
            &expect![[r#"
                'scalar'
                ---
                **`scalar`** for node `web01`, environment `production`

                ```yaml
                one
                ```

                1. **level "Common" · `data/common.yaml:4`**"#]],
        );
    }
}
