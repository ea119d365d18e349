//! `recorded.jsonl` contains the results of Puppet 7.23 and 8.11, with the gem `hiera`, for hundreds of files. The other tests
//! cover what it cannot show.

use serde_json::Value as Json;

use super::*;

const PATH: &str = "/env/hiera.yaml";

fn read(
    yaml: &str,
    layer: LayerKind,
    puppet: PuppetVersion,
) -> (Option<HieraYaml>, Vec<ConfigProblem>) {
    HieraYaml::read(PATH, FileId(0), Some(&Arc::from(yaml)), layer, puppet)
}

/// Everything up to the first error, or the version if there is none, in the form of the recording.
fn outcome(yaml: &str, layer: LayerKind, puppet: PuppetVersion) -> Vec<String> {
    let (config, problems) = read(yaml, layer, puppet);
    let mut lines = Vec::new();
    for problem in problems {
        match (problem.severity, problem.class) {
            (ConfigSeverity::Warning, _) => lines.push(format!("warning: {}", problem.message)),
            (ConfigSeverity::Error, class) => {
                let is_lookup_error = class == ConfigErrorClass::Lookup;
                let class = if is_lookup_error { "LookupError" } else { "error" };
                lines.push(format!("{class}: {}", problem.message));
                return lines;
            }
        }
    }
    let version = config.map_or("None".to_owned(), |config| config.version.to_string());
    lines.push(format!("version: {version}"));
    lines
}

#[test]
fn puppet_said_the_same() {
    for line in include_str!("recorded.jsonl").lines() {
        let case: Json = serde_json::from_str(line).expect("each line is JSON");
        let yaml = case["yaml"].as_str().expect("each case has a text");
        let layer = match case["layer"].as_str() {
            Some("global") => LayerKind::Global,
            Some("module") => LayerKind::Module,
            _ => LayerKind::Environment,
        };
        let versions = [(PuppetVersion::V7, "puppet 7"), (PuppetVersion::V8, "puppet 8")];
        for (puppet, name) in versions {
            let expected = case.get("puppet").unwrap_or(&case[name]);
            let found = Json::from(outcome(yaml, layer, puppet));
            assert_eq!(&found, expected, "{name}, {layer:?}:\n{yaml}");
        }
    }
}

#[test]
fn every_complaint_has_its_place() {
    fn check(yaml: &str, expected: &[&str]) {
        let (_, problems) = read(yaml, LayerKind::Environment, PuppetVersion::V8);
        let found: Vec<&str> = problems
            .iter()
            .flat_map(|problem| &problem.details)
            .map(|detail| detail.place.map_or("(nowhere)", |place| place.range.slice(yaml)))
            .collect();
        assert_eq!(found, expected, "{yaml}");
    }
    check("version: 5\nfoo: 1\nbar: 2\n", &["foo", "bar"]);
    check("version: '5'\n", &["'5'"]);
    check("version: 6\n", &["6"]);
    check("version: 5\nhierarchy:\n- {name: x, path: [y], foo: 1}\n", &["[y]", "foo"]);
    check("version: 5\nhierarchy:\n- {path: y}\n", &["{path: y}"]);
    check("version: 5\nhierarchy:\n- {name: x, path: }\n", &["path"]);
    check("version: 5\nhierarchy: [{name: x, paths: [a, 5, b]}]\n", &["5"]);
    check("version: 5\nhierarchy: [{name: x, options: {_a: 1, b: 2}}]\n", &["_a"]);
    check("version: 5\nhierarchy: [{name: x, options: {a: {1: 2}}}]\n", &["{1: 2}"]);
    check("version: 5\ndefaults: {datadir: d}\nhierarchy: [{name: x}]\n", &["x"]);
    check("version: 5\nhierarchy: [{name: x, path: a, uri: b}]\n", &["uri"]);
    check("version: 5\nhierarchy: [{name: x, data_hash: a, lookup_key: b}]\n", &["lookup_key"]);
    check("version: 5\nhierarchy: [{name: x, options: {uri: a}}]\n", &["uri"]);
    check("version: 5\nhierarchy: [{name: x}, {name: 'x'}]\n", &["'x'"]);
    check("version: 5\ndefault_hierarchy: []\n", &["default_hierarchy"]);
    check("version: 5\na: b: c\n", &[": c"]);
    check("hierarchy: []\n", &["hierarchy", "hierarchy"]);
    check("version: 3\n", &["3", "3"]);
}

#[test]
fn all_semantic_errors_are_told_after_the_first() {
    let yaml =
        "version: 5\nhierarchy:\n- {name: x, path: a, uri: b}\n- {name: x, options: {uri: 1}}\n";
    let (config, problems) = read(yaml, LayerKind::Environment, PuppetVersion::V8);
    assert_eq!(problems.len(), 3);
    assert_eq!(config.expect("an editor still gets the levels").hierarchy.len(), 2);
}

/// One line for each level: name, function, directory, locations, options.
fn summary(levels: &[Level]) -> Vec<String> {
    let text = |it: &Located| it.value.as_str().unwrap_or("?").to_owned();
    let texts = |them: &[Located]| them.iter().map(text).collect::<Vec<_>>().join(",");
    levels
        .iter()
        .map(|level| {
            let locations = match &level.locations {
                Locations::None => "none".to_owned(),
                Locations::Paths(them) => format!("paths {}", texts(them)),
                Locations::Globs(them) => format!("globs {}", texts(them)),
                Locations::Uris(them) => format!("uris {}", texts(them)),
                Locations::MappedPaths(them) => format!("mapped {}", texts(&them[..])),
            };
            let options: Vec<&str> = level
                .options
                .iter()
                .flat_map(|options| options.iter())
                .filter_map(|(key, _)| key.as_str())
                .collect();
            let (key, name) = (level.function.kind.key(), &level.function.name);
            let (datadir, extension) = (text(&level.datadir), level.extension.as_deref());
            let extension = extension.unwrap_or_default();
            let options = options.join(",");
            format!(
                "{} | {key} {name} | {datadir} | {locations}{extension} | {options}",
                level.name
            )
        })
        .collect()
}

fn check_levels(yaml: &str, layer: LayerKind, expected: &[&str]) {
    let (config, problems) = read(yaml, layer, PuppetVersion::V7);
    assert!(!problems.iter().any(ConfigProblem::is_error), "{problems:?}");
    let config = config.expect("what has no error is a configuration");
    assert_eq!(summary(&config.hierarchy), expected, "{yaml}");
}

#[test]
fn levels_take_what_they_lack_from_the_defaults() {
    check_levels(
        "version: 5\n\
         defaults: {datadir: d, lookup_key: eyaml_lookup_key, options: {a: 1, b: 2}}\n\
         hierarchy:\n\
         - {name: one, path: x.yaml}\n\
         - {name: two, data_hash: yaml_data, globs: [x, 'y*'], datadir: e}\n\
         - {name: three, options: {c: 3}, mapped_paths: [facts.x, y, 'z/%{y}']}\n\
         - {name: four, uri: 'http://x'}\n\
         - {name: five}\n",
        LayerKind::Environment,
        &[
            "one | lookup_key eyaml_lookup_key | d | paths x.yaml | a,b",
            "two | data_hash yaml_data | e | globs x,y* | a,b",
            "three | lookup_key eyaml_lookup_key | d | mapped facts.x,y,z/%{y} | c",
            "four | lookup_key eyaml_lookup_key | d | uris http://x | a,b",
            "five | lookup_key eyaml_lookup_key | d | none | a,b",
        ],
    );
}

#[test]
fn without_a_hierarchy_there_is_the_common_level() {
    let common = "Common | data_hash yaml_data | data | paths common.yaml | ";
    check_levels("version: 5\n", LayerKind::Environment, &[common]);
    assert_eq!(summary(&HieraYaml::built_in(PATH).hierarchy), [common]);
    check_levels(
        ":version: 5\n:defaults: {lookup_key: eyaml_lookup_key, options: {pkcs7_x: y}}\n",
        LayerKind::Module,
        &["Common | lookup_key eyaml_lookup_key | data | paths common.yaml | pkcs7_x"],
    );
}

#[test]
fn without_a_file_only_the_global_layer_exists() {
    let read = |layer| HieraYaml::read(PATH, FileId(0), None, layer, PuppetVersion::V8);
    assert!(read(LayerKind::Global).0.is_some_and(|config| !config.exists));
    assert!(read(LayerKind::Environment).0.is_none());
    assert!(read(LayerKind::Module).0.is_none());
}

#[test]
fn default_hierarchy() {
    let yaml = "version: 5\nhierarchy: []\ndefault_hierarchy:\n- {name: x, path: y}\n";
    let (config, _) = read(yaml, LayerKind::Module, PuppetVersion::V8);
    let config = config.expect("the file is valid");
    assert!(config.has_default_hierarchy());
    assert_eq!(summary(&config.default_hierarchy), ["x | data_hash yaml_data | data | paths y | "]);
}

#[test]
fn version_4_turns_into_levels() {
    check_levels(
        "version: 4\nhierarchy:\n- {name: a, backend: yaml}\n\
         - {name: b, backend: json, path: 'x/%{y}', datadir: e}\n\
         - {name: c, backend: hocon, paths: [p, q.conf]}\n",
        LayerKind::Environment,
        &[
            "a | data_hash yaml_data | data | paths a.yaml | ",
            "b | data_hash json_data | e | paths x/%{y}.json | ",
            "c | data_hash hocon_data | data | paths p,q.conf.conf | ",
        ],
    );
    let common = "common | data_hash yaml_data | data | paths common.yaml | ";
    check_levels("version: 4\n", LayerKind::Module, &[common]);
}

#[test]
fn version_3_turns_into_a_level_for_each_back_end() {
    let (yaml, json) = ("yaml | data_hash yaml_data", "json | data_hash json_data");
    let datadir = "/env/environments/%{::environment}/hieradata";
    check_levels(
        ":backends: [yaml, json]\n:hierarchy: [a, b]\n:yaml:\n  :datadir: /d\n  :extension: yml\n",
        LayerKind::Global,
        &[
            &format!("{yaml} | /d | paths a,b.yml | "),
            &format!("{json} | {datadir} | paths a,b.json | "),
        ],
    );
    check_levels(
        "{}\n",
        LayerKind::Global,
        &[&format!("{yaml} | {datadir} | paths nodes/%{{::trusted.certname}},common.yaml | ")],
    );
    check_levels(
        "backends: eyaml\nhierarchy: a\neyaml: {datadir: /d, pkcs7_private_key: k}\n",
        LayerKind::Global,
        &["eyaml | lookup_key eyaml_lookup_key | /d | paths a.eyaml | pkcs7_private_key"],
    );
}

#[test]
fn the_line_that_interpolates() {
    let yaml = "version: 5\nhierarchy:\n- name: x # %{a.b}\n  path: '%{a.b}'\n";
    let (config, _) = read(yaml, LayerKind::Environment, PuppetVersion::V8);
    let config = config.expect("the file is valid");
    assert_eq!(config.line_that_interpolates("a.b"), Some(4));
    assert_eq!(config.line_that_interpolates("c"), None);
}

#[test]
fn aliases_that_stand_for_very_many_values_are_refused() {
    let mut yaml = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
    for number in 1..=5 {
        let items = vec![format!("*a{}", number - 1); 10].join(", ");
        let line = format!("a{number}: &a{number} [{items}]\n");
        yaml.push_str(&line);
    }
    yaml.push_str("version: 5\nhierarchy: *a5\n");
    let outcome = outcome(&yaml, LayerKind::Environment, PuppetVersion::V8);
    assert_eq!(outcome, ["error: aliases expand to more than 100000 values"]);
}
