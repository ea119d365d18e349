//! The variables that a piece of code sets for itself. They hide variables of the same name around it.

use std::collections::BTreeSet;

use super::CodeFile;
use crate::syntax::puppet::Assigned;

impl CodeFile {
    /// The variables of a declaration, without those of declarations inside: its parameters and what its code assigns.
    pub fn variables_of(&self, declaration: usize) -> BTreeSet<&str> {
        let declarations = &self.manifest.declarations;
        let parameters = declarations.get(declaration).map_or(&[][..], |it| &it.parameters);
        let assigned = self.assigned_in(Some(declaration)).map(|it| it.name.as_str());
        assigned.chain(parameters.iter().map(|it| it.name.as_str())).collect()
    }

    /// The variables of lambdas outside of declarations. Puppet refuses to assign a fact there, but a lambda may.
    pub fn variables_of_outer_lambdas(&self) -> impl Iterator<Item = &str> {
        let in_lambdas = self.assigned_in(None).filter(|it| it.is_in_lambda);
        in_lambdas.map(|it| it.name.as_str())
    }

    /// What the code assigns that belongs to a declaration, and to none inside; for `None`, what is outside of all declarations.
    fn assigned_in(&self, declaration: Option<usize>) -> impl Iterator<Item = &Assigned> {
        let all = self.manifest.assigned.iter();
        all.filter(move |it| self.declaration_around(it.position) == declaration)
    }

    /// The number of the innermost declaration around a position.
    pub fn declaration_around(&self, position: u32) -> Option<usize> {
        self.manifest.declarations.iter().rposition(|it| it.range.touches(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_has_its_own_variables() {
        let text = "$top = 1\n[1].each |$each| { $inner = $each }\nnode default { $a = 1 [2].each |$b| { $c = $b } }\n\
                    class k($p = 1) { $d = $e = 2 class l { [$f, $g] = [1, 2] } }\n";
        let file = CodeFile::of_text("/a.pp", text);
        let of = |declaration| file.variables_of(declaration).into_iter().collect::<Vec<_>>();
        assert_eq!(of(0), ["a", "b", "c"]);
        assert_eq!(of(1), ["d", "e", "p"]);
        assert_eq!(of(2), ["f", "g"]);
        assert_eq!(file.variables_of_outer_lambdas().collect::<Vec<_>>(), ["each", "inner"]);
    }
}
