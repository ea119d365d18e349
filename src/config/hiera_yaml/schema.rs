//! The schema of each version of `hiera.yaml`, as Puppet types, and the errors about a file that violates it.

use std::sync::LazyLock;

use super::ProblemDetail;
use super::reader::ConfigReader;
use crate::data::puppet_type::{self, StructElement, Type};
use crate::data::{Hash, Located, Place, Value};

/// Puppet's own expression. `:?` was surely meant to be `?:`; as it is, it accepts `a:b`.
const OPTIONS: &str = r"Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/], Data]";

static VERSION_5: LazyLock<Type> = LazyLock::new(|| {
    let level = format!(
        "Struct[{{'name' => String[1], Optional['options'] => {OPTIONS}, \
         Optional['data_hash'] => String[1], Optional['lookup_key'] => String[1], \
         Optional['hiera3_backend'] => String[1], Optional['v4_data_hash'] => String[1], \
         Optional['data_dig'] => String[1], Optional['path'] => String[1], \
         Optional['paths'] => Array[String[1], 1], Optional['glob'] => String[1], \
         Optional['globs'] => Array[String[1], 1], Optional['uri'] => String[1], \
         Optional['uris'] => Array[String[1], 1], \
         Optional['mapped_paths'] => Array[String[1], 3, 3], Optional['datadir'] => String[1]}}]"
    );
    type_of(&format!(
        "Struct[{{'version' => Integer[5, 5], Optional['defaults'] => Struct[{{\
         Optional['data_hash'] => String[1], Optional['lookup_key'] => String[1], \
         Optional['data_dig'] => String[1], Optional['datadir'] => String[1], \
         Optional['options'] => {OPTIONS}}}], Optional['hierarchy'] => Array[{level}], \
         Optional['plan_hierarchy'] => Array[{level}], \
         Optional['default_hierarchy'] => Array[{level}]}}]"
    ))
});

static VERSION_4: LazyLock<Type> = LazyLock::new(|| {
    type_of(
        "Struct[{'version' => Integer[4, 4], Optional['datadir'] => String[1], \
         Optional['hierarchy'] => Array[Struct[{'backend' => String[1], 'name' => String[1], \
         Optional['datadir'] => String[1], Optional['path'] => String[1], \
         Optional['paths'] => Array[String[1]]}]]}]",
    )
});

static VERSION_3: LazyLock<Type> = LazyLock::new(|| {
    type_of(
        "Struct[{Optional['version'] => Integer[3, 3], \
         Optional['backends'] => Variant[String[1], Array[String[1]]], \
         Optional['logger'] => String[1], \
         Optional['merge_behavior'] => Enum['deep', 'deeper', 'native'], \
         Optional['deep_merge_options'] => Hash[String[1], Variant[String, Boolean]], \
         Optional['hierarchy'] => Variant[String[1], Array[String[1]]]}]",
    )
});

static BACKEND_OF_VERSION_3: LazyLock<Type> = LazyLock::new(|| type_of("Hash[String[1], Any]"));

fn type_of(text: &str) -> Type {
    puppet_type::parse(text).expect("the schema is a Puppet type")
}

/// Whether the file matches the schema of version 5.
pub(super) fn check_version_5(reader: &mut ConfigReader<'_>, root: &Located) -> bool {
    check(reader, &VERSION_5, root)
}

/// Whether the file matches the schema of version 4.
pub(super) fn check_version_4(reader: &mut ConfigReader<'_>, root: &Located) -> bool {
    check(reader, &VERSION_4, root)
}

/// Whether the file matches the schema of version 3, which has one more key for each back end.
pub(super) fn check_version_3(
    reader: &mut ConfigReader<'_>,
    root: &Located,
    backends: &[&str],
) -> bool {
    let mut expected = VERSION_3.clone();
    if let Type::Struct(elements) = &mut expected {
        for backend in backends {
            let value = BACKEND_OF_VERSION_3.clone();
            let element = StructElement { name: (*backend).into(), is_optional: true, value };
            // A back end may have the name of another key, such as `logger`. Puppet then checks that key as a back end.
            match elements.iter_mut().find(|it| *it.name == **backend) {
                Some(known) => *known = element,
                None => elements.push(element),
            }
        }
    }
    check(reader, &expected, root)
}

fn check(reader: &mut ConfigReader<'_>, expected: &Type, root: &Located) -> bool {
    let subject = format!("The Lookup Configuration at '{}'", reader.path);
    match puppet_type::assert_instance(&subject, expected, &root.value) {
        Ok(()) => true,
        Err(message) => {
            // Puppet repeats the subject on every line of a message with several problems, and indents all lines but the first.
            let beginning = format!("{subject} has wrong type, ");
            let details = message
                .trim_start()
                .split(&format!("\n  {beginning}"))
                .map(|text| text.strip_prefix(&beginning).unwrap_or(text))
                .map(|text| ProblemDetail { message: text.to_owned(), place: place_of(text, root) })
                .collect();
            reader.crash_with_details(message, details);
            false
        }
    }
}

/// Follows an error (`entry 'hierarchy' index 0 unrecognized key 'foo'`) to the place that it is about.
fn place_of(complaint: &str, root: &Located) -> Option<Place> {
    let mut rest = complaint;
    let mut at = root;
    let mut place = root.place;
    loop {
        if let Some(key) =
            rest.strip_prefix("unrecognized key ").or(rest.strip_prefix("key of entry "))
        {
            return member_named(at.value.as_hash()?, key)?.1;
        } else if let Some(after) = rest.strip_prefix("entry ") {
            let (name_length, key_place, value) = member_named(at.value.as_hash()?, after)?;
            // A key without a value (`path:`) has no text that could be marked, so the key is marked.
            place = value.place.filter(|place| !place.range.is_empty()).or(key_place);
            at = value;
            rest = after.get(name_length..)?.trim_start();
        } else if let Some(after) = rest.strip_prefix("index ") {
            let (index, after) = after.split_once(' ')?;
            at = at.value.as_array()?.get(index.parse::<usize>().ok()?)?;
            place = at.place.filter(|place| !place.range.is_empty()).or(place);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("variant ") {
            rest = after.split_once(' ')?.1;
        } else {
            return place.or_else(|| at.value.as_hash()?.iter().next()?.1.key_place);
        }
    }
}

/// The member whose quoted name is at the start of `text`, and the length of that name.
fn member_named<'h>(hash: &'h Hash, text: &str) -> Option<(usize, Option<Place>, &'h Located)> {
    // A key may contain quotes itself, so several keys can match. The longest one is meant.
    hash.iter()
        .filter_map(|(key, member)| {
            let quoted = format!("'{}'", key.as_str()?);
            text.starts_with(&quoted).then_some((quoted.len(), member.key_place, &member.value))
        })
        .max_by_key(|found| found.0)
}

/// A hash as a value without a position, as the schema describes it.
pub(super) fn whole(root: &Hash) -> Located {
    Value::hash(root.clone()).unplaced()
}
