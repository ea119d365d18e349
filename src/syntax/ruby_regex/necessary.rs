//! What is necessary for a match: an expression without look-around, references and atomic groups that matches at least the
//! same texts. It never goes back, so it refuses quickly most texts for which the whole expression would try everything.

use fancy_regex::{Assertion, Expr};
use regex::Regex;

/// The necessary condition of an expression in the syntax of our regex library; `None` if none is known.
pub(super) fn condition(pattern: &str) -> Option<Regex> {
    let tree = Expr::parse_tree(pattern).ok()?;
    let mut necessary = String::new();
    without_hard_parts(&tree.expr)?.to_str(&mut necessary, 0);
    Regex::new(&necessary).ok()
}

/// The expression, with what only narrows its matches left out, and anything at all in place of a reference.
fn without_hard_parts(expr: &Expr) -> Option<Expr> {
    let all = |parts: &[Expr]| parts.iter().map(without_hard_parts).collect::<Option<Vec<_>>>();
    Some(match expr {
        Expr::Empty | Expr::Any { .. } | Expr::Literal { .. } | Expr::Delegate { .. } => {
            expr.clone()
        }
        Expr::Assertion(Assertion::StartText | Assertion::EndText) => expr.clone(),
        Expr::Assertion(_) | Expr::LookAround(..) | Expr::KeepOut => Expr::Empty,
        Expr::Concat(parts) => Expr::Concat(all(parts)?),
        Expr::Alt(parts) => Expr::Alt(all(parts)?),
        // An empty group stands where a repeated part is empty now.
        Expr::Group(part) | Expr::AtomicGroup(part) => {
            Expr::Group(without_hard_parts(part)?.into())
        }
        Expr::Repeat { child, lo, hi, greedy } => {
            let child = Expr::Group(without_hard_parts(child)?.into()).into();
            Expr::Repeat { child, lo: *lo, hi: *hi, greedy: *greedy }
        }
        Expr::Backref { .. } => {
            let child = Expr::Any { newline: true }.into();
            Expr::Repeat { child, lo: 0, hi: usize::MAX, greedy: true }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(pattern: &str, possible: &[&str], impossible: &[&str]) {
        let condition = condition(pattern).expect("it is known");
        for text in possible {
            assert!(condition.is_match(text), "{pattern} may match {text:?}");
        }
        for text in impossible {
            assert!(!condition.is_match(text), "{pattern} cannot match {text:?}");
        }
    }

    #[test]
    fn look_around_and_references_are_left_out() {
        check(r"\A(?!a1)(a*)*b(?=.*1)", &["aab", "ab1"], &["aaaaaaaa"]);
        check(r"\A(a+)\1c\z", &["ac", "abc"], &["ab", "bc"]);
        check(r"(?>a|ab)c", &["ac", "abc"], &["ab"]);
        check(r"(a|(?<=x))+b", &["ab", "b"], &["a"]);
        check(r"\bx(?!y)", &["x", "xy", "ax"], &["y"]);
        check(r"(?i:AB)(?=c)|z", &["ab", "z"], &["c"]);
    }

    proptest! {
        #[test]
        fn what_matches_meets_the_condition(
            pattern in r"(\(\?[=!>:]|\(|\)|\||[ab.]|[*+?]|\\1|\\A|\\z|\\b){1,12}",
            text in "[abc]{0,8}",
        ) {
            if let Ok(regex) = fancy_regex::Regex::new(&pattern)
                && let Some(condition) = condition(&pattern)
                && regex.is_match(&text).unwrap_or(false)
            {
                prop_assert!(condition.is_match(&text), "{pattern} matches {text:?}");
            }
        }
    }
}
