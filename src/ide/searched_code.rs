//! Code that is not parsed: Ruby code and ERB templates of modules are only searched for words.

use std::sync::Arc;

use crate::code::roots::{TOO_DEEP_FOR_CODE, TOO_MUCH_CODE};
use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::limits::{MAX_CODE_DEPTH, MAX_CODE_FILES};
use crate::world::{World, paths};

/// The extensions of Ruby code and of templates with Ruby code.
pub(crate) const RUBY: [&str; 2] = ["rb", "erb"];

/// The directories of a module that may contain Ruby code.
pub(crate) const WITH_RUBY: [&str; 2] = ["lib", "templates"];

/// The directories of a module, or of an environment, with code that uses it but that Puppet does not load with it.
pub(crate) const WITH_EXAMPLES: [&str; 3] = ["examples", "spec", "tests"];

/// The extensions of such code.
pub(crate) const EXAMPLES: [&str; 2] = ["pp", "rb"];

/// The files with one of the extensions below some directories of a module.
pub(crate) fn files_below(
    world: &World,
    module: &str,
    directories: &[&str],
    extensions: &[&str],
) -> Vec<Arc<str>> {
    let (mut found, mut is_new) = (Vec::new(), world.directories_met_once());
    for directory in directories {
        let directory = paths::join(module, directory);
        collect(world, &directory, (extensions, MAX_CODE_DEPTH), &mut is_new, &mut found);
    }
    found
}

/// The files in some directories of the environment itself and of its modules, in order: each has the extensions that are
/// beside its directories.
pub(crate) fn files_of_environment(
    world: &World,
    environment: &Environment,
    wanted: &[(&[&str], &[&str])],
) -> Vec<Arc<str>> {
    let roots = environment.root.iter().chain(environment.modules.values());
    let mut files: Vec<_> = roots
        .flat_map(|root| {
            let of_root = move |(directories, extensions): &(&[&str], &[&str])| {
                files_below(world, root, directories, extensions)
            };
            wanted.iter().flat_map(of_root)
        })
        .collect();
    files.sort_unstable();
    files.dedup();
    files
}

fn collect(
    world: &World,
    directory: &str,
    (extensions, depth): (&[&str], usize),
    is_new: &mut impl FnMut(&str) -> bool,
    found: &mut Vec<Arc<str>>,
) {
    let items = world.list(directory);
    if items.is_empty() || !is_new(directory) {
        return;
    }
    for item in items.iter() {
        let path = paths::join(directory, &item.name);
        if found.len() >= MAX_CODE_FILES {
            return world.left_out(directory, format!("{directory}{TOO_MUCH_CODE}"));
        }
        if item.is_directory && depth == 0 {
            world.left_out(&path, format!("{path}{TOO_DEEP_FOR_CODE}"));
        } else if item.is_directory {
            collect(world, &path, (extensions, depth - 1), is_new, found);
        } else if extensions.contains(&paths::extension(&item.name))
            && world.kind(&path) == PathKind::File
        {
            found.push(path.into());
        }
    }
}

/// The words of a text that may be keys. Keys contain colons and dashes.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

/// Whether the text has `name`, and not only as a part of a longer one.
pub(crate) fn holds_word(text: &str, name: &str) -> bool {
    word_places(text, name).next().is_some()
}

/// Whether the text has the name of a class, with or without a leading `::`.
pub(crate) fn names_class(text: &str, class: &str) -> bool {
    holds_word(text, class) || holds_word(text, &format!("::{class}"))
}

/// The bytes at which the text has `name`, where it is not a part of a longer one. A dash ends a name: `@port-1` reads a
/// variable.
pub(crate) fn word_places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = u32> + 't {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b':';
    let places = text.match_indices(name).filter(move |(at, _)| {
        let before = at.checked_sub(1).map(|it| text.as_bytes()[it]);
        let behind = text.as_bytes().get(at + name.len());
        !before.is_some_and(is_part) && !behind.is_some_and(|it| is_part(*it))
    });
    places.map(|(at, _)| at as u32)
}

/// Whether a string of Ruby code is the start of a name, and the code adds something: `"a::b::#{x}"`, `'a::b::' + x`, or
/// `'a::b::%s'`. The start contains the first name and its colons.
pub(crate) fn may_put_together(text: &str, name: &str) -> bool {
    let Some((first, _)) = name.split_once("::") else { return false };
    let first = &name[..first.len() + 2];
    text.match_indices(first).any(|(at, _)| {
        // A name may have colons before it, too.
        let before = text[..at].strip_suffix("::").unwrap_or(&text[..at]);
        let Some(quote) = before.chars().next_back().filter(|it| matches!(it, '"' | '\'')) else {
            return false;
        };
        let same = text[at..].chars().zip(name.chars()).take_while(|(a, b)| a == b);
        let (start, rest) = text[at..].split_at(same.map(|(it, _)| it.len_utf8()).sum());
        if let Some(after) = rest.strip_prefix(quote) {
            return start.ends_with("::") || after.trim_start().starts_with(['+', '<']);
        }
        rest.starts_with('%') || quote == '"' && rest.starts_with("#{")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Host, MemoryDisk};

    #[test]
    fn what_is_too_deep_is_named() {
        let deep = format!("/r/lib{}", "/d".repeat(MAX_CODE_DEPTH + 1));
        let files = [(format!("{deep}/x.rb"), "x"), (format!("{deep}.rb"), "y")];
        let files = files.each_ref().map(|(path, text)| (&**path, *text));
        let world = Host::new(Arc::new(MemoryDisk::new(files))).snapshot();
        let found = files_below(&world, "/r", &WITH_RUBY, &RUBY);
        assert_eq!(found, [format!("{deep}.rb").into()]);
        assert_eq!(world.notes(), [format!("{deep}{TOO_DEEP_FOR_CODE}")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_circles_are_followed_once() {
        use crate::settings::Settings;
        use crate::world::Disk;
        use std::os::unix::fs::symlink;

        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("a path");
        let lib = root.join("lib");
        std::fs::create_dir_all(lib.join("a")).expect("a directory");
        std::fs::write(lib.join("a/x.rb"), "x\n").expect("a file");
        for number in 0..12 {
            symlink(".", lib.join(format!("l{number}"))).expect("a link");
        }
        let root = root.to_str().expect("UTF-8");
        let world = World::on_disk(Arc::new(Disk), vec![root.into()], Settings::default());
        let found = files_below(&world, root, &WITH_RUBY, &RUBY);
        assert_eq!(found, [format!("{root}/lib/a/x.rb").into()]);
    }

    #[test]
    fn names_that_ruby_code_puts_together() {
        let check = |text: &str| may_put_together(text, "a::b::cd");
        for text in
            ["\"a::b::#{x}\"", "'::a::' + x", "'a::b::c' << x", "'a::b::%s' % x", "\"a::#{x}::e\""]
        {
            assert!(check(text), "{text}");
        }
        for text in [
            "'a::b::#{x}'",
            "'a::b::c', x",
            "\"a::e::#{x}\"",
            "a::b::",
            "'aa::b::' + x",
            "\"#{x}::cd\"",
        ] {
            assert!(!check(text), "{text}");
        }
        assert!(!may_put_together("'é' + x", "é"));
        // Two letters whose first bytes are the same.
        assert!(!may_put_together("'a::é' + x", "a::è"));
    }

    #[test]
    fn keys_and_names_are_found_as_words() {
        let text = "lookup('a::b', x.a::b-c, [a::b])xa::b a::b::c @a-1";
        assert_eq!(words(text).filter(|it| *it == "a::b").count(), 2);
        assert_eq!(word_places(text, "a::b").count(), 3);
        assert!(holds_word(text, "@a") && !holds_word(text, "b::c"));
    }
}
