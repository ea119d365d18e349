//! Which files open paths lead to, and for which texts.

use super::*;
use crate::data::MemoryFiles;

/// `template` writes holes as `%{name}`; `expected`: `path variable=text …` for each candidate.
#[track_caller]
fn check(paths: &[&str], template: &str, is_glob: bool, expected: &[&str]) {
    let files = MemoryFiles::new(paths.iter().map(|path| (*path, "")));
    let names = ["role", "x", "y", "loc"];
    let text = names
        .iter()
        .fold(template.to_owned(), |text, name| text.replace(&format!("%{{{name}}}"), &hole(name)));
    let path = OpenPath::new(text.into(), is_glob);
    let show = |it: &Fit| {
        let texts = it.texts.iter().map(|(name, text)| format!(" {name}={text}"));
        format!("{}{}", it.path, texts.collect::<String>())
    };
    let found: Vec<_> = path.fits(&files).expect("few ways").iter().map(show).collect();
    assert_eq!(found, expected, "{template}");
    let all: Vec<Arc<str>> = paths.iter().map(|it| Arc::from(*it)).collect();
    let among = path.fits_among(all.iter()).expect("few ways");
    assert_eq!(among.iter().map(show).collect::<Vec<_>>(), expected, "{template} among");
}

#[test]
fn each_file_says_its_values() {
    let files = ["/d/roles/db.yaml", "/d/roles/web.yaml", "/d/roles/web.json", "/d/web.yaml"];
    check(
        &files,
        "/d/roles/%{role}.yaml",
        false,
        &["/d/roles/db.yaml role=db", "/d/roles/web.yaml role=web"],
    );
}

#[test]
fn several_variables_are_tried_in_every_way() {
    check(
        &["/d/a-b-c.yaml"],
        "/d/%{x}-%{y}.yaml",
        false,
        &["/d/a-b-c.yaml x=a y=b-c", "/d/a-b-c.yaml x=a-b y=c"],
    );
    check(&["/d/a-a.yaml", "/d/a-b.yaml"], "/d/%{x}-%{x}.yaml", false, &["/d/a-a.yaml x=a"]);
}

#[test]
fn an_empty_variable_takes_a_whole_name_away() {
    let check = |before: &str, after: &str, expected: &str| {
        let mut path = before.to_owned();
        push_after_empty(&mut path, after);
        assert_eq!(path, expected);
    };
    check("/data/a/", "/b.yaml", "/data/a/b.yaml");
    check("/data/a/", "-b.yaml", "/data/a/-b.yaml");
    check("/data/a-", "/b.yaml", "/data/a-/b.yaml");
    check("/data/a/", ".yaml", "/data/a/.yaml");
    // A name that is written as empty stays.
    check("/data//a/", "/b//c", "/data//a/b//c");
}

#[test]
fn an_empty_variable_takes_its_directory_away() {
    check(
        &["/d/common.yaml", "/d/bgo/common.yaml"],
        "/d/%{loc}/common.yaml",
        false,
        &["/d/bgo/common.yaml loc=bgo", "/d/common.yaml loc="],
    );
    check(&["/d/.yaml"], "/d/%{loc}.yaml", false, &["/d/.yaml loc="]);
}

#[test]
fn an_empty_variable_does_not_lead_to_the_file_of_another_path() {
    let open = |text: &str| {
        OpenPath::new(text.replace('$', &hole("x")).replace('&', &hole("y")).into(), false)
    };
    let of_release = |beside: &[&str]| {
        let mut path = open("/d/os/$/&.yaml");
        path.put_beside(beside.iter().map(|it| open(it)).collect());
        let path_of = |fit: &Fit| fit.path.to_string();
        let files = MemoryFiles::new([("/d/os/Debian/12.yaml", ""), ("/d/os/Debian.yaml", "")]);
        path.fits(&files).expect("few ways").iter().map(path_of).collect::<Vec<_>>()
    };
    let both = ["/d/os/Debian.yaml", "/d/os/Debian/12.yaml"];
    assert_eq!(of_release(&["/d/os/$/&.yaml"]), both);
    assert_eq!(of_release(&["/d/os/$/&.yaml", "/d/os/$.yaml"]), ["/d/os/Debian/12.yaml"]);
    let mut literal = open("/d/os/$/Debian.yaml");
    literal.put_beside([open("/d/os/$.yaml")].into());
    let files = MemoryFiles::new([("/d/os/Debian.yaml", "")]);
    assert_eq!(literal.fits(&files).expect("few ways").len(), 1);
    let mut shorter = open("/d/os/$/&.yaml");
    let other = format!("/d/os/{}-&.yaml", hole("z"));
    let files = MemoryFiles::new([("/d/os/Ubuntu-22.04.yaml", "")]);
    assert_eq!(shorter.fits(&files).expect("few ways").len(), 1);
    shorter.put_beside([open(&other)].into());
    assert_eq!(shorter.fits(&files).expect("few ways"), []);
    // The names of these files are no texts of the empty variable.
    assert_eq!(of_release(&["/d/os/$/&.yaml", "/d/os/Debian.yaml"]), both);
    assert_eq!(of_release(&["/d/os/$/&.yaml", "/d/os/&.yaml"]), both);
}

#[test]
fn dots_are_taken_out() {
    check(&["/d/web.yaml"], "/d/./x/../%{role}.yaml", false, &["/d/web.yaml role=web"]);
}

#[test]
fn a_directory_that_is_a_variable_leads_to_its_files() {
    let relative = format!("{}/common.yaml", hole("loc"));
    let open = OpenPath::joined("/d", &relative, false).expect("it has a variable");
    assert!(!open.is_obscure());
    let files = MemoryFiles::new(
        ["/d/bgo/common.yaml", "/d/common.yaml", "/common.yaml"].map(|it| (it, "")),
    );
    let found: Vec<_> =
        open.fits(&files).expect("few ways").into_iter().map(|it| (it.path, it.texts)).collect();
    // If it is empty, Puppet reads the server's own `/common.yaml`.
    assert_eq!(
        found,
        [(Arc::from("/d/bgo/common.yaml"), vec![(Arc::from("loc"), Arc::from("bgo"))])]
    );
    assert_eq!(open.filled(|_| Some("")).as_deref(), Some("/common.yaml"));
}

#[test]
fn names_that_may_be_empty_are_removed_once_they_are_known() {
    let path = |directory: &str| OpenPath::joined(directory, "../common.yaml", false);
    assert_eq!(path("/d/web"), None);
    assert_eq!(path(&format!("/d/web-{}", hole("role"))), None);
    let open = path(&format!("/d/e/{}", hole("role"))).expect("the role decides");
    assert!(open.is_obscure());
    assert_eq!(open.variables(), [Arc::from("role")]);
    assert_eq!(open.filled(|_| Some("web")).as_deref(), Some("/d/e/common.yaml"));
    assert_eq!(open.filled(|_| Some("")).as_deref(), Some("/d/common.yaml"));
    let files = MemoryFiles::new([("/d/common.yaml", ""), ("/d/e/common.yaml", "")]);
    let found = open.fits(&files).expect("few ways");
    let found: Vec<_> = found.iter().map(|it| (&*it.path, it.texts.len())).collect();
    assert_eq!(found, [("/d/common.yaml", 1), ("/d/e/common.yaml", 0)]);
    let below = OpenPath::joined(&format!("/d/{}", hole("role")), "./common.yaml", false);
    let below = below.expect("the role is a directory");
    assert_eq!((below.is_obscure(), &**below.text()), (false, "/d/\0role\0/common.yaml"));
}

#[test]
fn globs_too() {
    let files = ["/d/web/a.yaml", "/d/web/b.yaml", "/d/db/x/c.yaml"];
    check(&files, "/d/%{role}/*.yaml", true, &["/d/web/a.yaml role=web", "/d/web/b.yaml role=web"]);
    check(
        &files,
        "/d/%{role}/**/*.{yaml,json}",
        true,
        &[
            "/d/db/x/c.yaml role=db",
            "/d/db/x/c.yaml role=",
            "/d/web/a.yaml role=web",
            "/d/web/a.yaml role=",
            "/d/web/b.yaml role=web",
            "/d/web/b.yaml role=",
        ],
    );
}

#[test]
fn holes_are_shown_as_variables() {
    let text = format!("/d/{}.yaml", hole("facts.os.family"));
    assert_eq!(shown(&text), "/d/%{facts.os.family}.yaml");
    assert_eq!(variables_of(&text), [Arc::from("facts.os.family")]);
}

#[test]
fn too_many_ways_are_not_listed() {
    let name = |number: usize| format!("/d/some-long-file-name-number-{number}-x-y-z.yaml");
    let names: Vec<String> = (0..300).map(name).collect();
    let files = MemoryFiles::new(names.iter().map(|it| (&**it, "")));
    let check = |template: &str, is_glob: bool, are_listed: bool| {
        let text = template.replace("%{", "\0").replace('}', "\0");
        let path = OpenPath::new(text.into(), is_glob);
        assert_eq!(path.fits(&files).is_some(), are_listed, "{template}");
        assert!(path.may_have_many_ways(), "{template}");
        let file: Arc<str> = names[0].as_str().into();
        assert!(path.may_lead_to(&file), "{template}");
    };
    check("/d/%{a}%{b}.yaml", false, true);
    check("/d/%{a}-%{b}-%{c}-%{d}.yaml", false, true);
    check("/d/%{a}%{b}%{c}%{d}%{e}.yaml", false, false);
    check("/d/%{a}*.yaml", true, true);
    check("/d/%{a}*%{b}*.yaml", true, false);
    check("/%{a}/**/*.yaml", true, true);
}
