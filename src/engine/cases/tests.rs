//! Cases of small hierarchies. tests/conformance/cases.rb shows that they match Puppet's results.

mod sub_keys;
mod undecided;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::config::{Environment, PuppetVersion};
use crate::data::memory::MemoryFiles;
use crate::data::{Files, inspect};
use crate::engine::cases::{LeftOut, cases_to_tell, in_words, left_out_in_words};
use crate::engine::{Answer, Evaluator};
use crate::facts::{Node, NodeParts, Origin};

fn outcome(answer: &Answer) -> String {
    match &answer.outcome {
        Ok(Some(value)) => inspect::inspect(&value.value),
        Ok(None) => "not found".to_owned(),
        Err(failure) => format!("error: {}", failure.message),
    }
}

fn told(answer: &Answer) -> String {
    let mut text = String::new();
    for case in &answer.cases {
        let _ = writeln!(text, "{}: {}", in_words(&case.conditions), outcome(&case.answer));
    }
    if answer.cases.is_empty() {
        let _ = writeln!(text, "{}", outcome(answer));
    }
    for left_out in left_out_in_words(&answer.left_out) {
        let _ = writeln!(text, "{left_out}");
    }
    text
}

/// What `key` can be for any node.
#[track_caller]
fn check(levels: &str, files: &[(&str, &str)], key: &str, expected: &str) {
    check_for(PuppetVersion::V7, levels, files, key, expected);
}

#[track_caller]
fn check_for(
    version: PuppetVersion,
    levels: &str,
    files: &[(&str, &str)],
    key: &str,
    expected: &str,
) {
    let found = told(&evaluator_for(version, levels, files).lookup(key));
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(found.lines().map(str::trim_end).collect::<Vec<_>>(), expected, "{key}");
}

/// Code may set a variable of a class, but no lookup from the shell runs code.
#[test]
fn a_variable_of_a_class_is_not_set_whatever_is_read_of_it() {
    let files = [("n/web.yaml", "h: 'a%{m1::v}'\ni: 'a%{m1::v.x}'\n")];
    let level = "path: 'n/%{trusted.certname}.yaml'";
    let error = "trusted.certname is web: error: Undefined variable 'm1::v'; class m1 could not be found\n: not found";
    check_for(PuppetVersion::V8, level, &files, "h", error);
    check_for(PuppetVersion::V8, level, &files, "i", error);
    check(level, &files, "i", "trusted.certname is web: \"a\"\n: not found");
}

/// Answers for any node. `levels` are those of hiera.yaml, one a line: `path: x.yaml`.
fn evaluator(levels: &str, files: &[(&str, &str)]) -> Evaluator {
    evaluator_for(PuppetVersion::V7, levels, files)
}

fn evaluator_for(version: PuppetVersion, levels: &str, files: &[(&str, &str)]) -> Evaluator {
    let mut config = "version: 5\nhierarchy:\n".to_owned();
    for (number, level) in levels.lines().enumerate() {
        let _ = writeln!(config, "  - {{name: L{number}, {}}}", level.trim());
    }
    let mut all = vec![("/env/hiera.yaml", config.as_str())];
    let paths: Vec<String> = files.iter().map(|(path, _)| format!("/env/data/{path}")).collect();
    all.extend(paths.iter().zip(files).map(|(path, (_, text))| (path.as_str(), *text)));
    let environment = Environment {
        name: "production".into(),
        root: Some("/env".into()),
        ..Environment::default()
    };
    Evaluator::new(
        Arc::new(MemoryFiles::new(all)) as Arc<dyn Files>,
        Arc::new(environment),
        Arc::new(Node::partial(NodeParts::default(), &[], Origin::Any)),
        version,
    )
}

#[test]
fn a_text_knows_what_a_later_path_decides() {
    let levels = "path: 'role/%{role}.yaml'\npath: 'tier/%{tier}.yaml'\npath: common.yaml";
    let files = [
        ("role/web.yaml", "h: {a: '%{tier} %{role} %{facts.os.family}'}\n"),
        ("tier/prod.yaml", "h: {b: '%{tier}'}\nb: 1\n"),
        (
            "common.yaml",
            "lookup_options: {h: {merge: hash}}\nc: '%{tier}: %{lookup(\"b\")}'\nd: '%{lookup(\"c\")}'\n",
        ),
    ];
    check(
        levels,
        &files,
        "h",
        "role is web and tier is prod: {\"b\"=>\"prod\", \"a\"=>\"prod web %{facts.os.family}\"}
         role is web: {\"a\"=>\"%{tier} web %{facts.os.family}\"}
         tier is prod: {\"b\"=>\"prod\"}
         : not found",
    );
    check(levels, &files, "c", "tier is prod: \"prod: 1\"\n: \"%{tier}: \"");
    let cases = evaluator(levels, &files).lookup("d").cases;
    let open: Vec<_> = cases.iter().map(|it| it.answer.read_open.len()).collect();
    assert_eq!(open, [0, 1], "the text around it reads it again");
}

#[test]
fn a_run_whose_texts_would_lead_it_elsewhere_stays_as_it_is() {
    // If the strategy were known, the lookup would go on to the file of the role.
    check(
        "path: one.yaml\npath: 'tier/%{tier}.yaml'\npath: 'role/%{role}.yaml'",
        &[
            ("one.yaml", "lookup_options: {h: {merge: '%{tier}'}}\nh: [1]\n"),
            ("tier/unique.yaml", "lookup_options: {h: {merge: first}}\nh: [2]\n"),
            ("role/web.yaml", "h: [3]\n"),
        ],
        "h",
        "[1]\nThe value itself depends on tier",
    );
}

/// The members of a list that is not known may be hashes, and the list may be a hash, whose members are pairs.
#[test]
fn a_part_of_a_member_of_a_list_is_not_known_either() {
    check(
        "path: one.yaml\nmapped_paths: [facts.volumes, vol, 'k/%{vol.name}/%{vol.0}.yaml']",
        &[("one.yaml", "b: 2"), ("k/x/y.yaml", "a: 1")],
        "a",
        "not found
         1 file of level \"L1\" may decide this, depending on volumes",
    );
    check(
        "mapped_paths: [facts.volumes, vol, 'k/%{vol.name}.yaml']\npath: one.yaml",
        &[("one.yaml", "b: 2"), ("k/x.yaml", "a: 1")],
        "b",
        "2",
    );
}

#[test]
fn each_file_with_the_key_is_a_case() {
    check(
        "path: 'role/%{role}.yaml'\npath: common.yaml",
        &[("role/web.yaml", "a: web"), ("role/db.yaml", "b: db"), ("common.yaml", "a: common")],
        "a",
        "role is web: \"web\"
         : \"common\"",
    );
}

#[test]
fn a_variable_that_dots_remove_decides_if_it_can_be_empty() {
    check(
        "path: common.yaml\ndatadir: 'data/e/%{role}', path: ../web.yaml",
        &[("e/web.yaml", "a: below"), ("web.yaml", "a: above"), ("common.yaml", "b: 1")],
        "a",
        "not found\n         Level \"L1\" may decide this, depending on role",
    );
}

#[test]
fn a_token_that_an_inserted_text_swallows_decides_what_the_text_means() {
    check(
        "path: common.yaml",
        &[("common.yaml", "a: \"x%{literal('%{')}%{role}\"\nb: \"50% %{role}\"")],
        "a",
        "\"x%{%{role}\"\n         The value itself depends on role",
    );
}

#[test]
fn a_token_in_an_inserted_list_can_be_swallowed_too() {
    check(
        "path: common.yaml",
        &[("common.yaml", "a: \"x%{lookup('b')}\"\nb: [\"%{literal('%{')}\", \"%{role}\"]")],
        "a",
        r#""x[\"%{\", \"%{role}\"]"
         The value itself depends on role"#,
    );
}

#[test]
fn cases_that_agree_are_one() {
    check(
        "path: 'role/%{role}.yaml'\npath: common.yaml",
        &[("role/web.yaml", "a: same"), ("common.yaml", "a: same")],
        "a",
        "\"same\"",
    );
}

#[test]
fn a_glob_leads_to_a_file_for_every_text_that_fits() {
    check(
        "glob: 'role/%{role}*.yaml'",
        &[("role/web.yaml", "a: web")],
        "a",
        "role is w: \"web\"
         role is we: \"web\"
         role is web: \"web\"
         role is empty: \"web\"
         : not found",
    );
}

#[test]
fn a_variable_in_braces_of_a_glob_is_not_told_in_cases() {
    check(
        "glob: 'role/{%{role},x}.yaml'",
        &[("role/web.yaml", "a: web")],
        "a",
        "not found
         Level \"L0\" may decide this, depending on role",
    );
}

#[test]
fn a_file_that_puppet_refuses_has_a_say_about_every_key_even_with_lookup_options() {
    check(
        "path: 'role/%{role}.yaml'\npath: common.yaml",
        &[("role/web.yaml", "lookup_options: {}\n- x\n"), ("common.yaml", "a: common")],
        "b",
        "role is web: error: Unable to parse (/env/data/role/web.yaml): did not find expected key while parsing a block \
         mapping at line 1 column 1
         : not found",
    );
}

#[test]
fn a_json_file_without_an_object_is_refused_where_a_yaml_file_is_only_warned_of() {
    let files = |text| [("role/web.json", text), ("role/web.yaml", text)];
    for (text, got) in [("[]", "Array"), ("null", "Undef"), ("false", "Boolean")] {
        let refused = format!(
            "role is web: error: Value returned from data_hash function 'json_data', when using location \
             '/env/data/role/web.json', has wrong type, expects a Hash value, got {got}
             : not found"
        );
        check("path: 'role/%{role}.json', data_hash: json_data", &files(text), "b", &refused);
        check("path: 'role/%{role}.yaml'", &files(text), "b", "not found");
    }
}

#[test]
fn open_items_of_a_list_decide_only_the_members_that_have_the_list() {
    let files = [
        ("role/web.yaml", "k: {list: ['a%{x}'], deep: {list: ['a%{x}'], other: 1}}\n"),
        (
            "common.yaml",
            "lookup_options: {k: {merge: deep}}\nk: {list: [ab], deep: {list: [ab]}}\n",
        ),
    ];
    let levels = "path: 'role/web.yaml'\npath: common.yaml";
    check(levels, &files, "k.deep.other", "1");
    let undecided = "[\"ab\", \"a%{x}\"]\nThe value itself depends on x";
    check(levels, &files, "k.deep.list", undecided);
    check(levels, &files, "k.list", undecided);
}

#[test]
fn open_keys_of_a_hash_decide_its_text_if_they_may_be_equal() {
    let text = |hash: &str| {
        let common = format!("hash: {hash}\nk: \"%{{lookup('hash')}}\"\n");
        told(&evaluator("path: common.yaml", &[("common.yaml", &common)]).lookup("k"))
    };
    let undecided = "\"{\\\"a\\\"=>1, \\\"%{x}\\\"=>2}\"\nThe value itself depends on x\n";
    assert_eq!(text("{a: 1, '%{x}': 2}"), undecided);
    assert!(text("[1, {b: {a: 1, '%{x}': 2}}]").ends_with("The value itself depends on x\n"));
    // No value of x makes these keys equal.
    assert_eq!(text("{a: 1, 'b%{x}': 2}"), "\"{\\\"a\\\"=>1, \\\"b%{x}\\\"=>2}\"\n");
    assert_eq!(text("{a: '%{x}', b: 2}"), "\"{\\\"a\\\"=>\\\"%{x}\\\", \\\"b\\\"=>2}\"\n");
}

#[test]
fn a_case_with_the_same_value_is_not_told_because_its_strings_depend_on_something() {
    let levels = "path: 'role/%{role}.yaml'
        path: 'dc/%{dc}.yaml'
        path: common.yaml";
    let options = "lookup_options: {k: {merge: {strategy: deep, knockout_prefix: '--', \
                   sort_merged_arrays: true}}}\nk: {list: [b], m: 1}\n";
    let mut files = vec![("common.yaml", options), ("role/web.yaml", "k: {list: ['%{x}']}\n")];
    let answer = evaluator(levels, &files).lookup("k.m");
    assert!(!answer.cases.is_empty() && answer.cases.len() > cases_to_tell(&answer).len());
    let conditions = |answer: &Answer| {
        let cases = cases_to_tell(answer).into_iter().map(|it| in_words(&it.conditions));
        cases.collect::<Vec<_>>()
    };
    assert_eq!(conditions(&answer), [""]);
    files.push(("dc/oslo.yaml", "k: {m: 2}\n"));
    let answer = evaluator(levels, &files).lookup("k.m");
    assert_eq!(conditions(&answer), ["dc is oslo", ""]);
    // A node with both gets the value of the first case, so that case is told.
    files[1].1 = "k: {list: ['%{x}'], m: 1}\n";
    let answer = evaluator(levels, &files).lookup("k.m");
    assert_eq!(conditions(&answer), ["role is web", "dc is oslo", ""]);
}

#[test]
fn a_directory_where_a_file_should_be_fails_every_lookup() {
    check(
        "path: 'role/%{role}'",
        &[("role/web/a.yaml", "a: web")],
        "b",
        "role is empty: error: Is a directory @ io_fread - /env/data/role/
         role is web: error: Is a directory @ io_fread - /env/data/role/web
         : not found",
    );
}

#[test]
fn lookup_options_for_a_key_with_an_open_variable_may_be_for_others() {
    let files = [("common.yaml", "lookup_options:\n  'k%{n}': {merge: unique}\nk1: a\nz: b\n")];
    check(
        "path: common.yaml",
        &files,
        "k1",
        "\"a\"
         The value itself depends on n",
    );
    check("path: common.yaml", &files, "z", "\"b\"");
}

#[test]
fn a_list_is_no_secret_text_whatever_is_open_in_it() {
    let files = [(
        "common.yaml",
        "lookup_options:\n  '^k': {convert_to: 'Sensitive[String]'}\nk1: ['%{n}']\nk2: '%{n}'\n",
    )];
    check(
        "path: common.yaml",
        &files,
        "k1",
        "error: The convert_to lookup_option for key 'k1' raised error: Converted value from \
         Sensitive[String].new() has wrong type, expects a Sensitive[String] value, got Sensitive[Array[String]]",
    );
    check("path: common.yaml", &files, "k2", "#<Sensitive [value redacted]>");
}

#[test]
fn a_token_that_came_into_a_text_by_way_of_a_hash_can_be_read_again() {
    check(
        "path: c.yaml",
        &[("c.yaml", "a: {x: '%{map.\"k\"}'}\nb: ['%{lookup(''a'')}']\nc: \"<%{lookup('b')}>\"\n")],
        "c",
        r#""<[\"{\\\"x\\\"=>\\\"%{map.\"k\"}\\\"}\"]>""#,
    );
}

#[test]
fn odd_lookup_options_are_merged_with_those_of_every_file() {
    check(
        "path: 'role/%{role}.yaml'\npath: 'site/%{site}.yaml'",
        &[("role/a.yaml", "lookup_options: {}\n"), ("site/b.yaml", "lookup_options: {5: {}}\n")],
        "k",
        "role is a and site is b: error: The second element of the merge has wrong type, expects a Hash[String, Data] \
         value, got Hash[Integer[5, 5], Hash[0, 0]]\n\
         site is b: error: undefined method `start_with?' for 5:Integer\n\
         : not found",
    );
}

#[test]
fn odd_lookup_options_of_a_file_that_is_always_read_count_those_of_every_file() {
    check(
        "path: common.yaml\npath: 'role/%{role}.yaml'",
        &[
            ("common.yaml", "lookup_options: {5: {}}\n"),
            ("role/a.yaml", "lookup_options: {x: {}}\n"),
        ],
        "k",
        "role is a: error: The first element of the merge has wrong type, expects a Hash[String, Data] value, got \
         Hash[Integer[5, 5], Hash[0, 0]]\n\
         : error: undefined method `start_with?' for 5:Integer",
    );
}

/// The options of the global layer are merged with those of the environment.
#[test]
fn odd_lookup_options_count_those_of_every_layer() {
    let config = |path: &str| format!("version: 5\nhierarchy: [{{name: a, path: '{path}'}}]\n");
    let (global, environment) = (config("%{role}.yaml"), config("%{site}.yaml"));
    let files = [
        ("/global/hiera.yaml", &*global),
        ("/global/data/a.yaml", "lookup_options: {}\n"),
        ("/env/hiera.yaml", &environment),
        ("/env/data/b.yaml", "lookup_options: {5: {}}\n"),
    ];
    let evaluator = Evaluator::new(
        Arc::new(MemoryFiles::new(files)) as Arc<dyn Files>,
        Arc::new(Environment {
            name: "production".into(),
            root: Some("/env".into()),
            global_config: Some("/global/hiera.yaml".into()),
            ..Environment::default()
        }),
        Arc::new(Node::partial(NodeParts::default(), &[], Origin::Any)),
        PuppetVersion::V7,
    );
    assert_eq!(
        told(&evaluator.lookup("k")).lines().collect::<Vec<_>>(),
        [
            "role is a and site is b: error: The second element of the merge has wrong type, expects a Hash[String, Data] \
             value, got Hash[Integer[5, 5], Hash[0, 0]]",
            "site is b: error: undefined method `start_with?' for 5:Integer",
            ": not found",
        ]
    );
}

/// The first level has the key, but the files of the second may say how to merge it.
#[test]
fn lookup_options_in_files_that_a_path_leads_to_somehow_are_left_out() {
    check(
        "path: common.yaml\nglob: 'role/[%{role}].yaml'",
        &[
            ("common.yaml", "k: 1\n"),
            ("role/w.yaml", "lookup_options: {k: {merge: unique}}\nk: 2\n"),
        ],
        "k",
        "1\nLevel \"L1\" may decide this, depending on role",
    );
}

/// Puppet takes the value if its text is in the list, and refuses it otherwise.
#[test]
fn what_may_be_sensitive_is_never_shown() {
    let common = "lookup_options:\n  k: {convert_to: \"Sensitive[Enum['a']]\"}\nk: '%{n}'\n";
    check(
        "path: common.yaml",
        &[("common.yaml", common)],
        "k",
        "#<Sensitive [value redacted]>
         The value itself depends on n",
    );
}

/// As in Puppet, where the first lookup of a process fails: what was looked up before does not matter.
#[test]
fn a_lookup_inside_lookup_options_fails_whatever_came_before() {
    let levels = "path: 'role/%{role}.yaml'\npath: common.yaml";
    let files = &[
        ("role/web.yaml", "lookup_options: {a: {merge: \"%{lookup('g')}\"}}\na: web"),
        ("common.yaml", "a: common\ng: first\nb: 1"),
    ];
    let fails = "error: Recursive lookup detected in [lookup_options]";
    let evaluator = evaluator(levels, files);
    for key in ["a", "g", "b", "a", "missing"] {
        let else_ = match key {
            "a" => "\"common\"",
            "g" => "\"first\"",
            "b" => "1",
            _ => "not found",
        };
        let expected = format!("role is web: {fails}\n: {else_}\n");
        assert_eq!(told(&evaluator.lookup(key)), expected, "{key}");
        check(levels, files, key, &expected);
    }
}

#[test]
fn a_text_tells_an_empty_variable_from_one_that_is_not_set() {
    let levels = "path: 'n%{role}.yaml'\npath: 'o%{site}%{role}.yaml'\npath: common.yaml";
    let files = [
        ("n.yaml", "a: 'x%{role}'\nb: '%{lookup(\"c\")}'\nc: '%{role}'"),
        ("o.yaml", "d: '%{site}%{role}'"),
        ("common.yaml", "a: common"),
    ];
    let check = |version, key, expected| check_for(version, levels, &files, key, expected);
    check(PuppetVersion::V7, "a", "role is empty: \"x\"\n: \"common\"");
    let fails = |name: &str| format!("error: Undefined variable '{name}'; ");
    let role = fails("role");
    let in_8 = format!("role is not set: {role}\nrole is empty: \"x\"\n: \"common\"");
    check(PuppetVersion::V8, "a", &in_8);
    let in_8 = format!("role is not set: {role}\nrole is empty: \"\"\n: not found");
    check(PuppetVersion::V8, "b", &in_8);
    let in_8 = format!(
        "site is not set and role is empty: {}\nsite is empty and role is not set: {role}\n\
         site is empty and role is empty: \"\"\n: not found",
        fails("site"),
    );
    check(PuppetVersion::V8, "d", &in_8);
}

#[test]
fn a_default_hierarchy_of_a_module_needs_its_variables_for_every_key() {
    let config = "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n\
                  default_hierarchy:\n- {name: d, datadir: '%{site}data', path: d.yaml}\n";
    let files = [("/m/hiera.yaml", config), ("/m/data/common.yaml", "m::a: 1\n")];
    let environment = Environment {
        name: "production".into(),
        modules: [("m".into(), "/m".into())].into_iter().collect(),
        ..Environment::default()
    };
    let of = |version| {
        let evaluator = Evaluator::new(
            Arc::new(MemoryFiles::new(files)) as Arc<dyn Files>,
            Arc::new(environment.clone()),
            Arc::new(Node::partial(NodeParts::default(), &[], Origin::Any)),
            version,
        );
        told(&evaluator.lookup("m::a"))
    };
    assert_eq!(of(PuppetVersion::V7), "1\n");
    let said = "site is not set: error: Undefined variable 'site' (file: /m/hiera.yaml, line: 5)";
    assert_eq!(of(PuppetVersion::V8), format!("{said}\n: 1\n"));
}

#[test]
fn a_path_that_begins_with_a_variable_leads_to_its_files() {
    let files = [("bgo/common.yaml", "a: bgo"), ("common.yaml", "a: common")];
    let expected = "loc is bgo: \"bgo\"\n         : \"common\"";
    check("path: '%{loc}/common.yaml'\npath: common.yaml", &files, "a", expected);
    check("glob: '%{loc}/*.yaml'\npath: common.yaml", &files, "a", expected);
}

#[test]
fn what_is_left_out_of_one_level_is_one_line() {
    let left_out = |level: Option<&str>, variables: &[&str], files| LeftOut {
        level: level.map(Arc::from),
        variables: variables.iter().map(|it| Arc::from(*it)).collect(),
        files,
    };
    let all = [
        left_out(Some("Roles"), &["dc", "role"], 65),
        left_out(Some("Nodes"), &["name"], 1),
        left_out(Some("Roles"), &["role"], 67),
        left_out(None, &["x"], 0),
    ];
    let expected = [
        "At least 67 files of level \"Roles\" may decide this, depending on dc and role",
        "1 file of level \"Nodes\" may decide this, depending on name",
        "The value itself depends on x",
    ];
    assert_eq!(left_out_in_words(&all), expected);
}

/// A case can stand for another one that reads a variable. It does not list the variable if its conditions say what it is.
#[test]
fn a_case_does_not_list_a_variable_that_its_conditions_decide() {
    let files = [
        ("tier/prod.yaml", "d: {z: ['%{osfamily}']}\n"),
        ("os/RedHat.yaml", "d: {b: 1}\n"),
        ("role/db.yaml", "d: text\n"),
        ("common.yaml", "lookup_options: {d: {merge: deep}}\n"),
    ];
    let levels = "path: 'tier/%{tier}.yaml'\npath: 'os/%{facts.os.family}.yaml'\n\
                  path: 'role/%{role}.yaml'\npath: common.yaml";
    let answer = evaluator_for(PuppetVersion::V8, levels, &files).lookup("d.a");
    let listed: Vec<_> = { answer.cases.iter() }
        .map(|it| (in_words(&it.conditions), it.answer.read_open.iter().map(|it| &**it).collect()))
        .collect();
    let expected: [(String, Vec<&str>); 5] = [
        ("tier is prod and facts.os.family is RedHat and role is db".into(), Vec::new()),
        ("tier is prod and role is db".into(), vec!["facts.os.family"]),
        ("facts.os.family is RedHat and role is db".into(), Vec::new()),
        ("role is db".into(), Vec::new()),
        (String::new(), vec!["facts.os.family"]),
    ];
    assert_eq!(listed, expected);
}

/// The files that decide a key which a value looks up do not hide those that have the key itself.
#[test]
fn the_cases_of_the_key_itself_are_listed_beside_many_of_another_key() {
    let levels = "path: 'n/%{host}.yaml'\npath: 't/%{type}.yaml'\npath: c.yaml";
    let owners: Vec<_> =
        (0..40).map(|it| (format!("n/n{it}.yaml"), format!("owner: o{it}\n"))).collect();
    let mut files: Vec<_> = owners.iter().map(|(path, text)| (&**path, &**text)).collect();
    files.extend([("n/a.yaml", "k: 1\n"), ("n/b.yaml", "k: 2\n"), ("c.yaml", "k: 0\n")]);
    files.push(("t/staff.yaml", "k: \"%{lookup('owner')}\"\n"));
    check(
        levels,
        &files,
        "k",
        "host is a: 1\nhost is b: 2\ntype is staff: \"\"\n: 0\n\
         40 files of level \"L0\" may decide this, depending on host",
    );
}

#[test]
fn a_case_with_the_same_value_as_another_may_depend_on_files_that_are_left_out() {
    let sites: Vec<String> = (0..40).map(|site| format!("site/s{site}.yaml")).collect();
    let texts: Vec<String> = (0..40).map(|it| format!("k: {{b{it}: {it}}}\ny: {it}\n")).collect();
    let files = sites.iter().zip(&texts).map(|(path, text)| (path.as_str(), text.as_str()));
    let mut files: Vec<(&str, &str)> = files.collect();
    files.extend([
        ("top.yaml", "k: {a: 1}\n"),
        ("role/db.yaml", "lookup_options: {k: {merge: hash}}\nx: \"same%{lookup('y')}\"\n"),
        ("common.yaml", "x: same\n"),
    ]);
    let levels =
        "path: top.yaml\npath: 'role/%{role}.yaml'\npath: common.yaml\npath: 'site/%{site}.yaml'";
    let left_out = "40 files of level \"L3\" may decide this, depending on site";
    // If role is db, the files of all sites are merged.
    check(levels, &files, "k", &format!("{{\"a\"=>1}}\n{left_out}"));
    // If role is db, the text contains what the site has.
    check(levels, &files, "x", &format!("\"same\"\n{left_out}"));
}
