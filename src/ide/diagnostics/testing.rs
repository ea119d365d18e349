//! Shared code of the tests of rules: fixtures with the findings that they expect.

use crate::ide::fixture::Fixture;
use crate::ide::fixture_world::ROOT;
use crate::text::apply_edits;

/// Checks that the diagnostics of a fixture's files are those that it expects.
#[track_caller]
pub(super) fn check(fixture: &str) {
    let fixture = Fixture::parse_without_marks(fixture);
    if let Err(problems) = fixture.check_diagnostics() {
        panic!("{problems}");
    }
    if let Err(problems) = fixture.check_fixes() {
        panic!("{problems}");
    }
}

/// The related places of the findings of a rule: `/path: text: message`, one per line.
#[track_caller]
pub(super) fn check_related(fixture: &str, code: &str, expected: &[&str]) {
    let fixture = Fixture::parse_without_marks(fixture);
    let world = fixture.world();
    let mut related = Vec::new();
    for file in &fixture.files {
        let found = crate::ide::diagnostics(&world, &file.world_path());
        for place in found.iter().filter(|it| it.code == code).flat_map(|it| &it.related) {
            let path = place.path.as_deref().map_or(&*file.path, |it| {
                it.strip_prefix(ROOT).expect("the fixture's files lie below its root")
            });
            let other = fixture.file(path).expect("the place is in the fixture");
            let text = place.range.slice(&other.text);
            related.push(format!("{path}: {text}: {}", place.message));
        }
    }
    assert_eq!(related, expected);
}

/// The number of fixes of each finding of a rule in the first file of a fixture.
#[track_caller]
pub(super) fn fix_counts(fixture: &str, code: &str) -> Vec<usize> {
    let fixture = Fixture::parse_without_marks(fixture);
    let found = crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path());
    found.iter().filter(|it| it.code == code).map(|it| it.fixes.len()).collect()
}

/// The titles of the fixes of the only finding of a rule in the first file of a fixture.
#[track_caller]
pub(super) fn fix_titles(fixture: &str, code: &str) -> Vec<String> {
    let fixture = Fixture::parse_without_marks(fixture);
    let found = crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path());
    let finding = found.into_iter().find(|it| it.code == code).expect("a finding");
    finding.fixes.into_iter().map(|it| it.title).collect()
}

/// The text, with a comment at the end that makes it `length` bytes long.
pub(super) fn padded(text: &str, length: usize) -> String {
    format!("{text}#{}\n", "-".repeat(length - text.len() - 2))
}

/// The first file of a fixture after the first fix with this title.
#[track_caller]
pub(super) fn check_fix(fixture: &str, title: &str, expected: &str) {
    let fixture = Fixture::parse_without_marks(fixture);
    let file = &fixture.files[0];
    let found = crate::ide::diagnostics(&fixture.world(), &file.world_path());
    let mut fixes = found.iter().flat_map(|it| &it.fixes);
    let Some(fix) = fixes.find(|fix| fix.title == title) else {
        let fixes = found.iter().flat_map(|it| &it.fixes).map(|it| &it.title);
        panic!("no fix `{title}` but {:?}", fixes.collect::<Vec<_>>());
    };
    assert_eq!(apply_edits(&file.text, &fix.edits), expected);
    if let Err(problems) = fixture.check_fixes() {
        panic!("{problems}");
    }
}
