//! Filling a node's variables from the files of levels that its name says nothing of.

use std::collections::HashMap;
use std::sync::Arc;

use super::files::{Level, Row};
use super::variables::Variables;

/// The environment that is there unless someone takes it away.
const USUAL_ENVIRONMENT: &str = "production";

/// What is asked of all levels again for every node, made ready once.
pub(super) struct Filler<'a> {
    variables: &'a Variables,
    levels: Vec<IndexedLevel<'a>>,
}

/// A level, and where in its rows a variable has a text.
struct IndexedLevel<'a> {
    level: &'a Level,
    rows_with: HashMap<(usize, &'a str), Vec<usize>>,
}

impl<'a> Filler<'a> {
    /// Prepares to fill from the files of `levels`.
    pub(super) fn new(levels: &[&'a Level], variables: &'a Variables) -> Self {
        Self { variables, levels: levels.iter().map(|it| IndexedLevel::new(it)).collect() }
    }

    /// The row of the node `name`, as full as the files make it.
    pub(super) fn fill(&self, name: &str, seed: &Row) -> Row {
        let words = words_of(name);
        let mut row = self.variables.with_what_follows(seed);
        loop {
            let mut choices = Vec::new();
            let mut has_grown = false;
            for level in &self.levels {
                if !level.wants_more_than(&row) {
                    continue;
                }
                let fitting: Vec<&Row> = self.fitting(level, &row).take(2).collect();
                match (fitting.first(), fitting.get(1)) {
                    (Some(only), None) => {
                        row = self.taken(&row, only);
                        has_grown = true;
                    }
                    (Some(_), Some(_)) => choices.push(level),
                    _ => {}
                }
            }
            if !has_grown {
                let plausible = choices.into_iter().map(|it| self.most_plausible(it, &row, &words));
                // Of several that are equally plausible, `max_by_key` takes the last.
                let best = plausible.rev().max_by_key(|(score, _)| *score);
                let Some((_, best)) = best else { return row };
                row = self.taken(&row, best);
            }
        }
    }

    /// The level's rows that agree with `row`, in order.
    fn fitting<'f>(
        &'f self,
        level: &'f IndexedLevel<'a>,
        row: &'f Row,
    ) -> Box<dyn Iterator<Item = &'a Row> + 'f> {
        Box::new(self.plausible(level.fitting(row), row))
    }

    /// Those of `rows` whose operating system belongs to the family that `row` has, and the other way round.
    fn plausible<'f>(
        &'f self,
        rows: impl Iterator<Item = &'a Row> + 'f,
        row: &'f Row,
    ) -> impl Iterator<Item = &'a Row> + 'f {
        rows.filter(|it| self.variables.agree_on_family(row, it))
    }

    fn taken(&self, row: &Row, more: &Row) -> Row {
        let mut row = row.clone();
        row.take_missing_from(more);
        self.variables.with_what_follows(&row)
    }

    /// The fitting row with the most new texts that occur in the node's name, and their number; the first of several.
    fn most_plausible(
        &self,
        level: &IndexedLevel<'a>,
        row: &Row,
        words: &[&str],
    ) -> (usize, &'a Row) {
        let plausible = |(number, text): (usize, &Arc<str>)| {
            let is_usual = &**text == USUAL_ENVIRONMENT && self.variables.is_environment(number);
            row.get(number).is_none() && (is_usual || words.contains(&&**text))
        };
        let mut fitting = self.fitting(level, row);
        let mut best =
            fitting.next().expect("only levels with several rows to choose from get here");
        let mut best_score = best.iter().filter(|it| plausible(*it)).count();
        // Where nothing is known yet, only rows with one of the words can be better than the first.
        let fitting = if level.knows_none_of(row) {
            Box::new(self.plausible(level.rows_with_words(words), row))
        } else {
            fitting
        };
        for candidate in fitting {
            let score = candidate.iter().filter(|it| plausible(*it)).count();
            if score > best_score {
                (best, best_score) = (candidate, score);
            }
        }
        (best_score, best)
    }
}

impl<'a> IndexedLevel<'a> {
    fn new(level: &'a Level) -> Self {
        let mut rows_with: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
        for (index, row) in level.rows.iter().enumerate() {
            for (number, text) in row.iter() {
                rows_with.entry((number, &**text)).or_default().push(index);
            }
        }
        Self { level, rows_with }
    }

    /// Whether a variable of the level has no text in `row`.
    fn wants_more_than(&self, row: &Row) -> bool {
        self.level.variables().any(|it| row.get(it).is_none())
    }

    /// Whether no variable of the level has a text in `row`.
    fn knows_none_of(&self, row: &Row) -> bool {
        self.level.variables().all(|it| row.get(it).is_none())
    }

    /// The level's rows that agree with `row`, in order.
    fn fitting<'f>(&'f self, row: &'f Row) -> Box<dyn Iterator<Item = &'a Row> + 'f> {
        let rows = &self.level.rows;
        let known = self.level.variables().filter_map(|it| Some((it, &**row.get(it)?)));
        let shortest = known
            .map(|it| self.rows_with.get(&it).map_or(&[][..], Vec::as_slice))
            .min_by_key(|indices| indices.len());
        match shortest {
            None => Box::new(rows.iter()),
            Some(indices) => {
                Box::new(indices.iter().map(|it| &rows[*it]).filter(|it| row.agrees_with(it)))
            }
        }
    }

    /// The rows with a text that is one of `words`, or the usual environment; each once, in order.
    fn rows_with_words<'f>(&'f self, words: &[&str]) -> Box<dyn Iterator<Item = &'a Row> + 'f> {
        let mut indices: Vec<usize> = Vec::new();
        for number in self.level.variables() {
            for word in words.iter().chain(&[USUAL_ENVIRONMENT]) {
                indices.extend(self.rows_with.get(&(number, *word)).into_iter().flatten());
            }
        }
        indices.sort_unstable();
        indices.dedup();
        Box::new(indices.into_iter().map(|it| &self.level.rows[it]))
    }
}

/// The words of a node's name, with and without digits at their ends: `web01.ber.example.com` has `web01`, `web`, `ber`.
/// The name of a node that was made for one file is a path.
fn words_of(name: &str) -> Vec<&str> {
    let mut words = vec![name];
    for word in name.split(['.', '-', '_', '/']) {
        words.push(word);
        words.push(word.trim_end_matches(|it: char| it.is_ascii_digit()));
    }
    words.retain(|word| !word.is_empty());
    words
}
