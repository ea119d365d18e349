//! Which files have a name: one flat list for all names, because there can be millions of keys.

use super::IndexedFile;

/// The files of each name.
#[derive(Debug)]
pub(super) struct Holders {
    /// For each name's number, the start of its files in [`Self::files`].
    starts: Vec<u32>,
    /// Positions in the list of files, ascending for each name.
    files: Vec<u32>,
}

impl Default for Holders {
    fn default() -> Self {
        Self { starts: vec![0], files: Vec::new() }
    }
}

impl Holders {
    /// The files are counted before they are listed, so both lists get their final length at once.
    pub(super) fn new(files: &[IndexedFile]) -> Self {
        let last = files.iter().filter_map(|file| file.keys.numbers().max()).max();
        let names = last.map_or(0, |it| it as usize + 1);
        let mut starts = vec![0; names + 1];
        each_holder(files, names, |name, _| starts[name + 1] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut listed = vec![0; sum as usize];
        let mut ends = starts.clone();
        each_holder(files, names, |name, file| {
            listed[ends[name] as usize] = file;
            ends[name] += 1;
        });
        Self { starts, files: listed }
    }

    /// One more than the highest number of a name.
    pub(super) fn names(&self) -> usize {
        self.starts.len() - 1
    }

    /// The numbers of names that some file has. The interner also numbers names of other environments.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        let spans = self.starts.windows(2).zip(0u32..);
        spans.filter(|(span, _)| span[0] < span[1]).map(|(_, name)| name)
    }

    /// The files that have a name.
    pub(super) fn of(&self, name: u32) -> &[u32] {
        let at = name as usize;
        match self.starts.get(at..at + 2) {
            Some([start, end]) => &self.files[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// Each file of each name once, also if the file has the name twice.
fn each_holder(files: &[IndexedFile], names: usize, mut add: impl FnMut(usize, u32)) {
    let mut last = vec![u32::MAX; names];
    for (at, file) in (0..).zip(files) {
        // Millions of keys take half the time without a `for`, which would ask at each key in which list it is.
        file.keys.numbers().for_each(|name| {
            let last = &mut last[name as usize];
            if *last != at {
                *last = at;
                add(name as usize, at);
            }
        });
    }
}
