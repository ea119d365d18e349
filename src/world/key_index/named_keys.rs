//! The root keys that data names: those that texts look up, and those that have options.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use memchr::memmem;

use super::{BulkIndex, FILES_AT_ONCE, IndexedFile, KeyIndex};
use crate::data::Format;
use crate::engine::LOOKUP_OPTIONS;
use crate::syntax::{interpolation, key_path};
use crate::world::file_entry::FileEntry;
use crate::world::parallel;
use crate::world::texts::Texts;

/// The root keys that one file names.
#[derive(Debug, Default)]
pub(in crate::world) struct NamesInFile {
    looked_up: HashSet<Arc<str>>,
    with_options: HashSet<Arc<str>>,
}

/// [`NamesInFile`] that is kept with the file.
pub(in crate::world) type NamedKeys = Arc<NamesInFile>;

/// For each root key, how many files of a bulk name it.
#[derive(Debug, Default)]
pub(super) struct Counts {
    looked_up: CountsByKey,
    with_options: CountsByKey,
}

type CountsByKey = HashMap<Arc<str>, u32, foldhash::fast::RandomState>;

/// What the files name that differ from the bulk.
#[derive(Debug, Default)]
pub(super) struct ChangedNames {
    added: Vec<NamedKeys>,
    /// What the same files name in the bulk, where they are counted.
    gone: Vec<NamedKeys>,
}

impl KeyIndex {
    /// Whether an interpolation or `lookup_options` of the data name a root key. The first call reads all texts. After an
    /// edit, only the edited file is read.
    pub fn is_named(&self, key: &str) -> bool {
        self.is_looked_up(key) || self.is_among(key, |it| &it.with_options, |it| &it.with_options)
    }

    /// Whether an interpolation in the data names a root key.
    pub fn is_looked_up(&self, key: &str) -> bool {
        self.is_among(key, |it| &it.looked_up, |it| &it.looked_up)
    }

    fn is_among(
        &self,
        key: &str,
        of_file: impl Fn(&NamesInFile) -> &HashSet<Arc<str>>,
        of_bulk: impl Fn(&Counts) -> &CountsByKey,
    ) -> bool {
        let ChangedNames { added, gone } =
            self.changed_names.get_or_init(|| self.find_changed_names());
        let among =
            |files: &[NamedKeys]| files.iter().filter(|it| of_file(it).contains(key)).count();
        let counted = of_bulk(self.bulk.named()).get(key).map_or(0, |count| *count as usize);
        counted + among(added) > among(gone)
    }

    fn find_changed_names(&self) -> ChangedNames {
        let mut found = ChangedNames::default();
        for (path, now) in &self.changed {
            found.added.extend(now.as_ref().and_then(|it| names_in(&self.texts, it)));
            let before = self.bulk.file(path).zip(self.bulk.texts.as_ref());
            found.gone.extend(before.and_then(|(it, texts)| names_in(texts, it)));
        }
        found
    }
}

impl BulkIndex {
    fn named(&self) -> &Counts {
        self.named.get_or_init(|| {
            let Some(texts) = &self.texts else { return Counts::default() };
            // Thousands of files name the same few keys, so their names are counted and not kept.
            let chunks: Vec<&[IndexedFile]> = self.files.chunks(FILES_AT_ONCE).collect();
            let counted = parallel::map(&chunks, |files| {
                let mut counts = Counts::default();
                for file in *files {
                    let Ok(entry) = texts.file(&file.path) else { continue };
                    let NamesInFile { looked_up, with_options } = named_keys(&entry, file.format);
                    let once = |name| (name, 1);
                    add_counts(&mut counts.looked_up, looked_up.into_iter().map(once));
                    add_counts(&mut counts.with_options, with_options.into_iter().map(once));
                }
                counts
            });
            let mut all = Counts::default();
            for Counts { looked_up, with_options } in counted {
                add_counts(&mut all.looked_up, looked_up);
                add_counts(&mut all.with_options, with_options);
            }
            all
        })
    }
}

fn add_counts(all: &mut CountsByKey, counts: impl IntoIterator<Item = (Arc<str>, u32)>) {
    counts.into_iter().for_each(|(name, count)| *all.entry(name).or_default() += count);
}

fn names_in(texts: &Texts, file: &IndexedFile) -> Option<NamedKeys> {
    Some(texts.file(&file.path).ok()?.named_keys(file.format).clone())
}

/// The root keys that a file looks up or has options for. The text is searched without a parser: a token in a comment counts,
/// too, which can only silence a finding.
pub(in crate::world) fn named_keys(entry: &FileEntry, format: Format) -> NamesInFile {
    let text = &*entry.text;
    let mut keys = NamesInFile::default();
    add_looked_up(text, &mut keys.looked_up);
    if let Some(text) = with_plain_quotes(text) {
        add_looked_up(&text, &mut keys.looked_up);
    }
    if memmem::find(text.as_bytes(), LOOKUP_OPTIONS.as_bytes()).is_some()
        && let Some(options) = entry.data(format).get(LOOKUP_OPTIONS)
        && let Some(options) = options.value.value.as_hash()
    {
        keys.with_options.extend(options.iter().filter_map(|(key, _)| key.as_str()).map(Arc::from));
    }
    keys
}

fn add_looked_up(text: &str, keys: &mut HashSet<Arc<str>>) {
    for token in interpolation::calls(text) {
        let root = token.lookup_key().and_then(|(key, _)| key_path::parse(key).ok());
        keys.extend(root.and_then(|path| path.root_name().cloned()));
    }
}

/// The text without the escapes of quotes, as in `"%{lookup('\"a.b\"')}"` and `'%{lookup(''a'')}'`; `None` if it has none.
fn with_plain_quotes(text: &str) -> Option<String> {
    let has = |escaped: &str| memmem::find(text.as_bytes(), escaped.as_bytes()).is_some();
    (has("%{") && (has("\\\"") || has("''"))).then(|| text.replace("\\\"", "\"").replace("''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    const FILES: [(&str, &str); 4] = [
        ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, globs: ['*.yaml', '*.json']}]\n"),
        ("/r/data/a.yaml", "a: \"%{lookup('b')} %{c}\"\nx: \"%{alias('d.e')}\"\n"),
        ("/r/data/b.yaml", "a: \"%{lookup('b')}\"\nlookup_options: {f: {merge: hash}}\n"),
        ("/r/data/c.json", "{\"a\": \"%{hiera('g')}\"}"),
    ];

    fn host() -> Host {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        host
    }

    /// The root keys of one letter that data names.
    fn named(host: &Host) -> String {
        letters(host, KeyIndex::is_named)
    }

    /// Those that interpolations name.
    fn looked_up(host: &Host) -> String {
        letters(host, KeyIndex::is_looked_up)
    }

    fn letters(host: &Host, is_meant: impl Fn(&KeyIndex, &str) -> bool) -> String {
        let world = host.snapshot();
        let environment = world.environment_of("/r/data/a.yaml").expect("there is one");
        let index = world.key_index(&environment);
        ('a'..='z').filter(|key| is_meant(&index, &key.to_string())).collect()
    }

    fn type_in(host: &mut Host, path: &str, text: &str) {
        let (path, text) = (path.to_owned(), text.to_owned());
        host.apply(Change::OpenBuffer { path, text, version: 1 });
    }

    #[test]
    fn interpolations_and_options_name_keys() {
        assert_eq!(named(&host()), "bdfg");
        assert_eq!(looked_up(&host()), "bdg");
    }

    #[test]
    fn quotes_in_tokens_may_have_escapes() {
        let mut host = host();
        type_in(&mut host, "/r/data/a.yaml", r#"a: ["%{lookup('\"k\"')}", "%{lookup(\"l\")}"]"#);
        assert_eq!(named(&host), "bfgkl");
        type_in(&mut host, "/r/data/a.yaml", "a: '%{lookup(''m'')}'\n");
        assert_eq!(named(&host), "bfgm");
    }

    #[test]
    fn edits_change_what_is_named() {
        let mut host = host();
        assert_eq!(named(&host), "bdfg");
        type_in(&mut host, "/r/data/a.yaml", "a: \"%{lookup('h')}\"\n");
        assert_eq!(named(&host), "bfgh", "another file still names b");
        type_in(&mut host, "/r/data/b.yaml", "lookup_options: {i: {merge: hash}}\n");
        assert_eq!(named(&host), "ghi");
        assert_eq!(looked_up(&host), "gh");
        host.apply(Change::CloseBuffer { path: "/r/data/a.yaml".to_owned() });
        assert_eq!(named(&host), "bdgi");
    }
}
