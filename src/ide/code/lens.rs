//! Code lenses on class parameters say how many levels set them.

use std::sync::Arc;

use super::spot::class_parameters;
use crate::engine::{CancelToken, UsedMerge};
use crate::ide::cases;
use crate::ide::code_lens::CodeLens;
use crate::ide::overridden::SharedKey;
use crate::ide::perspective::Perspective;
use crate::world::World;

/// Returns a lens for each parameter that data sets for the active node, or in any of its cases.
pub(in crate::ide) fn code_lenses(
    world: &Arc<World>,
    path: &str,
    cancel: &CancelToken,
) -> Option<Vec<CodeLens>> {
    let settings = world.settings();
    if !(settings.code_lens_enabled && settings.code_lens_class_parameters) {
        return None;
    }
    let file = world.code_file(path)?;
    let perspective = Perspective::shown(world, path)?;
    let mut lenses = Vec::new();
    for parameter in class_parameters(&file) {
        if cancel.is_cancelled() {
            return None;
        }
        let key = parameter.key();
        if let Some(title) = title(&perspective, &key, cancel) {
            lenses.push(CodeLens { range: parameter.parameter.name_range, title, key });
        }
    }
    Some(lenses)
}

/// `set in 2 levels · deep`; `None` if nothing sets it.
fn title(perspective: &Perspective, key: &str, cancel: &CancelToken) -> Option<String> {
    let answer = perspective.answer_until(key, cancel);
    let mut sources = answer.sources_of_all_cases();
    sources.retain(|source| source.written.is_some());
    let shared = SharedKey { sources, answer };
    let (where_set, is_one) = match (shared.sources.as_slice(), shared.levels()) {
        ([], _) => return None,
        ([only], _) => (perspective.shown_path(&only.path), true),
        (files, 1) => (format!("{} files of one level", files.len()), false),
        (_, levels) => (format!("{levels} levels"), false),
    };
    let merge = shared.answer.merge.as_deref().map_or("first", UsedMerge::name);
    // With a single file, there is nothing to merge.
    let merge = if is_one { String::new() } else { format!(" · {merge}") };
    let depends = cases::depends_text(&shared.answer).map(|it| format!(" · {it}"));
    Some(format!("set in {where_set}{merge}{}", depends.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use crate::ide::code_lenses;
    use crate::ide::fixture::Fixture;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, paths: [extra.yaml, common.yaml]}
#- /data/nodes/web01.yaml
web::port: 8080
web::list: [1]
#- /data/extra.yaml
web::two: 1
#- /data/common.yaml
lookup_options: {web::list: {merge: unique}}
web::port: 80
web::list: [2]
web::one: 1
web::two: 1
web::d::x: 1
#- /modules/web/manifests/init.pp
class web($port, $list = [], $one, $two, $none) {
  define web::d($x) { }
}
";

    #[track_caller]
    fn check(settings: &str, expected: &[&str]) {
        let fixture =
            Fixture::parse_without_marks(&format!("{FILES}#- /.hiera-ls.yaml\n{settings}\n"));
        let file = fixture.file("/modules/web/manifests/init.pp").expect("it is there");
        let lenses = code_lenses(&fixture.world(), &file.world_path(), &CancelToken::default());
        let shown = lenses.iter().map(|it| format!("{} {}", it.range.slice(&file.text), it.title));
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn parameters_that_data_set() {
        check(
            "node: web01\nnodes: {web01: {facts: {a: 1}}}",
            &[
                "$port set in 2 levels · first",
                "$list set in 2 levels · unique",
                "$one set in data/common.yaml",
                "$two set in 2 files of one level · first",
            ],
        );
    }

    #[test]
    fn without_a_node_a_lens_says_what_it_depends_on() {
        check(
            "nodes: {}",
            &[
                "$port set in 2 levels · first · 1 node overrides it",
                "$list set in 2 levels · unique · 1 node overrides it",
                "$one set in data/common.yaml",
                "$two set in 2 files of one level · first",
            ],
        );
    }

    #[test]
    fn settings_turn_them_off() {
        check("codeLens: {classParameters: false}", &[]);
        check("codeLens: {enabled: false}", &[]);
    }
}
