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
        "\"common\"\n1 file of level \"L0\" may change this, depending on facts.app.groups",
    );
}
