//! The keys of one text. There can be millions of keys in an environment, so they take few bytes.

use crate::text::TextRange;

/// Where a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyHere {
    /// The number of its name.
    pub(super) name: u32,
    pub(super) key: TextRange,
    pub(super) value: TextRange,
}

/// The keys of one text, in source order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyList {
    /// Those of most files.
    Short(Box<[ShortKey]>),
    /// Those of a file with a key or value that is too long for a [`ShortKey`].
    Long(Box<[KeyHere]>),
}

/// A [`KeyHere`] in 12 bytes instead of 20.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShortKey {
    name: u32,
    start: u32,
    length: u8,
    /// The number of bytes between the key and the value.
    gap: u8,
    value_length: u16,
}

impl ShortKey {
    /// `None` if a part is too long.
    fn of(here: &KeyHere) -> Option<Self> {
        let KeyHere { name, key, value } = *here;
        Some(Self {
            name,
            start: key.start,
            length: key.end.checked_sub(key.start)?.try_into().ok()?,
            gap: value.start.checked_sub(key.end)?.try_into().ok()?,
            value_length: value.end.checked_sub(value.start)?.try_into().ok()?,
        })
    }

    fn here(self) -> KeyHere {
        let key = TextRange::new(self.start, self.start + u32::from(self.length));
        let start = key.end + u32::from(self.gap);
        let value = TextRange::new(start, start + u32::from(self.value_length));
        KeyHere { name: self.name, key, value }
    }
}

impl FromIterator<KeyHere> for KeyList {
    fn from_iter<I: IntoIterator<Item = KeyHere>>(keys: I) -> Self {
        let keys: Vec<KeyHere> = keys.into_iter().collect();
        Self::of(keys.len(), || keys.iter().copied())
    }
}

impl KeyList {
    /// The list of `count` keys.
    pub(super) fn of<I: Iterator<Item = KeyHere>>(count: usize, keys: impl Fn() -> I) -> Self {
        // A list that grows would get more memory, and the allocator takes none of it back.
        let mut short = Vec::with_capacity(count);
        short.extend(keys().map_while(|it| ShortKey::of(&it)));
        if short.len() == count { Self::Short(short.into()) } else { Self::Long(keys().collect()) }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Short(keys) => keys.len(),
            Self::Long(keys) => keys.len(),
        }
    }

    pub(super) fn at(&self, place: usize) -> KeyHere {
        match self {
            Self::Short(keys) => keys[place].here(),
            Self::Long(keys) => keys[place],
        }
    }

    /// The numbers of the keys, in source order. This is many times faster than [`Self::iter`].
    pub(super) fn names(&self) -> impl Iterator<Item = u32> {
        let (short, long): (&[ShortKey], &[KeyHere]) = match self {
            Self::Short(keys) => (keys, &[]),
            Self::Long(keys) => (&[], keys),
        };
        short.iter().map(|it| it.name).chain(long.iter().map(|it| it.name))
    }

    /// The keys from one place on.
    pub(super) fn from(&self, place: usize) -> impl Iterator<Item = KeyHere> {
        (place..self.len()).map(|at| self.at(at))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = KeyHere> {
        self.from(0)
    }

    /// The number of keys at the start for which `is_before` holds; it must hold for none after these.
    pub(super) fn partition_point(&self, is_before: impl Fn(&KeyHere) -> bool) -> usize {
        match self {
            Self::Short(keys) => keys.partition_point(|it| is_before(&it.here())),
            Self::Long(keys) => keys.partition_point(is_before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(key: (u32, u32), value: (u32, u32)) -> KeyHere {
        let [key, value] = [key, value].map(|(start, end)| TextRange::new(start, end));
        KeyHere { name: 7, key, value }
    }

    #[test]
    fn a_list_has_the_keys_that_it_was_made_from() {
        let first = here((0, 3), (5, 9));
        let check = |last: KeyHere, is_short: bool| {
            let list: KeyList = [first, last].into_iter().collect();
            assert_eq!(list.iter().collect::<Vec<_>>(), [first, last]);
            assert_eq!(list.from(1).collect::<Vec<_>>(), [last]);
            assert_eq!(list.names().collect::<Vec<_>>(), [7, 7]);
            assert_eq!(list.partition_point(|it| it.key.start < 10), 1);
            assert_eq!(matches!(list, KeyList::Short(_)), is_short, "{last:?}");
        };
        check(here((10, 265), (520, 66_055)), true);
        check(here((10, 266), (520, 521)), false);
        check(here((10, 20), (276, 277)), false);
        check(here((10, 20), (22, 65_558)), false);
        // The value of a `<<` can be anywhere.
        check(here((10, 20), (5, 6)), false);
        assert_eq!(size_of::<ShortKey>(), 12);
    }
}
