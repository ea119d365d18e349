//! Previews, explanations and comparisons of small repositories, as text.

mod explanations;
mod many;
mod merged;
mod scopes;
mod secrets;

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::data::Files;
use crate::engine::CancelToken;
use crate::ide::fixture::Fixture;
use crate::ide::fixture_world::ROOT;
use crate::world::{Change, Host, MemoryDisk, World};

const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Roles
    path: 'roles/%{role}.yaml'
  - name: Common
    path: common.yaml
#- /.hiera-ls.yaml
node: web01
nodes:
  web01: {facts: {os: {family: Debian}}, variables: {role: web}}
  web02: {facts: {os: {family: Debian}}, variables: {role: web}}
  db01: {facts: {os: {family: RedHat}}, variables: {role: db}}
";

fn fixture(files: &str) -> Fixture {
    Fixture::parse(&format!("{HIERARCHY}{files}"))
}

/// The request at the cursor of a fixture.
fn at_cursor(fixture: &Fixture) -> Question {
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    Question { path: Some(file.world_path().into()), offset: Some(offset), ..Question::default() }
}

fn ask(world: &Arc<World>, question: &Question) -> Option<Preview> {
    merged_value(world, question, &CancelToken::default()).expect("the node is there")
}

#[track_caller]
fn check(files: &str, expected: &Expect) -> (Arc<World>, Preview) {
    let fixture = fixture(files);
    let world = fixture.world();
    let preview = ask(&world, &at_cursor(&fixture)).expect("there is a key");
    assert_is_consistent(&preview);
    expected.assert_eq(&preview.text);
    (world, preview)
}

/// Lines are in order, origins are comments of their lines.
#[track_caller]
fn assert_is_consistent(preview: &Preview) {
    let lines: Vec<&str> = preview.text.lines().collect();
    assert!(preview.lines.windows(2).all(|pair| pair[0].line < pair[1].line));
    for line in &preview.lines {
        let text = lines[line.line as usize];
        if let Some(origin) = line.origin {
            assert!(origin.slice(text).starts_with("# "), "{text}");
            assert_eq!(origin.end as usize, text.len());
        }
    }
}

/// The texts at the places of all lines that have one: `number file:text`.
fn places(world: &Arc<World>, preview: &Preview) -> Vec<String> {
    let shown = |line: &PreviewLine| {
        let place = line.place?;
        let path = world.path(place.file);
        let text = world.text(&path).ok()?;
        let path = path.strip_prefix(ROOT).unwrap_or(&path);
        Some(format!("{} {path}:{}", line.line, place.range.slice(&text)))
    };
    preview.lines.iter().filter_map(shown).collect()
}
