//! The trace as data, with the structure and the names of `puppet lookup --explain --render-as json|yaml`.

use crate::data::render::Tree;
use crate::engine::trace::{FoundIn, Outcome, TraceKind, TraceNode};

/// The tree that Puppet renders: the only search of an explanation, or a list of its steps. Remarks on the whole lookup,
/// including the last error, are not part of it.
pub(super) fn of_explanation(trace: &TraceNode) -> Tree<'_> {
    match trace.branches.as_slice() {
        [only] => of_step(only),
        [] => Tree::Record(Vec::new()),
        steps => Tree::Record(vec![("branches", of_steps(steps))]),
    }
}

fn of_steps(steps: &[TraceNode]) -> Tree<'_> {
    Tree::List(steps.iter().map(of_step).collect())
}

/// Puppet's order: branches, key, value, event, texts, type, and then the parts that only this type has.
fn of_step(step: &TraceNode) -> Tree<'_> {
    if let (TraceKind::Merge { .. }, [only]) = (&step.kind, step.branches.as_slice()) {
        return of_step(only);
    }
    if matches!(step.kind, TraceKind::MergeSource) {
        let source = Tree::Text("lookup_options".to_owned());
        return Tree::Record(vec![
            ("type", Tree::Symbol("merge_source")),
            ("merge_source", source),
        ]);
    }
    let mut parts = Vec::new();
    if !step.branches.is_empty() {
        parts.push(("branches", of_steps(&step.branches)));
    }
    if let Some(key) = key(step) {
        parts.push(("key", text(key)));
    }
    if let Some(outcome) = &step.outcome {
        add_outcome(outcome, &mut parts);
    }
    if !step.texts.is_empty() {
        parts.push(("texts", Tree::List(step.texts.iter().map(|it| text(it)).collect())));
    }
    parts.push(("type", Tree::Symbol(type_name(&step.kind))));
    add_own_parts(&step.kind, &mut parts);
    Tree::Record(parts)
}

fn text<'a>(text: &str) -> Tree<'a> {
    Tree::Text(text.to_owned())
}

fn key(step: &TraceNode) -> Option<&str> {
    match (&step.outcome, &step.kind) {
        (Some(Outcome::Found { key, .. } | Outcome::NotFound { key }), _)
        | (_, TraceKind::Search { key, .. } | TraceKind::InvalidKey(key)) => Some(key),
        _ => None,
    }
}

fn add_outcome<'a>(outcome: &'a Outcome, parts: &mut Vec<(&'static str, Tree<'a>)>) {
    let event = match outcome {
        Outcome::Found { source: FoundIn::Data, .. } => "found",
        Outcome::Found { source: FoundIn::Overrides, .. } => "found_in_overrides",
        Outcome::Found { source: FoundIn::Defaults, .. } => "found_in_defaults",
        Outcome::Result(_) => "result",
        Outcome::NotFound { .. } => "not_found",
        Outcome::LocationNotFound => "location_not_found",
        Outcome::LocationNotKnown { .. } => "location_not_known",
        Outcome::ModuleNotFound => "module_not_found",
        Outcome::ModuleProviderNotFound => "module_provider_not_found",
        Outcome::Opaque { .. } => "not_evaluated",
    };
    if let Outcome::Found { value, .. } | Outcome::Result(value) = outcome {
        parts.push(("value", Tree::Value(&value.value)));
    }
    parts.push(("event", Tree::Symbol(event)));
    if let Outcome::Opaque { function, .. } = outcome {
        parts.push(("function", text(function)));
    }
}

fn type_name(kind: &TraceKind) -> &'static str {
    match kind {
        TraceKind::Explanation | TraceKind::Search { .. } => "root",
        TraceKind::InvalidKey(_) => "invalid_key",
        TraceKind::MergeSource => "merge_source",
        TraceKind::Module(_) => "module",
        TraceKind::Layer { .. } | TraceKind::Level { .. } => "data_provider",
        TraceKind::Location { is_uri: true, .. } => "uri",
        TraceKind::Location { is_uri: false, .. } => "path",
        TraceKind::Merge { .. } => "merge",
        TraceKind::Interpolation(_) => "interpolate",
        TraceKind::Scope(_) => "scope",
        TraceKind::SubKey(_) => "sub_key",
        TraceKind::Segment(_) => "segment",
    }
}

/// The parts that only one type has. As in Puppet, a module that was not found is not named, nor are the segments of a sub
/// key.
fn add_own_parts<'a>(kind: &'a TraceKind, parts: &mut Vec<(&'static str, Tree<'a>)>) {
    match kind {
        TraceKind::Layer { title, config, module } => {
            parts.push(("name", text(title)));
            parts.extend(config.as_ref().map(|it| ("configuration_path", text(it))));
            parts.extend(module.as_ref().map(|it| ("module", text(it))));
        }
        TraceKind::Level { title: name, .. } | TraceKind::Scope(name) => {
            parts.push(("name", text(name)));
        }
        TraceKind::Location { is_uri, original, location } => {
            let names = if *is_uri { ["original_uri", "uri"] } else { ["original_path", "path"] };
            parts.push((names[0], text(original)));
            parts.push((names[1], text(location)));
        }
        TraceKind::Merge { strategy, options } => {
            parts.push(("merge", Tree::Symbol(strategy)));
            parts.extend(options.as_ref().map(|it| ("options", Tree::Value(it))));
        }
        TraceKind::Interpolation(expression) => parts.push(("expression", text(expression))),
        TraceKind::Explanation
        | TraceKind::Search { .. }
        | TraceKind::InvalidKey(_)
        | TraceKind::MergeSource
        | TraceKind::Module(_)
        | TraceKind::SubKey(_)
        | TraceKind::Segment(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::render::{tree_to_json, tree_to_yaml};
    use crate::data::{Hash, Value};

    fn found(value: &Value) -> TraceNode {
        let mut step = TraceNode::new(TraceKind::Scope("s".into()));
        let (key, value) = ("k".into(), value.clone().unplaced());
        step.outcome = Some(Outcome::Found { key, value, source: FoundIn::Data });
        step
    }

    fn explanation(branches: Vec<TraceNode>) -> TraceNode {
        TraceNode { branches, ..TraceNode::new(TraceKind::Explanation) }
    }

    fn check_json(branches: Vec<TraceNode>, expected: &str) {
        assert_eq!(tree_to_json(&of_explanation(&explanation(branches))), expected);
    }

    #[test]
    fn one_step_stands_for_the_whole_explanation() {
        let scope = r#"{"key":"k","value":1,"event":"found","type":"scope","name":"s"}"#;
        check_json(vec![found(&Value::Integer(1))], scope);
        let both = format!("{{\"branches\":[{scope},{scope}]}}");
        check_json(vec![found(&Value::Integer(1)), found(&Value::Integer(1))], &both);
        check_json(vec![], "{}");
    }

    #[test]
    fn a_merge_of_one_branch_is_that_branch() {
        let mut merge = TraceNode::new(TraceKind::Merge { strategy: "deep", options: None });
        merge.branches.push(found(&Value::Undef));
        check_json(
            vec![merge.clone()],
            r#"{"key":"k","value":null,"event":"found","type":"scope","name":"s"}"#,
        );
        merge.branches.clear();
        check_json(vec![merge], r#"{"type":"merge","merge":"deep"}"#);
    }

    #[test]
    fn the_same_object_is_an_alias_and_an_equal_one_is_not() {
        let mut hash = Hash::new();
        hash.insert(Value::string("a"), None, Value::array(Vec::new()).unplaced());
        let value = Value::hash(hash);
        let steps = vec![found(&value), found(&value.copied()), found(&value)];
        let trace = explanation(steps);
        let step = |value: &str| {
            format!("- :key: k\n  :value:{value}\n  :event: :found\n  :type: :scope\n  :name: s\n")
        };
        let expected =
            ["---\n:branches:\n", &step(" &1\n    a: []"), &step("\n    a: []"), &step(" *1")];
        assert_eq!(tree_to_yaml(&of_explanation(&trace)), expected.concat());
    }
}
