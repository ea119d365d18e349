//! Versions (`1.2.3-rc1`) and version ranges, for the types `SemVer` and `SemVerRange`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::version_parse;

/// A semantic version. The build is ignored when versions are ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub(super) numbers: [u64; 3],
    /// `None` is a release; an empty list comes before all others of the same number.
    pub(super) prerelease: Option<Vec<Arc<str>>>,
    pub(super) build: Option<Arc<str>>,
}

/// A set of versions, and how it was written. Only the set matters for equality.
#[derive(Debug, Clone)]
pub struct VersionRange {
    pub(super) spans: Vec<Span>,
    pub(super) text: Arc<str>,
}

/// All versions between two bounds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub(super) from: End,
    pub(super) to: End,
    /// Written as `*`, which includes prereleases of all versions.
    pub(super) is_everything: bool,
}

/// A bound of a [`Span`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    Open,
    /// Inclusive.
    With(Version),
    /// Exclusive.
    Without(Version),
}

impl Version {
    /// Parses a version.
    pub fn parse(text: &str) -> Option<Self> {
        version_parse::version(text)
    }

    /// The release with these three numbers.
    pub(super) fn release(major: u64, minor: u64, patch: u64) -> Self {
        Self { numbers: [major, minor, patch], prerelease: None, build: None }
    }

    fn is_stable(&self) -> bool {
        self.prerelease.as_ref().is_none_or(Vec::is_empty)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let prereleases = || match (&self.prerelease, &other.prerelease) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => {
                let parts = a.iter().zip(b).map(|(a, b)| compare_parts(a, b));
                parts.into_iter().find(|it| it.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
            }
        };
        self.numbers.cmp(&other.numbers).then_with(prereleases)
    }
}

/// Numbers come before words.
fn compare_parts(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [major, minor, patch] = self.numbers;
        // Puppet's greatest version.
        let major = if major == u64::MAX { "Infinity".to_owned() } else { major.to_string() };
        write!(f, "{major}.{minor}.{patch}")?;
        if let Some(prerelease) = &self.prerelease {
            write!(f, "-{}", prerelease.join("."))?;
        }
        self.build.as_ref().map_or(Ok(()), |it| write!(f, "+{it}"))
    }
}

impl VersionRange {
    /// Parses a range, for example `>=1.0.0 <2.0.0`.
    pub fn parse(text: &str) -> Option<Self> {
        version_parse::range(text)
    }

    /// Exactly one version.
    pub fn exactly(version: &Version) -> Self {
        let end = || End::With(version.clone());
        Self {
            spans: vec![Span { from: end(), to: end(), is_everything: false }],
            text: format!("{version} - {version}").into(),
        }
    }

    /// Whether the range contains the version.
    pub fn includes(&self, version: &Version) -> bool {
        self.spans.iter().any(|it| {
            it.includes(version) && (version.is_stable() || it.allows_prerelease(version))
        })
    }

    /// Whether the range contains all versions of `other`.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let ([ours], [theirs]) = (self.spans.as_slice(), other.spans.as_slice()) else {
            return false;
        };
        ours.begin() <= theirs.begin()
            && match ours.end().cmp(&theirs.end()) {
                Ordering::Greater => true,
                Ordering::Equal => !ours.excludes_end() || theirs.excludes_end(),
                Ordering::Less => false,
            }
    }

    /// The union of both, if they overlap or adjoin.
    pub(super) fn merged(&self, other: &Self) -> Option<Self> {
        let ([a], [b]) = (self.spans.as_slice(), other.spans.as_slice()) else { return None };
        if self.includes(&b.begin()) || other.includes(&a.begin()) {
            let (from, to) = (a.begin().min(b.begin()), a.end().max(b.end()));
            // Puppet checks the second range only if the first includes its end.
            let is_without = match (a.excludes_end(), b.excludes_end()) {
                (true, _) => to == a.end() && (to > b.end() || b.excludes_end()),
                (false, true) => to == b.end() && to > a.end(),
                (false, false) => false,
            };
            return Some(Self::between(from, to, is_without));
        }
        if a.excludes_end() && a.end() == b.begin() {
            return Some(Self::between(a.begin(), b.end(), b.excludes_end()));
        }
        (b.excludes_end() && b.end() == a.begin())
            .then(|| Self::between(b.begin(), a.end(), a.excludes_end()))
    }

    /// Puppet swaps the bounds.
    fn between(from: Version, to: Version, is_without: bool) -> Self {
        let text = if is_without { format!(">={to} <{from}") } else { format!("{to} - {from}") };
        let to = if is_without { End::Without(to) } else { End::With(to) };
        let span = Span { from: End::With(from), to, is_everything: false };
        Self { spans: vec![span], text: text.into() }
    }
}

impl PartialEq for VersionRange {
    fn eq(&self, other: &Self) -> bool {
        self.spans == other.spans
    }
}

impl Span {
    fn includes(&self, version: &Version) -> bool {
        // In a range of one version, its build matters as well.
        if let (End::With(from), End::With(to)) = (&self.from, &self.to)
            && from == to
        {
            return version == from;
        }
        let from = match &self.from {
            End::Open => true,
            End::With(it) => version >= it,
            End::Without(it) => version > it,
        };
        from && match &self.to {
            End::Open => true,
            End::With(it) => version <= it,
            End::Without(it) => version < it,
        }
    }

    /// A range contains a prerelease only if it names a prerelease of the same numbers.
    fn allows_prerelease(&self, version: &Version) -> bool {
        let allows = |end: &End| match end {
            End::With(it) | End::Without(it) => !it.is_stable() && it.numbers == version.numbers,
            End::Open => false,
        };
        self.is_everything || allows(&self.from) || allows(&self.to)
    }

    /// The versions in both ranges; `None` if there is no such version.
    pub(super) fn intersection(&self, other: &Self) -> Option<Self> {
        if self.is_everything || other.is_everything {
            return Some(if self.is_everything { other.clone() } else { self.clone() });
        }
        let later = |a: &End, b: &End| match (a, b) {
            (End::Open, it) | (it, End::Open) => it.clone(),
            (End::With(x) | End::Without(x), End::With(y) | End::Without(y)) => {
                let is_first = x > y || x == y && matches!(a, End::Without(_));
                if is_first { a.clone() } else { b.clone() }
            }
        };
        let earlier = |a: &End, b: &End| match (a, b) {
            (End::Open, it) | (it, End::Open) => it.clone(),
            (End::With(x) | End::Without(x), End::With(y) | End::Without(y)) => {
                let is_first = x < y || x == y && matches!(a, End::Without(_));
                if is_first { a.clone() } else { b.clone() }
            }
        };
        let span = Self {
            from: later(&self.from, &other.from),
            to: earlier(&self.to, &other.to),
            is_everything: false,
        };
        let is_empty = match (&span.from, &span.to) {
            (End::With(a), End::With(b)) => a > b,
            (End::With(a) | End::Without(a), End::With(b) | End::Without(b)) => a >= b,
            _ => false,
        };
        (!is_empty).then_some(span)
    }

    fn begin(&self) -> Version {
        match &self.from {
            End::With(it) | End::Without(it) => it.clone(),
            End::Open => Version { prerelease: Some(Vec::new()), ..Version::release(0, 0, 0) },
        }
    }

    fn end(&self) -> Version {
        match &self.to {
            End::With(it) | End::Without(it) => it.clone(),
            End::Open => Version::release(u64::MAX, 0, 0),
        }
    }

    fn excludes_end(&self) -> bool {
        matches!(self.to, End::Without(_))
    }
}
