//! Bytes that are not UTF-8 in the strings of JSON. Ruby's JSON keeps them as they are, so these strings are bytes.

use crate::data::value::{Hash, Located, Place, Value};
use crate::syntax::json;

/// Bytes that are not UTF-8, for which the text has a replacement character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedBytes {
    /// The offset of that character in the text.
    pub at: u32,
    /// The bytes on the disk.
    pub bytes: Box<[u8]>,
}

/// The hash with the strings as Ruby has them.
pub(super) fn with_bytes(hash: &Hash, text: &str, replaced: &[ReplacedBytes]) -> Hash {
    let mut copy = Hash::with_capacity(hash.len());
    for (key, member) in hash {
        let key = string_with_bytes(key, member.key_place, text, replaced);
        copy.insert(key, member.key_place, value_with_bytes(&member.value, text, replaced));
    }
    copy
}

fn value_with_bytes(it: &Located, text: &str, replaced: &[ReplacedBytes]) -> Located {
    let value = match &it.value {
        Value::Hash(hash) => Value::hash(with_bytes(hash, text, replaced)),
        Value::Array(items) => {
            let items = items.iter().map(|item| value_with_bytes(item, text, replaced));
            Value::array(items.collect())
        }
        other => string_with_bytes(other, it.place, text, replaced),
    };
    Located::new(value, it.place)
}

fn string_with_bytes(
    value: &Value,
    place: Option<Place>,
    text: &str,
    replaced: &[ReplacedBytes],
) -> Value {
    let (Value::String(decoded), Some(place)) = (value, place) else { return value.clone() };
    if !decoded.contains(char::REPLACEMENT_CHARACTER) {
        return value.clone();
    }
    let original = |at: usize| {
        let number = replaced.binary_search_by_key(&(at as u32), |it| it.at).ok()?;
        Some(&*replaced[number].bytes)
    };
    // They are UTF-8 if the file has this character itself.
    Value::of_bytes(json::string_bytes(text, place.range, &original))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataFile, FileId, Format};

    fn file(format: Format, bytes: &[u8]) -> DataFile {
        let mut text = String::new();
        let mut replaced = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                replaced
                    .push(ReplacedBytes { at: text.len() as u32, bytes: chunk.invalid().into() });
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        DataFile::with_replaced_bytes(FileId(0), format, text.into(), replaced.into())
    }

    #[test]
    fn strings_of_json_keep_their_bytes() {
        let file = file(
            Format::Json,
            b"{\"a\": \"caf\xe9 \xef\xbf\xbd\\n\", \"b\": [\"\\\xe9x\", \"\xef\xbf\xbd\"], \"k\xc3\": {\"\xff\": 1}}",
        );
        let value = |key: &str| file.get(key).expect("the key is there").value.value.clone();
        let bytes = |bytes: &[u8]| Value::Bytes(bytes.into());
        assert_eq!(value("a"), bytes(b"caf\xe9 \xef\xbf\xbd\n"));
        let items = vec![bytes(b"\xe9x").into(), Value::string("\u{fffd}").into()];
        assert_eq!(value("b"), Value::array(items));
        assert!(file.entries().any(|it| it.key == bytes(b"k\xc3")));
    }

    #[test]
    fn only_comments_and_raw_texts_of_hocon_may_have_such_bytes() {
        let is_broken = |bytes: &[u8]| file(Format::Hocon, bytes).is_broken();
        for text in
            [&b"a = \"\xe9\""[..], b"a = \xe9", b"\xe9 = 1", b"a = 1 \xe9", b"a = [1, \xe9]"]
        {
            assert!(is_broken(text), "{text:?}");
        }
        for text in [&b"a = 1 # \xe9"[..], b"// \xe9\na = 1", b"a = \"\"\"\xe9\"\"\""] {
            assert!(!is_broken(text), "{text:?}");
        }
    }
}
