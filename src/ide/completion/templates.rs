//! Paths of a level in `hiera.yaml`: the existing files, and templates that lead to them.

use std::collections::BTreeSet;

use super::line::Spot;
use super::{Completion, CompletionKind, Completions, Place};
use crate::data::{Files, Format, Located, Value};
use crate::ide::flow_yaml::flow_text;
use crate::ide::matching::fit;
use crate::ide::rename::inside_string;
use crate::text::TextRange;
use crate::world::paths;

/// The maximum depth at which facts are searched.
const MAX_FACT_DEPTH: usize = 3;

/// The extensions of data files.
const EXTENSIONS: [&str; 6] = ["yaml", "yml", "eyaml", "json", "conf", "hocon"];

/// The suggested paths, each behind `begin`.
pub(super) fn complete(place: &Place<'_>, spot: &Spot, begin: &str) -> Completions {
    let world = &place.perspective.world;
    let Some(root) = paths::parent(place.path) else { return Completions::default() };
    let reach = world.reach(place.perspective.evaluator.environment());
    let own = reach.places.iter().filter(|it| *it.config == *place.path);
    let mut datadirs: BTreeSet<String> = own.map(|it| it.datadir().to_owned()).collect();
    datadirs.retain(|datadir| !datadir.contains('%'));
    if datadirs.is_empty() {
        datadirs.insert(paths::join(root, "data"));
    }
    let mut variables = Vec::new();
    for (name, member) in place.perspective.evaluator.node().variables() {
        // Other variables are copies of these, or differ between Puppet servers.
        if let Some(name @ ("facts" | "trusted")) = name.as_str() {
            collect(name, &member.value, 1, &mut variables);
        }
    }
    let mut found = BTreeSet::new();
    for datadir in &datadirs {
        add_files(place, datadir, "", &variables, &mut found);
        for item in world.list(datadir).iter().filter(|it| it.is_directory) {
            let directory = paths::join(datadir, &item.name);
            add_files(place, &directory, &format!("{}/", item.name), &variables, &mut found);
        }
    }
    let range = place.word(spot.start);
    let range = TextRange::new(range.start, end_of_path(place.text, range));
    let typed = place.typed(spot.start);
    let fitting = found.into_iter().filter(|(_, path)| fit(path, typed).is_some());
    let item = |(order, path): (u8, String)| {
        let written = match spot.quote {
            Some(quote) => inside_string(Format::Yaml, &quote.to_string(), &path),
            None => flow_text(&path),
        };
        Completion {
            insert: format!("{begin}{written}"),
            sort_text: Some(format!("{order}{path}")),
            ..Completion::new(&path, CompletionKind::Value, range)
        }
    };
    fitting.map(item).collect()
}

/// Adds the files of a directory, and, for those that are named after a value of the node, a template with the variable.
fn add_files(
    place: &Place<'_>,
    directory: &str,
    prefix: &str,
    variables: &[(String, String)],
    found: &mut BTreeSet<(u8, String)>,
) {
    for item in place.perspective.world.list(directory).iter().filter(|it| !it.is_directory) {
        let Some((stem, extension)) = item.name.rsplit_once('.') else { continue };
        if !EXTENSIONS.contains(&extension) || stem.is_empty() {
            continue;
        }
        let named = variables.iter().filter(|(_, value)| value == stem).map(|(name, _)| name);
        // With `0` and `1`, a path with a variable comes before the file that shows it.
        found.extend(named.map(|name| (0, format!("{prefix}%{{{name}}}.{extension}"))));
        found.insert((1, format!("{prefix}{}", item.name)));
    }
}

/// The texts of a variable and its members, by the names that read them.
fn collect(name: &str, value: &Located, depth: usize, found: &mut Vec<(String, String)>) {
    match &value.value {
        Value::String(text) => found.push((name.to_owned(), text.to_string())),
        Value::Hash(hash) if depth <= MAX_FACT_DEPTH => {
            for (key, member) in hash.iter() {
                let segment = key.as_str().and_then(crate::syntax::key_path::quote_segment);
                // A quote would end the string around the path.
                if let Some(segment) = segment.filter(|it| !it.contains(['\'', '"'])) {
                    collect(&format!("{name}.{segment}"), &member.value, depth + 1, found);
                }
            }
        }
        _ => {}
    }
}

/// Paths can contain characters that names cannot. `word` is the name at the cursor.
fn end_of_path(text: &str, word: TextRange) -> u32 {
    let count = |brace: char| word.slice(text).matches(brace).count();
    let mut depth = count('{').saturating_sub(count('}'));
    let behind = &text[word.end as usize..];
    let mut is_inside = |letter: char| match letter {
        '{' => {
            depth += 1;
            true
        }
        // A brace that the path does not open ends the hash around it.
        '}' if depth == 0 => false,
        '}' => {
            depth -= 1;
            true
        }
        _ => letter.is_alphanumeric() || "_-./%".contains(letter),
    };
    word.end + behind.find(|letter| !is_inside(letter)).unwrap_or(behind.len()) as u32
}
