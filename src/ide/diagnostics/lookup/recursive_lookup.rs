//! `recursive-lookup`: a value leads back to itself through `lookup`, `hiera` or `alias`.
//!
//! The engine evaluates this for the active node, case by case: only what a node really reads can recurse.

use crate::data::Value;
use crate::engine::{Assumed, Condition, Failure};
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::failing_nodes::failing_nodes_of;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::ide::perspective::Perspective;
use crate::ide::places;
use crate::ide::strings::PlacedName;
use crate::syntax::interpolation;
use crate::syntax::key_path::{self, KeyPath, Segment};

pub(crate) const RULE: Rule = Rule {
    code: "recursive-lookup",
    name: "Recursive lookup",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A key's value looks the key itself up again, directly or through other keys.",
    page: include_str!("../../../../docs/rules/recursive-lookup.md"),
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

const PUPPETS_WORDS: &str = "Recursive lookup detected in [";

/// Checks the root key `key`, whose value in the file at `path` looks up `looked_up`; `start` is where the entry starts.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let looked_up = &at.summary.looked_up;
    let Some(perspective) = at.perspective.filter(|_| !looked_up.is_empty()) else { return };
    let (key, path, start) = (at.key(), at.file.path, at.entry.start);
    // If all tokens lead to keys that look up nothing, the index of keys shows this without a lookup.
    let is_end = |token: &PlacedName| {
        let path = key_path::parse(&token.name).ok();
        let root = path.as_ref().and_then(KeyPath::root_name);
        root.zip(at.known()).is_some_and(|(root, known)| known.looks_up_nothing(root))
    };
    // What the tokens of other keys lead to takes longer to find out.
    let never_leads_back = || at.known().is_some_and(|known| known.never_leads_back(key));
    if (looked_up.iter().all(is_end) || never_leads_back()) && !at.file.do_variables_look_up() {
        return;
    }
    let asked = lookup_text(key);
    let Some(Recursion { words, names, nodes, is_certain }) = recursion(perspective, &asked) else {
        return;
    };
    let at = names.iter().position(|name| *name == asked).unwrap_or(0);
    let next = names.get(at + 1).unwrap_or(&asked);
    // A key that only leads to a circle has no finding. The keys of the circle itself have one.
    if !is_in_circle(perspective, key, &asked, next) || !is_read_here(perspective, path, key) {
        return;
    }
    if let Some(token) = looked_up.iter().find(|token| &*token.name == next.as_str()) {
        let nodes = if is_certain { String::new() } else { format!(" for {nodes}") };
        let message = format!("{words}\nThe lookup of `{key}` fails{nodes}.");
        let severity = if is_certain { RULE.severity } else { Severity::Warning };
        let finding = report.add_as(&RULE, severity, token.range.shifted(start), message);
        finding.related = circle(perspective, key, &names[at..]);
    }
}

/// A lookup that leads back to itself.
struct Recursion {
    /// Puppet's message.
    words: String,
    /// The keys in it.
    names: Vec<String>,
    /// For which nodes this is so, in words.
    nodes: String,
    /// Whether it is so for all nodes that the perspective stands for.
    is_certain: bool,
}

impl Recursion {
    fn of(failure: &Failure, nodes: String, is_certain: bool) -> Option<Self> {
        let words = &failure.message[failure.message.find(PUPPETS_WORDS)?..];
        let names = words[PUPPETS_WORDS.len()..].trim_end_matches(']');
        let names = names.split(", ").map(str::to_owned).collect();
        Some(Self { words: words.to_owned(), names, nodes, is_certain })
    }
}

/// The recursion in which the lookup of `key` ends for the node, or in the first case of several for a node without a fact set.
fn recursion(perspective: &Perspective, key: &str) -> Option<Recursion> {
    let node = perspective.evaluator.node();
    if let Some(failure) = perspective.evaluator.certain_failure(key) {
        return Recursion::of(&failure, node.name.to_string(), true);
    }
    // Most keys are named by no text, so they cannot be in a circle. All cases of a key take long.
    let environment = perspective.evaluator.environment();
    let is_named = || perspective.world.key_index(environment).is_looked_up(key);
    if node.is_complete() || !is_named() {
        return None;
    }
    let answer = perspective.answer(key);
    answer.each_case().into_iter().find_map(|(conditions, case)| {
        let failure = case.outcome.as_ref().err()?;
        let found = Recursion::of(failure, failing_nodes_of(node, &[conditions], false), false)?;
        (!is_excluded(perspective, key, conditions)).then_some(found)
    })
}

/// Whether a case is that of a node with a fact set, for which the lookup does not recurse: its facts do not fit the case.
fn is_excluded(perspective: &Perspective, key: &str, conditions: &[Condition]) -> bool {
    let name = conditions.iter().find_map(|it| match &it.value {
        Assumed::Text(name) if ["trusted.certname", "clientcert"].contains(&&*it.variable) => {
            Some(name)
        }
        _ => None,
    });
    let (world, environment) = (&perspective.world, perspective.evaluator.environment());
    let nodes = world.nodes(environment);
    let node = name.and_then(|name| nodes.iter().find(|it| it.name == *name && it.is_complete()));
    node.is_some_and(|node| {
        let failure = world.quiet_evaluator(environment, node).certain_failure(key);
        failure.is_none_or(|it| !it.message.contains(PUPPETS_WORDS))
    })
}

/// Whether the recursion returns to `key`. If `key` only leads into the circle, the next key does not lead back to it.
fn is_in_circle(perspective: &Perspective, key: &str, asked: &str, next: &str) -> bool {
    let is_of_key = |name: &String| {
        key_path::parse(name).is_ok_and(|path| path.root_name().is_some_and(|root| &**root == key))
    };
    next == asked || recursion(perspective, next).is_some_and(|it| it.names.iter().any(is_of_key))
}

/// The places of the other keys of the circle for the node, in the order of the lookups. The last one leads back to `key`.
fn circle(perspective: &Perspective, key: &str, names: &[String]) -> Vec<Related> {
    let Some(asked) = names.first() else { return Vec::new() };
    let steps = names.iter().zip(names.iter().skip(1).chain([asked])).skip(1);
    let related = steps.filter_map(|(name, next)| {
        let path = key_path::parse(name).ok()?;
        // The circle starts at a member of the key itself.
        path.root_name().filter(|root| &***root != key)?;
        // Other nodes may find the key in another file, which does not lead on.
        let mut places = places::places(perspective, &path);
        let at =
            places.iter().position(|it| it.value().is_some_and(|it| looks_up(&it.value, next)));
        let place = (!places.is_empty()).then(|| places.swap_remove(at.unwrap_or(0)))?;
        let range = place.shown_place()?.range;
        let message = format!("`{name}` looks up `{next}`");
        Some(Related { path: Some(place.path), range, message })
    });
    related.collect()
}

/// Whether a string of the value looks up a key by this text.
fn looks_up(value: &Value, key: &str) -> bool {
    match value {
        Value::String(text) => {
            let tokens = interpolation::tokens(text);
            tokens.iter().any(|it| it.lookup_key().is_some_and(|(name, _)| **name == *key))
        }
        Value::Array(items) => items.iter().any(|item| looks_up(&item.value, key)),
        Value::Hash(hash) => hash
            .iter()
            .any(|(name, member)| looks_up(name, key) || looks_up(&member.value.value, key)),
        _ => false,
    }
}

fn is_read_here(perspective: &Perspective, path: &str, key: &str) -> bool {
    let key = KeyPath { root: Segment::Name(key.into()), rest: Vec::new() };
    places::places(perspective, &key).iter().any(|place| &*place.path == path)
}

/// The root key as a lookup names it.
fn lookup_text(key: &str) -> String {
    let segment = Segment::Name(key.into());
    crate::ide::context::lookup_key(std::iter::once(&segment)).unwrap_or_else(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn a_key_itself_and_a_circle() {
        check(
            r#"
a: "%{lookup('a')}"
#   ^^^^^^^^^^^^^^ error[recursive-lookup]: Recursive lookup detected in [a]…
b: ["%{alias('c.x')}"]
#    ^^^^^^^^^^^^^^^ error[recursive-lookup]
c: {x: "%{alias('b')}"}
#       ^^^^^^^^^^^^^ error[recursive-lookup]
d: "%{lookup('e')}"
e: 1
"#,
        );
    }

    #[test]
    fn what_only_leads_to_a_circle_is_not_to_blame() {
        check(
            r#"
a: "%{lookup('a')}"
#   ^^^^^^^^^^^^^^ error[recursive-lookup]
b: "%{lookup('a')}"
"#,
        );
    }

    #[test]
    fn other_levels_may_break_the_circle() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: r, path: 'roles/%{facts.role}.yaml'}, {name: c, path: common.yaml}]
#- /data/roles/web.yaml
a: x
e: "%{lookup('f')}"
#   ^^^^^^^^^^^^^^ error[recursive-lookup]: Recursive lookup detected in [e, f] The lookup of `e` fails.
#- /data/common.yaml
a: "%{lookup('b')}"
#   ^^^^^^^^^^^^^^ warning[recursive-lookup]: Recursive lookup detected in [a, b] The lookup of `a` fails for any node, unless another level decides.
b: "%{lookup('a')}"
#   ^^^^^^^^^^^^^^ warning[recursive-lookup]
c: "%{lookup('a')}"
e: 1
f: "%{lookup('e')}"
#   ^^^^^^^^^^^^^^ warning[recursive-lookup]: Recursive lookup detected in [f, e] The lookup of `f` fails for any node, if role is web.
"#,
        );
    }

    #[test]
    fn the_file_that_leads_on_is_shown() {
        check_related(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: s, path: 'site/%{site}.yaml'}, {name: c, path: common.yaml}]
#- /data/site/bgo.yaml
a: []
#- /data/site/osl.yaml
# x
a: "%{alias('h')}"
#- /data/common.yaml
h: "%{alias('a')}"
"#,
            "recursive-lookup",
            &["/data/common.yaml: h: `h` looks up `a`", "/data/site/osl.yaml: a: `a` looks up `h`"],
        );
    }

    #[test]
    fn facts_can_exclude_a_circle() {
        let files = |role: &str, findings: [&str; 2]| {
            let [of_node, of_role] = findings;
            format!(
                "#- /.hiera-ls.yaml\nnodes: {{web1.ex.com: {{facts: {{role: {role}}}}}}}\n\
                 #- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: n, path: 'nodes/%{{trusted.certname}}.yaml'}}\n- {{name: r, path: 'role/%{{facts.role}}.yaml'}}\n\
                 #- /data/nodes/web1.ex.com.yaml\nz: \"%{{lookup('x')}}\"\n{of_node}\
                 #- /data/role/db.yaml\nx: \"%{{lookup('z')}}\"\n{of_role}"
            )
        };
        check(&files("web", ["", ""]));
        let found = |severity: &str| format!("#   ^^^^^^^^^^^^^^ {severity}[recursive-lookup]\n");
        check(&files("db", [&found("error"), &found("warning")]));
    }

    #[test]
    fn the_circle_is_shown() {
        check_related(
            r#"
a: "%{lookup('b.x')}"
b: {x: "%{alias('c')}"}
c: "%{lookup('a')}"
"#,
            "recursive-lookup",
            &[
                "/data/common.yaml: x: `b.x` looks up `c`",
                "/data/common.yaml: c: `c` looks up `a`",
                "/data/common.yaml: c: `c` looks up `a`",
                "/data/common.yaml: a: `a` looks up `b.x`",
                "/data/common.yaml: a: `a` looks up `b.x`",
                "/data/common.yaml: x: `b.x` looks up `c`",
            ],
        );
    }
}
