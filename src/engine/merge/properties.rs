//! Properties of merges on random values: each strategy is compared with a simple reference, and with laws that users rely
//! on.
//!
//! The oddities of the deep merge (`undef`, `false`, empty hashes, duplicates within one list) have their own tests; the
//! values generated here do not contain them.

use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as Generator;

use super::*;
use crate::data::render::to_exact_json;

/// A value without positions or special cases.
#[derive(Debug, Clone)]
enum Plain {
    Text(String),
    Number(i64),
    List(Vec<Plain>),
    Map(Vec<(String, Plain)>),
}

/// In Ruby, hashes with the same members are equal, whatever their order.
impl PartialEq for Plain {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Text(one), Text(other)) => one == other,
            (Number(one), Number(other)) => one == other,
            (List(items), List(others)) => items == others,
            (Map(members), Map(others)) => {
                members.len() == others.len() && members.iter().all(|it| others.contains(it))
            }
            _ => false,
        }
    }
}

use Plain::{List, Map, Number, Text};

fn without_duplicates(items: Vec<Plain>) -> Vec<Plain> {
    let mut kept: Vec<Plain> = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

fn plain() -> impl Generator<Value = Plain> {
    let scalar = prop_oneof!["[xyz]".prop_map(Text), (1_i64..4).prop_map(Number)];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|items| List(without_duplicates(items))),
            map_of(inner),
        ]
    })
}

fn map_of(inner: impl Generator<Value = Plain>) -> impl Generator<Value = Plain> {
    prop::collection::vec(("[abcd]", inner), 1..4).prop_map(|members| {
        let mut map: Vec<(String, Plain)> = Vec::new();
        for (key, value) in members {
            if !map.iter().any(|(it, _)| *it == key) {
                map.push((key, value));
            }
        }
        Map(map)
    })
}

fn maps() -> impl Generator<Value = Vec<Plain>> {
    prop::collection::vec(map_of(plain()), 1..5)
}

fn value(plain: &Plain) -> Value {
    match plain {
        Text(text) => Value::string(text.as_str()),
        Number(number) => Value::Integer(*number),
        List(items) => Value::array(items.iter().map(|it| value(it).into()).collect()),
        Map(members) => {
            let mut hash = Hash::new();
            for (key, it) in members {
                hash.insert(Value::string(key.as_str()), None, value(it).into());
            }
            Value::hash(hash)
        }
    }
}

/// The merged sources, the highest priority first, as text, because the order of keys matters.
fn merged(strategy: &str, sources: &[Plain]) -> String {
    let merge = Merge::of(Some(&Value::string(strategy))).expect("a strategy");
    let mut sources = sources.iter().map(|it| value(it).unplaced());
    let first = merge.convert_first(sources.next().expect("a source"));
    let merged = sources
        .try_fold(first, |high, low| merge.merge(high, low))
        .expect("these sources can be merged");
    to_exact_json(&merged.value).to_string()
}

fn text(plain: &Plain) -> String {
    to_exact_json(&value(plain)).to_string()
}

/// The keys of the lower priority come first, with the values of the higher priority.
fn hash_reference(high: &Plain, low: &Plain) -> Plain {
    combined(high, low, |high, _| high.clone())
}

/// The same at all depths; lists are joined, the lower priority's items first.
fn deep_reference(high: &Plain, low: &Plain) -> Plain {
    match (high, low) {
        (Map(_), Map(_)) => combined(high, low, deep_reference),
        (List(high), List(low)) => {
            List(without_duplicates(low.iter().chain(high).cloned().collect()))
        }
        _ => high.clone(),
    }
}

fn combined(high: &Plain, low: &Plain, both: impl Fn(&Plain, &Plain) -> Plain) -> Plain {
    let (Map(high), Map(low)) = (high, low) else { return high.clone() };
    let find = |map: &[(String, Plain)], key: &str| {
        map.iter().find(|(it, _)| it == key).map(|(_, value)| value.clone())
    };
    let mut members: Vec<(String, Plain)> = low
        .iter()
        .map(|(key, theirs)| {
            let value = find(high, key).map_or_else(|| theirs.clone(), |mine| both(&mine, theirs));
            (key.clone(), value)
        })
        .collect();
    members.extend(high.iter().filter(|(key, _)| find(low, key).is_none()).cloned());
    Map(members)
}

fn flattened(plain: &Plain, flat: &mut Vec<Plain>) {
    match plain {
        List(items) => {
            for it in items {
                flattened(it, flat);
            }
        }
        scalar => flat.push(scalar.clone()),
    }
}

fn folded(sources: &[Plain], merge: impl Fn(&Plain, &Plain) -> Plain) -> String {
    let (first, rest) = sources.split_first().expect("a source");
    text(&rest.iter().fold(first.clone(), |high, low| merge(&high, low)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hash_is_the_reference(sources in maps()) {
        prop_assert_eq!(merged("hash", &sources), folded(&sources, hash_reference));
    }

    #[test]
    fn deep_is_the_reference(sources in maps()) {
        prop_assert_eq!(merged("deep", &sources), folded(&sources, deep_reference));
    }

    #[test]
    fn reverse_deep_is_the_reference_with_priorities_the_other_way_round(sources in maps()) {
        let reversed = folded(&sources, |high, low| deep_reference(low, high));
        prop_assert_eq!(merged("reverse_deep", &sources), reversed);
    }

    #[test]
    fn unique_is_all_items_once(
        sources in prop::collection::vec(
            prop::collection::vec("[xyz]".prop_map(Text), 1..4), 2..5)
    ) {
        let sources: Vec<Plain> = sources.into_iter().map(List).collect();
        let mut flat = Vec::new();
        for it in &sources {
            flattened(it, &mut flat);
        }
        prop_assert_eq!(merged("unique", &sources), text(&List(without_duplicates(flat))));
    }

    #[test]
    fn first_is_the_highest(sources in prop::collection::vec(plain(), 1..4)) {
        let merge = Merge::of(Some(&Value::string("first"))).expect("a strategy");
        prop_assert!(merge.is_first_found());
        prop_assert_eq!(merged("first", &sources[..1]), text(&sources[0]));
    }

    #[test]
    fn one_source_is_left_as_it_is(source in map_of(plain())) {
        for strategy in ["hash", "deep", "unconstrained_deep", "reverse_deep"] {
            prop_assert_eq!(merged(strategy, std::slice::from_ref(&source)), text(&source));
        }
    }

    #[test]
    fn the_same_source_twice_changes_nothing(source in map_of(plain())) {
        for strategy in ["hash", "deep"] {
            prop_assert_eq!(merged(strategy, &[source.clone(), source.clone()]), text(&source));
        }
    }

    #[test]
    fn every_value_of_the_highest_hash_wins(sources in maps()) {
        let merged: serde_json::Value =
            serde_json::from_str(&merged("hash", &sources)).expect("JSON");
        let Map(members) = &sources[0] else { unreachable!("sources are maps") };
        for (key, it) in members {
            prop_assert_eq!(merged[key].to_string(), text(it));
        }
    }
}
