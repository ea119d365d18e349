//! Where code names variables, and which scope each belongs to; and where it names classes as `Class[…]`.
//!
//! In Puppet, classes, defined types, functions and lambdas have their own variables. A block of `if` or the like does not.

use std::collections::HashSet;

use super::model::{CalledName, Parameter};
use super::parser::{Parsed, TokenScope};
use super::token::{Kind, Token, TokenText, Tokens};
use crate::text::TextRange;

/// The names in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    /// In the order in which they are read: the text of a heredoc follows its tag.
    pub variables: Vec<VariableUse>,
    /// The scopes of variables; each comes after the one that contains it.
    pub scopes: Vec<Scope>,
    /// Names in `Class[…]`.
    pub class_references: Vec<CalledName>,
}

/// A place that names a variable: to read it, to assign it, or to declare it as a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableUse {
    /// The name without `$`, with its namespace.
    pub name: String,
    /// The range of the name.
    pub range: TextRange,
    /// The index of the innermost enclosing scope; `None` at top level.
    pub scope: Option<usize>,
    /// Whether it gets its value here, in a list of parameters or with `=`.
    pub is_bound: bool,
}

/// A part of code that has its own variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// The scope that contains it.
    pub parent: Option<usize>,
    /// The name of a declaration as written; `None` for a lambda, which also sees the variables around it.
    pub declaration: Option<TextRange>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The variables that are assigned in it.
    pub bound: HashSet<String>,
}

impl Names {
    pub(super) fn of(text: &str, parsed: Parsed) -> Self {
        let Parsed { tokens, scopes, .. } = parsed;
        let mut names = Self::default();
        let mut waiting = scopes;
        // Sorted so that the outer scopes are taken from the back first.
        waiting.sort_by_key(|it| (std::cmp::Reverse(it.first), it.end));
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, token) in tokens.list.iter().enumerate() {
            open.retain(|(_, end)| at < *end);
            while let Some(scope) = waiting.pop_if(|it| it.first <= at) {
                let TokenScope { end, declaration, parameters, .. } = scope;
                let parent = open.last().map(|(index, _)| *index);
                let bound = HashSet::new();
                names.scopes.push(Scope { parent, declaration, parameters, bound });
                open.push((names.scopes.len() - 1, end));
            }
            let scope = open.last().map(|(index, _)| *index);
            if token.kind == Kind::Variable {
                names.variable(text, *token, scope);
            } else if token.kind == Kind::Assign {
                names.assignment(&tokens.list[..at], scope);
            } else if token.kind == Kind::TypeName && token.range().slice(text) == "Class" {
                names.class_reference(text, &tokens, at + 1);
            }
        }
        names
    }

    fn variable(&mut self, text: &str, token: Token, scope: Option<usize>) {
        let written = token.range().slice(text);
        let name = written.strip_prefix('$').unwrap_or(written);
        let range = TextRange::new(token.end - name.len() as u32, token.end);
        let parameters = scope.map_or(&[][..], |it| &self.scopes[it].parameters);
        // Parameters are in source order, so their positions are sorted.
        let is_bound =
            parameters.binary_search_by_key(&token.start, |it| it.name_range.start).is_ok();
        if let Some(scope) = scope.filter(|_| is_bound) {
            self.scopes[scope].bound.insert(name.to_owned());
        }
        self.variables.push(VariableUse { name: name.to_owned(), range, scope, is_bound });
    }

    /// Reads the left side of `$a = …` or `[$a, [$b]] = …`, which is at the end of `before`.
    fn assignment(&mut self, before: &[Token], scope: Option<usize>) {
        let mut depth = 0;
        let mut count = 0;
        for token in before.iter().rev() {
            match token.kind {
                Kind::RightBracket => depth += 1,
                Kind::LeftBracket | Kind::ListStart => depth -= 1,
                Kind::Variable => count += 1,
                Kind::Comma => {}
                _ => return,
            }
            if depth == 0 {
                break;
            }
        }
        for variable in self.variables.iter_mut().rev().take(count) {
            variable.is_bound = true;
            if let Some(scope) = scope {
                self.scopes[scope].bound.insert(variable.name.clone());
            }
        }
    }

    /// Reads `Class['a', b]`; names that are not constant are skipped.
    fn class_reference(&mut self, text: &str, tokens: &Tokens, bracket: usize) {
        if tokens.list.get(bracket).is_none_or(|it| it.kind != Kind::LeftBracket) {
            return;
        }
        let inside = tokens.list[bracket + 1..].iter();
        let is_item =
            |it: &&Token| matches!(it.kind, Kind::String | Kind::Name | Kind::Word | Kind::Comma);
        for token in inside.take_while(is_item).filter(|it| it.kind != Kind::Comma) {
            let name = match tokens.texts.get(token.text as usize) {
                Some(TokenText::Decoded(text)) => text.clone(),
                Some(TokenText::Written(range)) => range.slice(text).to_owned(),
                None => token.range().slice(text).to_owned(),
            };
            self.class_references.push(CalledName { text: name, range: token.range() });
        }
    }

    /// Whether `$name` in `scope` is the variable of `outer`: `scope` is `outer`, or a lambda inside it that has no such
    /// variable itself.
    pub fn sees(&self, scope: Option<usize>, outer: usize, name: &str) -> bool {
        let mut at = scope;
        while let Some(index) = at {
            if index == outer {
                return true;
            }
            let scope = &self.scopes[index];
            if scope.declaration.is_some() || scope.bound.contains(name) {
                return false;
            }
            at = scope.parent;
        }
        false
    }

    /// The range of the name of the declaration around a place in `scope`.
    pub fn class_around(&self, scope: Option<usize>) -> Option<TextRange> {
        let mut around = std::iter::successors(scope, |index| self.scopes[*index].parent);
        around.find_map(|index| self.scopes[index].declaration)
    }

    /// The declaration that `$name` belongs to at a place in `scope`, by the range of its name. `None` for variables of
    /// lambdas and of the top level.
    pub fn declaration_of(&self, scope: Option<usize>, name: &str) -> Option<TextRange> {
        let mut at = scope;
        while let Some(index) = at {
            let scope = &self.scopes[index];
            if scope.declaration.is_some() || scope.bound.contains(name) {
                return scope.declaration;
            }
            at = scope.parent;
        }
        None
    }

    /// Whether a place is in the default of a parameter of the declaration whose name is at `name_range`.
    pub fn is_in_default(&self, name_range: TextRange, place: TextRange) -> bool {
        let parameters = self.scope_of(name_range).map(|scope| &self.scopes[scope].parameters);
        let mut defaults = parameters.into_iter().flatten().filter_map(|it| it.default.as_ref());
        defaults.any(|default| default.range.contains_range(place))
    }

    /// The scope of the declaration whose name is at `name_range`.
    pub fn scope_of(&self, name_range: TextRange) -> Option<usize> {
        self.scopes.iter().position(|it| it.declaration == Some(name_range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::puppet::{Language, names};

    /// The places where `$p` belongs to the first class.
    fn uses(text: &str) -> Vec<&str> {
        let names = names(text, Language::Manifest);
        let class = names.scopes.iter().position(|it| it.declaration.is_some());
        let class = class.expect("there is a class");
        let is_it = |it: &&VariableUse| it.name == "p" && names.sees(it.scope, class, "p");
        let around = |it: &VariableUse| {
            let start = (it.range.start as usize).saturating_sub(2);
            &text[start..text.len().min(it.range.end as usize + 1)]
        };
        names.variables.iter().filter(is_it).map(around).collect()
    }

    #[test]
    fn variables_belong_to_the_class_around() {
        let text = "class a($p, $q = $p) { if $p { x { \"${p}\": y => \"$p-${p[1]}\" } } }";
        assert_eq!(uses(text), ["($p,", " $p)", " $p ", "${p}", "\"$p-", "${p["]);
        let text =
            "class a($p) { define a::b($p) { $p } class c { $p } function f() { $p } $p }\n$p";
        assert_eq!(uses(text), ["($p)", " $p "]);
        let text = "class a($p) { $x = @(\"E\"/$)\n  a ${p} $p.\n  | E\n  $pp $p::q $a::p $::p }";
        assert_eq!(uses(text), ["($p)", "${p}", " $p."]);
    }

    #[test]
    fn lambdas_see_what_they_do_not_hide() {
        let text = "class a($p) { $l.each |$x| { $p } $l.each |$p| { $p } $l.map |$x = $p| { $p = 1; $p } $p }";
        assert_eq!(uses(text), ["($p)", " $p ", " $p "]);
        let text = "class a($p) { $l.each |$x| { [$y, [$p]] = $x; $p } $l.each |$x| { [$p] + [$y] == $x } }";
        assert_eq!(uses(text), ["($p)", "[$p]"]);
    }

    #[test]
    fn classes_in_references() {
        let names =
            names("Class['a::b', c] -> Class[$x, d] File['e'] Class [f]", Language::Manifest);
        let found: Vec<_> = names.class_references.iter().map(|it| &*it.text).collect();
        assert_eq!(found, ["a::b", "c"]);
    }
}
