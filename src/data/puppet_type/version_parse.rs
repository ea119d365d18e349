//! Parses versions and version ranges by the rules of the library that Puppet uses.

use std::sync::{Arc, LazyLock};

use regex::{Captures, Regex};

use super::version::{End, Span, Version, VersionRange};

const PART: &str = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*";

/// `1.2.3-rc1+build`
pub(super) fn version(text: &str) -> Option<Version> {
    static VERSION: LazyLock<Regex> = LazyLock::new(|| {
        let number = "(0|[1-9][0-9]*)";
        let pattern = format!(r"\A{number}\.{number}\.{number}(?:-({PART}))?(?:\+({PART}))?\n?\z");
        Regex::new(&pattern).expect("a correct pattern")
    });
    let found = VERSION.captures(text)?;
    let number = |index: usize| found[index].parse::<u64>().ok();
    let Prerelease(prerelease) = prerelease_of(&found, 4)?;
    let build = found.get(5).map(|it| it.as_str().into());
    Some(Version { numbers: [number(1)?, number(2)?, number(3)?], prerelease, build })
}

/// The part of a version after its numbers.
struct Prerelease(Option<Vec<Arc<str>>>);

/// Numbers in a prerelease must not start with a zero.
fn prerelease_of(found: &Captures<'_>, index: usize) -> Option<Prerelease> {
    let Some(text) = found.get(index) else { return Some(Prerelease(None)) };
    let parts: Vec<Arc<str>> = text.as_str().split('.').map(Arc::from).collect();
    let is_odd = |it: &Arc<str>| {
        it.len() > 1 && it.starts_with('0') && it.bytes().all(|it| it.is_ascii_digit())
    };
    (!parts.iter().any(is_odd)).then_some(Prerelease(Some(parts)))
}

/// `>=1.0.0 <2.0.0 || 3.x`
pub(super) fn range(text: &str) -> Option<VersionRange> {
    static BLANKS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"([><=~^])(?:\s+|\s*v)").expect("a correct pattern"));
    static HYPHEN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\A(\S+)\s+-\s+(\S+)\z").expect("a correct pattern"));
    let joined = BLANKS.replace_all(text, "$1");
    let mut spans: Vec<Span> = Vec::new();
    for alternative in joined.split("||").map(str::trim) {
        let span = if let Some(found) = HYPHEN.captures(alternative) {
            let [from, to] =
                [&found[1], &found[2]].map(|it| Partial::parse(it).map(|it| it.filled()));
            let span = Span { from: End::With(from?), to: End::With(to?), is_everything: false };
            span.intersection(&everything_between())
        } else if alternative.is_empty() && joined.trim().is_empty() {
            return Some(VersionRange { spans: vec![everything()], text: "*".into() });
        } else {
            let mut simples = Vec::new();
            for simple in alternative.split_whitespace() {
                simples.push(simple_range(simple)?);
            }
            let first = simples.first()?.clone();
            simples[1..].iter().try_fold(first, |sum, it| sum.intersection(it))
        };
        spans.extend(span.filter(|it| !spans.contains(it)));
    }
    if spans.is_empty() {
        spans.push(nothing());
    }
    Some(VersionRange { spans, text: text.into() })
}

fn everything() -> Span {
    Span { from: End::Open, to: End::Open, is_everything: true }
}

fn everything_between() -> Span {
    Span { is_everything: false, ..everything() }
}

fn nothing() -> Span {
    let lowest = Version { prerelease: Some(Vec::new()), ..Version::release(0, 0, 0) };
    Span { to: End::Without(lowest), ..everything_between() }
}

/// One comparator: `>=1.2`, `~1.2.3`, `1.x`.
fn simple_range(text: &str) -> Option<Span> {
    let operators = ["<=", ">=", "~>", "~=", "<", ">", "=", "~", "^"];
    let operator = operators.into_iter().find(|it| text.starts_with(it)).unwrap_or_default();
    let partial = Partial::parse(&text[operator.len()..])?;
    let between = |from: End, to: End| Some(Span { from, to, is_everything: false });
    match operator {
        "~" | "~>" | "~=" => Some(partial.patch_updates(true)),
        // Puppet's library reads `^0` like `~0`.
        "^" if partial.major == Some(0) => Some(partial.patch_updates(true)),
        "^" => Some(partial.minor_updates()),
        ">=" => between(End::With(partial.filled()), End::Open),
        "<" => between(End::Open, End::Without(partial.filled())),
        ">" => Some(match partial.after() {
            None if partial.major.is_none() => nothing(),
            None => Span { from: End::Without(partial.filled()), ..everything_between() },
            Some(next) => Span { from: End::With(next), ..everything_between() },
        }),
        "<=" => Some(match partial.after() {
            None if partial.major.is_none() => everything(),
            None => Span { to: End::With(partial.filled()), ..everything_between() },
            Some(next) => Span { to: End::Without(next), ..everything_between() },
        }),
        _ => Some(partial.patch_updates(false)),
    }
}

const LARGEST: u64 = u64::MAX - 1;

/// A version in which numbers may be missing: `1.x`.
struct Partial {
    major: Option<u64>,
    minor: Option<u64>,
    patch: Option<u64>,
    prerelease: Option<Vec<Arc<str>>>,
    build: Option<Arc<str>>,
}

impl Partial {
    fn parse(text: &str) -> Option<Self> {
        static PARTIAL: LazyLock<Regex> = LazyLock::new(|| {
            let number = r"(x|X|\*|0|[1-9][0-9]*)";
            let qualifiers = format!(r"(?:-({PART}))?(?:\+({PART}))?");
            let pattern = format!(r"\A{number}(?:\.{number}(?:\.{number}{qualifiers})?)?\z");
            Regex::new(&pattern).expect("a correct pattern")
        });
        let found = PARTIAL.captures(text)?;
        // `x` and `*` are not numbers, so they count as missing.
        let number = |index: usize| {
            let text = found.get(index)?.as_str();
            let is_given = text.starts_with(|it: char| it.is_ascii_digit());
            // Ruby's numbers have no limit. Below the largest number here, there is room for the next one.
            is_given.then(|| text.parse::<u64>().map_or(LARGEST, |it| it.min(LARGEST)))
        };
        let Prerelease(prerelease) = prerelease_of(&found, 4)?;
        let build = found.get(5).map(|it| it.as_str().into());
        Some(Self { major: number(1), minor: number(2), patch: number(3), prerelease, build })
    }

    /// The version with zeroes for missing numbers.
    fn filled(&self) -> Version {
        let numbers = [self.major, self.minor, self.patch].map(Option::unwrap_or_default);
        Version { numbers, prerelease: self.prerelease.clone(), build: self.build.clone() }
    }

    /// The first version after all that match; `None` if only one version or none matches.
    fn after(&self) -> Option<Version> {
        match (self.major, self.minor, self.patch) {
            (Some(major), None, _) => Some(Version::release(major + 1, 0, 0)),
            (Some(major), Some(minor), None) => Some(Version::release(major, minor + 1, 0)),
            _ => None,
        }
    }

    fn patch_updates(&self, is_tilde_or_caret: bool) -> Span {
        let Some(major) = self.major else { return everything() };
        let until = |to: Version, from: Version| Span {
            from: End::With(from),
            to: End::Without(to),
            is_everything: false,
        };
        let Some(minor) = self.minor else {
            return until(Version::release(major + 1, 0, 0), Version::release(major, 0, 0));
        };
        if self.patch.is_none() {
            return until(Version::release(major, minor + 1, 0), Version::release(major, minor, 0));
        }
        let version = self.filled();
        if is_tilde_or_caret {
            until(Version::release(major, minor + 1, 0), version)
        } else {
            Span { from: End::With(version.clone()), to: End::With(version), is_everything: false }
        }
    }

    fn minor_updates(&self) -> Span {
        let Some(major) = self.major else { return everything() };
        let from = match (self.minor, self.patch) {
            (Some(_), Some(_)) if self.prerelease.is_some() => self.filled(),
            (minor, patch) => {
                Version::release(major, minor.unwrap_or(0), minor.and(patch).unwrap_or(0))
            }
        };
        let to = End::Without(Version::release(major + 1, 0, 0));
        Span { from: End::With(from), to, is_everything: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(range: &str, inside: &[&str], outside: &[&str]) {
        let parsed = VersionRange::parse(range).expect(range);
        let includes = |it: &&&str| parsed.includes(&Version::parse(it).expect("a version"));
        assert_eq!(inside.iter().filter(includes).count(), inside.len(), "{range}");
        assert_eq!(outside.iter().filter(includes).count(), 0, "{range}");
    }

    #[test]
    fn ranges_of_versions() {
        check(">=1.0.0 <2.0.0", &["1.0.0", "1.9.9"], &["2.0.0", "0.9.9", "2.0.0-rc1"]);
        check("1.x || 3.0.0", &["1.2.3", "3.0.0"], &["2.0.0", "3.0.1"]);
        check("~1.2.3", &["1.2.9"], &["1.3.0"]);
        check(">18446744073709551615.0.0", &[], &["1.0.0"]);
        check("^99999999999999999999", &[], &["1.0.0"]);
        check("^1.2.3", &["1.9.0"], &["2.0.0", "1.2.2"]);
        check("1.0.0 - 1.5.0", &["1.0.0", "1.5.0"], &["1.5.1"]);
        check(">=1.0.0-rc1", &["1.0.0-rc2", "1.0.0"], &["1.0.0-alpha", "1.0.1-rc1"]);
        check("*", &["0.0.1", "1.0.0-a"], &[]);
        assert!(VersionRange::parse("a").is_none());
        assert!(Version::parse("1.0").is_none());
    }
}
