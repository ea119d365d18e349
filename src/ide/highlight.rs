//! The places of one file that mention what is at the cursor.

use std::sync::Arc;

use super::file_role::FileRole;
use super::references::{self, Occurrence};
use crate::world::World;

/// The places in the file at `path` that mention what is at `offset`, in source order.
pub fn highlights(world: &Arc<World>, path: &str, offset: u32) -> Vec<Occurrence> {
    let Some(role) = FileRole::of(world, path) else { return Vec::new() };
    let Some(subject) = references::subject_at(world, path, offset) else { return Vec::new() };
    let Ok(file) = world.file(path) else { return Vec::new() };
    let mut found = references::in_file(&file.path, file.data(role.format()), &subject);
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let fixture = Fixture::parse(text);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let found = highlights(&fixture.world(), &file.world_path(), offset);
        let texts: Vec<_> = found.iter().map(|it| it.range.slice(&file.text)).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_key_and_who_asks_for_it() {
        check("a$0b: 1\nc: \"%{lookup('ab.x')}\"\nlookup_options: {ab: {}}\n", &["ab", "ab", "ab"]);
        check("a: {b$0: 1}\nc: \"%{lookup('a.b')}\"\n", &["b", "a.b"]);
    }

    #[test]
    fn a_variable_in_data_and_in_hiera_yaml() {
        check("a: '%{fa$0cts.x} %{facts.y}'\nfacts: 1\n", &["facts", "facts"]);
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: a, paths: ['%{fa$0cts.x}', '%{facts}']}]\n",
            &["facts", "facts"],
        );
    }
}
