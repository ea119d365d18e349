//! What cases say of values and paths that variables decide in other ways than by the name of a file.

use super::check;

#[test]
fn a_key_of_a_hash_that_may_be_that_of_another_member() {
    let check = |hash: &str, expected: &str| {
        check("path: common.yaml", &[("common.yaml", &format!("k: {hash}\n"))], "k", expected);
    };
    check(
        "{'%{role}': 1, web: 2}",
        "{\"%{role}\"=>1, \"web\"=>2}\nThe value itself depends on role",
    );
    check(
        "[{a: {'%{role}': 1, '%{site}': 2}}]",
        "[{\"a\"=>{\"%{role}\"=>1, \"%{site}\"=>2}}]\nThe value itself depends on role and site",
    );
    check("{'%{role}': 1, 'www.%{role}': 2}", "{\"%{role}\"=>1, \"www.%{role}\"=>2}");
    check("{'x-%{role}': 1, web: 2}", "{\"x-%{role}\"=>1, \"web\"=>2}");
}

#[test]
fn the_members_of_a_nested_list() {
    let files = [("g/x.yaml", "k: x\n"), ("common.yaml", "k: common\n")];
    check(
        "mapped_paths: [facts.app.groups, g, 'g/%{g}.yaml']\npath: common.yaml",
        &files,
        "k",
        "\"common\"\n1 file of level \"L0\" may decide this, depending on facts.app.groups",
    );
}

#[test]
fn a_text_with_a_slash_leads_to_a_deeper_file() {
    let common = ("common.yaml", "k: common\n");
    let front = [("role/web/front.yaml", "k: front\n"), common];
    check(
        "path: 'role/%{role}.yaml'\npath: common.yaml",
        &front,
        "k",
        "role is web/front: \"front\"\n: \"common\"",
    );
    check(
        "glob: 'role/%{role}/*.yaml'\npath: common.yaml",
        &[("role/web/front/a.yaml", "k: front\n"), common],
        "k",
        "role is web/front: \"front\"\n: \"common\"",
    );
    check(
        "mapped_paths: [roles, it, 'role/%{it}.yaml']\npath: common.yaml",
        &front,
        "k",
        "\"common\"\n1 file of level \"L0\" may decide this, depending on roles",
    );
    // Two variables share the names.
    check(
        "path: 'role/%{role}/%{site}.yaml'\npath: common.yaml",
        &[("role/a/b/c.yaml", "k: c\n"), common],
        "k",
        "role is a and site is b/c: \"c\"
         role is a/b and site is c: \"c\"
         role is empty and site is a/b/c: \"c\"
         : \"common\"",
    );
    // A certname has no slash.
    check("path: 'role/%{trusted.certname}.yaml'\npath: common.yaml", &front, "k", "\"common\"");
}

#[test]
fn a_name_that_variables_can_share_in_too_many_ways() {
    check(
        "path: '%{a}%{b}%{c}%{d}%{e}.yaml'\npath: common.yaml",
        &[("some-long-file-name-number-1-x-y-z.yaml", "k: 1\n"), ("common.yaml", "k: common\n")],
        "k",
        "\"common\"\nLevel \"L0\" may decide this, depending on a, b, c, d and e",
    );
    let deep = format!("role/{}z.yaml", "x/".repeat(50));
    check(
        "path: 'role/%{a}/%{b}/%{c}.yaml'\npath: common.yaml",
        &[(&*deep, "k: 1\n"), ("common.yaml", "k: common\n")],
        "k",
        "\"common\"\nLevel \"L0\" may decide this, depending on a, b and c",
    );
}

#[test]
fn a_file_that_another_path_leads_to_needs_no_slash() {
    let files = [("role/web/front.yaml", "k: front\n"), ("common.yaml", "k: common\n")];
    check(
        "path: 'role/%{role}.yaml'\npath: 'role/%{role}/%{site}.yaml'\npath: common.yaml",
        &files,
        "k",
        "role is web and site is front: \"front\"\n: \"common\"",
    );
    check(
        "path: '%{site}.yaml'\nglob: 'role/**/*.yaml'\npath: common.yaml",
        &files,
        "k",
        "site is common: \"common\"\n: \"front\"",
    );
    check(
        "path: '%{site}.yaml'\npath: 'role/%{role}.yaml'\npath: common.yaml",
        &files,
        "k",
        "site is common: \"common\"
         site is role/web/front: \"front\"
         role is web/front: \"front\"
         : \"common\"",
    );
}
