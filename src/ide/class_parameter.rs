//! The class parameter that a key sets: its type, its default, its comment, and what sets it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::code::given;
use super::hover::markup;
use super::perspective::Perspective;
use crate::binding::ParameterType;
use crate::code::CodeFile;
use crate::code::documentation::of_parameter;
use crate::config::Environment;
use crate::data::{Files as _, Place, Value};
use crate::engine::Answer;
use crate::syntax::puppet::{Declaration, Parameter};
use crate::text::TextRange;
use crate::world::World;

/// Longer types and defaults are truncated.
const MAX_TEXT: usize = 200;

/// A parameter of a class that Puppet loads, and that data can set.
pub(super) struct ClassParameter {
    /// The manifest that declares the class.
    pub(super) path: Arc<str>,
    file: Arc<CodeFile>,
    class: usize,
    number: usize,
}

impl ClassParameter {
    /// The parameter that `key` sets; `None` if it sets none.
    pub(super) fn of_key(world: &World, environment: &Environment, key: &str) -> Option<Self> {
        let (class_name, name) = key.rsplit_once("::")?;
        let (path, file, class) = world.loaded_class(environment, class_name)?;
        let number = file.manifest.declarations.get(class)?;
        let number = number.parameters.iter().position(|it| it.name == name)?;
        Some(Self { path, file, class, number })
    }

    /// All parameters of the class of this name, in source order.
    pub(super) fn of_class(
        world: &World,
        environment: &Environment,
        class_name: &str,
    ) -> Vec<Self> {
        let Some((path, file, class)) = world.loaded_class(environment, class_name) else {
            return Vec::new();
        };
        let count = file.manifest.declarations[class].parameters.len();
        let parameter = |number| Self { path: path.clone(), file: file.clone(), class, number };
        (0..count).map(parameter).collect()
    }

    /// The class, with the comment above it.
    fn class(&self) -> &Declaration {
        &self.file.manifest.declarations[self.class]
    }

    fn parameter(&self) -> &Parameter {
        &self.class().parameters[self.number]
    }

    /// Its name, without the class.
    pub(super) fn name(&self) -> &str {
        &self.parameter().name
    }

    /// Its name with its `$`, in bytes of the manifest.
    pub(super) fn name_range(&self) -> TextRange {
        self.parameter().name_range
    }

    /// From its type to the end of its default, in bytes of the manifest.
    pub(super) fn range(&self) -> TextRange {
        let parameter = self.parameter();
        let start = parameter.type_range.unwrap_or(parameter.name_range).start;
        let end = parameter.default.as_ref().map_or(parameter.name_range.end, |it| it.range.end);
        TextRange::new(start, end.max(parameter.name_range.end))
    }

    /// The line of its name, from 1.
    pub(super) fn line(&self) -> u32 {
        self.file.line(self.name_range().start)
    }

    /// Its type as written.
    pub(super) fn type_text(&self) -> Option<&str> {
        self.parameter().type_range.map(|range| self.file.slice(range))
    }

    fn default_text(&self) -> Option<&str> {
        self.parameter().default.as_ref().map(|it| self.file.slice(it.range))
    }

    /// Type and default in short: `Integer[1, 65535] = 80`.
    pub(super) fn brief(&self) -> String {
        let type_text = self.type_text().map_or_else(|| "Any".to_owned(), in_a_line);
        match self.default_text() {
            Some(default) => format!("{type_text} = {}", in_a_line(default)),
            None => type_text,
        }
    }

    /// Its description: `parameter of profile::web, Integer[1, 65535]`.
    pub(super) fn title(&self) -> String {
        let class = self.class().name.as_deref().unwrap_or_default();
        let type_text = self.type_text().map(|it| format!(", `{}`", in_a_line(it)));
        format!("parameter of {class}{}", type_text.unwrap_or_default())
    }
}

/// A line of Markdown about the parameter that `key` sets, with the answer of a lookup if there was one; `None` if the key
/// sets no parameter.
pub(super) fn note(
    perspective: &Perspective,
    key: &str,
    answer: Option<&Answer>,
) -> Option<String> {
    let world = &perspective.world;
    let environment = perspective.evaluator.environment();
    let found = ClassParameter::of_key(world, environment, key)?;
    let place = Place { file: world.id(&found.path), range: found.name_range() };
    let class = found.class().name.as_deref().unwrap_or_default();
    let shown = markup::code(&perspective.shown_place(place));
    let mut text = format!("Parameter of class `{class}` ({shown})");
    if let Some(type_text) = found.type_text() {
        let _ = write!(text, ": {}", code(type_text));
    }
    match found.default_text() {
        Some(default) => {
            let _ = write!(text, ", default {}", code(default));
        }
        None => text += ", no default",
    }
    let aliases = world.type_aliases(environment);
    let wanted = ParameterType::of_parameter(&found.file, found.parameter(), &aliases);
    if let Some(problem) = wanted.refusal() {
        // The place is that in the text of the type.
        let problem = problem.split(" (line: ").next().unwrap_or(problem);
        let problem = problem.trim_start_matches("Evaluation Error: ");
        let is_missing = problem.starts_with("Resource type not found");
        let unless =
            if is_missing { ", unless a module outside of this workspace defines it" } else { "" };
        let _ = write!(text, ". Puppet refuses the type{unless}: {}", code(problem));
    } else if let Some(answer) = answer {
        let _ = write!(text, ". {}", set_by(answer, found.default_text().is_some()));
    }
    if let Some(documentation) = of_parameter(&found.file, found.class(), found.name()) {
        text += &as_sentences(&documentation);
    }
    Some(text)
}

/// Documentation in Markdown, to be added to a sentence that has no full stop yet.
fn as_sentences(documentation: &str) -> String {
    let is_in_list = |line: &str| {
        let after_number = line.trim_start_matches(|it: char| it.is_ascii_digit());
        ["* ", "- ", "+ "].iter().any(|it| line.starts_with(it))
            || after_number != line && after_number.starts_with(". ")
    };
    let is_fence = |line: &&str| line.starts_with("```");
    let is_block = |line: &str| {
        line.is_empty()
            || line.starts_with(['|', '>', '#', ' '])
            || is_fence(&line)
            || is_in_list(line)
    };
    if !documentation.lines().any(is_block) {
        return format!(". {}", documentation.lines().collect::<Vec<_>>().join(" "));
    }
    // A tag may end the text inside of a block of code.
    let is_open = documentation.lines().filter(is_fence).count() % 2 == 1;
    format!(".\n\n{documentation}{}", if is_open { "\n```" } else { "" })
}

/// Where code sets the parameter that `key` sets, too.
pub(super) fn given_note(perspective: &Perspective, key: &str) -> Option<String> {
    let environment = perspective.evaluator.environment();
    ClassParameter::of_key(&perspective.world, environment, key)?;
    let (class, parameter) = key.rsplit_once("::")?;
    given::note(perspective, class, parameter)
}

/// The origin of the parameter's value, unless a class declaration sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetBy {
    Data,
    Default,
    Undef,
    Nothing,
    Failure,
    Unknown,
}

/// What sets the parameter in all cases of an answer.
fn set_by(answer: &Answer, has_default: bool) -> &'static str {
    let mut all: Vec<SetBy> =
        answer.cases.iter().map(|it| of_case(&it.answer, has_default)).collect();
    if all.is_empty() {
        all.push(of_case(answer, has_default));
    }
    if !answer.left_out.is_empty() {
        all.push(SetBy::Unknown);
    }
    // Only equal neighbours become one. The arms for several results accept any order.
    all.dedup();
    match (all.as_slice(), has_default) {
        ([SetBy::Data], _) => "Set by data",
        ([SetBy::Default], _) => "Not set by data, so Puppet uses the default",
        ([SetBy::Undef], _) => "Set to `undef` by data",
        ([SetBy::Nothing], _) => {
            "Not set by data: Puppet refuses the class unless it is given a value"
        }
        ([SetBy::Failure], _) => "The lookup fails, and the class with it",
        ([SetBy::Unknown], _) => "It is not known whether data sets it",
        (all, true) if all.iter().all(|it| matches!(it, SetBy::Data | SetBy::Default)) => {
            "Set by data in some cases, otherwise Puppet uses the default"
        }
        (all, false) if all.iter().all(|it| matches!(it, SetBy::Data | SetBy::Nothing)) => {
            "Set by data in some cases; in the others Puppet refuses the class unless it is given a value"
        }
        _ => "Set by data in some cases",
    }
}

/// If data is null, the default is used; without a default, null is the value.
fn of_case(answer: &Answer, has_default: bool) -> SetBy {
    match &answer.outcome {
        // Puppet returns something else here, such as a value of a type that cannot be created here.
        Err(failure) if failure.class.is_our_own() && !answer.sources.is_empty() => SetBy::Data,
        Err(failure) if failure.class.is_our_own() => SetBy::Unknown,
        Err(_) => SetBy::Failure,
        Ok(None) if !answer.opaque.is_empty() => SetBy::Unknown,
        Ok(Some(value)) if value.value != Value::Undef => SetBy::Data,
        // Puppet uses the default instead of a null in the data.
        _ if has_default => SetBy::Default,
        Ok(Some(_)) => SetBy::Undef,
        Ok(None) => SetBy::Nothing,
    }
}

/// Code on one line, whatever backticks it contains.
pub(super) fn code(text: &str) -> String {
    markup::code(&in_a_line(text))
}

/// Code on one line, truncated if it is long.
fn in_a_line(text: &str) -> String {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(at);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use crate::ide::fixture::Fixture;
    use crate::ide::hover;

    #[track_caller]
    fn check(key: &str, code: &str, expected: Option<&str>) {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: Common, path: common.yaml}}]\n\
             #- {code}\n#- /data/common.yaml\n{key}$0: 8080\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let shown = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
            .expect("a hover")
            .markdown;
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
                 default `80`. Set by data. Where it listens.",
            ),
        );
        check(
            "web::server::bare",
            WEB,
            Some(
                "Parameter of class `web::server` (`modules/web/manifests/server.pp:4`), no default. Set by data",
            ),
        );
        check("web::server::other", WEB, None);
        check("web::port", WEB, None);
    }

    #[test]
    fn lists_and_blocks_in_a_comment_stay_as_they_are() {
        let shown = super::as_sentences;
        assert_eq!(shown("Where it\nlistens. `a`\n*or* not."), ". Where it listens. `a` *or* not.");
        for block in ["One of:\n* a\n* b", "A\n\nB", "|a|\n|-|", "1. a\n2. b", "```\na\n```"] {
            assert_eq!(shown(block), format!(".\n\n{block}"));
        }
        assert_eq!(shown("A\n```\na"), ".\n\nA\n```\na\n```");
    }

    #[test]
    fn values_that_code_gives_are_named() {
        let given = |declaration: &str| {
            let fixture = Fixture::parse(&format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: Common, path: common.yaml}}]\n\
                 #- {WEB}\n#- /manifests/site.pp\n{declaration}\n#- /data/common.yaml\nweb::server::port$0: 8080\n"
            ));
            let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
            let cancel = CancelToken::default();
            let shown = hover(&fixture.world(), &file.world_path(), offset, &cancel);
            let shown = shown.expect("a hover").markdown;
            let line = shown.lines().find(|line| line.contains("wins over data"));
            line.map(|it| it.trim_start_matches(['-', ' ']).to_owned())
        };
        let set = "Set in `manifests/site.pp:1`: if that code declares the class, its value wins over data.";
        assert_eq!(given("class { 'web::server': port => 1 }").as_deref(), Some(set));
        assert_eq!(given("class { 'web::server': port => $p }").as_deref(), Some(set));
        assert_eq!(given("class { 'web::server': port => undef }"), None);
        assert_eq!(given("class { 'web::server': bare => 1 }"), None);
        assert_eq!(given("include web::server"), None);
        let may_be_set = format!("May be s{}", &set[1..]);
        let may_be_set = Some(&*may_be_set);
        assert_eq!(given("create_resources('class', $x)").as_deref(), may_be_set);
        assert_eq!(given("class { $x: port => 1 }").as_deref(), may_be_set);
        // As in stdlib.
        assert_eq!(given("$all.each |$type, $x| { create_resources($type, $x) }"), None);
        assert_eq!(given("Resource[$type] { $x: * => $y }"), None);
    }

    #[test]
    fn types_that_puppet_refuses() {
        let check_type = |written: &str, problem: &str| {
            let code = format!("/modules/web/manifests/init.pp\nclass web({written} $port) {{ }}");
            let expected = format!(
                "Parameter of class `web` (`modules/web/manifests/init.pp:1`): `{written}`, no default. {problem}"
            );
            check("web::port", &code, Some(&expected));
        };
        check_type(
            "Strin",
            "Puppet refuses the type, unless a module outside of this workspace defines it: `Resource type not found: Strin`",
        );
        check_type(
            "Integer['x']",
            "Puppet refuses the type: `Integer-Type [] requires all arguments to be integers (or default). Got String`",
        );
        check_type("Integer", "Set by data");
    }

    #[test]
    fn backticks_of_code_are_shown() {
        let code = "/modules/web/manifests/init.pp\nclass web(Pattern[/`/] $port = '``x') { }";
        let expected = "Parameter of class `web` (`modules/web/manifests/init.pp:1`): ``Pattern[/`/]``, \
                        default ```'``x'```. Set by data";
        check("web::port", code, Some(expected));
    }

    #[test]
    fn a_class_in_the_file_of_a_class_above_is_found() {
        let code = "/modules/web/manifests/init.pp\nclass web { class server($port) { } }";
        let expected = "Parameter of class `web::server` (`modules/web/manifests/init.pp:1`), no default. Set by data";
        check("web::server::port", code, Some(expected));
    }

    #[test]
    fn a_class_of_the_main_manifest_wins() {
        let code = "/modules/web/manifests/init.pp\nclass web($port = 1) { }\n\
                    #- /manifests/site.pp\nclass web($port = 2) { }";
        let expected = "Parameter of class `web` (`manifests/site.pp:1`), default `2`. Set by data";
        check("web::port", code, Some(expected));
    }

    /// `expected`: who sets `web::port`.
    #[track_caller]
    fn check_set_by(parameter: &str, files: &str, expected: &str) {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: n, path: 'nodes/%{{trusted.certname}}.yaml'}}\n\
             - {{name: c, path: common.yaml}}\n#- /modules/web/manifests/init.pp\nclass web({parameter}) {{ }}\n{files}"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let shown = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
            .expect("a hover")
            .markdown;
        let found = shown.lines().find(|line| line.contains("Parameter of class"));
        assert!(found.is_some_and(|it| it.ends_with(expected)), "{shown}");
    }

    #[test]
    fn who_sets_a_parameter() {
        let in_a_node = "#- /data/common.yaml\na: \"%{lookup('web::port$0')}\"\n#- /data/nodes/x.yaml\nweb::port: 1\n";
        let nowhere = "#- /data/common.yaml\na: \"%{lookup('web::port$0')}\"\n";
        let null = "#- /data/common.yaml\nweb::port$0: ~\n";
        check_set_by(
            "$port = 1",
            in_a_node,
            ". Set by data in some cases, otherwise Puppet uses the default",
        );
        let refused = "Puppet refuses the class unless it is given a value";
        check_set_by(
            "$port",
            in_a_node,
            &format!(". Set by data in some cases; in the others {refused}"),
        );
        check_set_by("$port = 1", nowhere, ". Not set by data, so Puppet uses the default");
        check_set_by("$port", nowhere, &format!(". Not set by data: {refused}"));
        check_set_by("$port = 1", null, ". Not set by data, so Puppet uses the default");
        check_set_by("$port", null, ". Set to `undef` by data");
        let failing = "#- /data/common.yaml\nweb::port$0: \"%{lookup('web::port')}\"\n";
        check_set_by("$port = 1", failing, ". The lookup fails, and the class with it");
        let uri = "#- /data/common.yaml\nlookup_options: {web::port: {convert_to: URI}}\nweb::port$0: a\n";
        check_set_by("$port", uri, ". Set by data");
    }
}
