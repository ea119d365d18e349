//! Templates that are strings of Puppet code: the arguments of `inline_epp` and `inline_template`. They are only searched as text,
//! because the string can be computed or written elsewhere in the file.

use regex::Regex;

use crate::ide::searched_code::word_places;
use crate::syntax::puppet::Names;
use crate::text::TextRange;

/// The variable that a rename changes, as such templates can read it.
pub(super) struct TemplateVariable<'a> {
    /// Its plain name.
    name: &'a str,
    /// `scope['class::name']` and `scope.lookupvar('class::name')`.
    scoped: Regex,
    /// `$class::name`, `${class::name}`, and the same with `::` before it, for each class that sees it.
    qualified: Vec<String>,
}

impl<'a> TemplateVariable<'a> {
    /// `qualified` are the names by which it is known outside of its class. `None` if there are none.
    pub(super) fn new(name: &'a str, qualified: &[String]) -> Option<Self> {
        let escaped: Vec<String> = qualified.iter().map(|it| regex::escape(it)).collect();
        let names = escaped.join("|");
        let scoped = Regex::new(&format!(
            r#"\b(?:scope\s*\[|lookupvar\s*\(?)\s*\\?['"](?:::)?(?:{names})\b"#
        ));
        let qualified = qualified
            .iter()
            .flat_map(|it| ["$", "${", "$::", "${::"].map(|before| format!("{before}{it}")));
        Some(Self { name, scoped: scoped.ok()?, qualified: qualified.collect() })
    }

    /// Where the templates of a file may read it. `classes` are the ranges of the classes that see it by its plain name; `names`
    /// are the file's, because a variable of the code itself is renamed.
    pub(super) fn places(&self, text: &str, names: &Names, classes: &[TextRange]) -> Vec<u32> {
        let (has_epp, has_erb) = (text.contains("inline_epp"), text.contains("inline_template"));
        let mut found = Vec::new();
        let is_inside =
            |at: &u32| classes.iter().any(|it| it.contains_range(TextRange::empty(*at)));
        if has_epp {
            for plain in [format!("${}", self.name), format!("${{{}", self.name)] {
                found.extend(word_places(text, &plain).filter(is_inside));
            }
            found.extend(self.qualified.iter().flat_map(|it| word_places(text, it)));
        }
        if has_erb {
            let plain = format!("@{}", self.name);
            found.extend(word_places(text, &plain).filter(is_inside));
            found.extend(self.scoped.find_iter(text).map(|it| it.start() as u32));
        }
        found.retain(|at| !is_variable(names, *at) && !is_in_comment(text, *at));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Whether the `$` at this place starts a variable of the code: `$a` or `${a}`.
fn is_variable(names: &Names, at: u32) -> bool {
    names.variables.iter().any(|it| it.range.touches(at + 2))
}

/// Whether the line is a comment of the code. A template can have such lines as well, with tags in them.
fn is_in_comment(text: &str, at: u32) -> bool {
    let before = &text[..at as usize];
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    line.trim_start().starts_with('#') && !line.contains("<%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::puppet::{self, Language};

    /// The text before each place, back to the start of its line.
    fn places(text: &str) -> Vec<String> {
        let names = puppet::names(text, Language::Manifest);
        let qualified = ["a::p".to_owned(), "heir::p".to_owned()];
        let variable = TemplateVariable::new("p", &qualified).expect("there are names");
        let class = text.find("class a").map(|at| TextRange::new(at as u32, text.len() as u32));
        let found = variable.places(text, &names, class.as_slice());
        let line = |at: u32| text[at as usize..].split(['\n', ' ']).next().unwrap_or("").to_owned();
        found.into_iter().map(line).collect()
    }

    #[test]
    fn variables_in_strings_of_code_that_has_templates() {
        assert_eq!(places("inline_epp('<%= $a::p %>')"), ["$a::p"]);
        assert_eq!(places("inline_epp(\"<%= \\$::heir::p %> $a::p\")"), ["$::heir::p"]);
        assert_eq!(places("inline_epp(@(E))\n# <%= $a::p %>\n| E\n# $a::p"), ["$a::p"]);
        assert_eq!(places("inline_epp('<%= $a::port $p %>')"), <[&str; 0]>::default());
        assert_eq!(places("class a($p) { inline_epp('<%= $p %>') $p \"${p}\" }"), ["$p"]);
        assert_eq!(
            places("class a($p) { inline_epp('<%= \"${p} ${::a::p}\" %>') }"),
            ["${p}", "${::a::p}\""]
        );
        assert_eq!(places("class a($p) { inline_template('<%= @p %>') '$p' }"), ["@p"]);
        assert_eq!(places("inline_template('<%= @p %>')"), <[&str; 0]>::default());
        assert_eq!(
            places(
                "inline_template(\"<%= scope['a::p'] %>\", '<%= scope.lookupvar(\"::a::p\") %>')"
            ),
            ["scope['a::p']", "lookupvar(\"::a::p\")"]
        );
        assert_eq!(places("class a($p) { epp('<%= $a::p %> $p @p') }"), <[&str; 0]>::default());
    }
}
