//! Groups: plain, named, look-around, atomic, and groups that set options.

use super::RegexProblem;
use super::translate::{Atom, Done, Translator};

impl Translator<'_> {
    /// Translates a group. Returns whether it set an option for everything that follows, so that it ended with the enclosing
    /// group.
    pub(super) fn group(&mut self, in_group: bool) -> Result<bool, RegexProblem> {
        self.skip(1);
        if !self.eat('?') {
            let opening = if self.known_names.is_empty() {
                self.groups += 1;
                "("
            } else {
                "(?:"
            };
            return self.group_body(opening).map(|()| false);
        }
        let opening = match (self.next(), self.peek()) {
            (Some(':'), _) => "(?:".to_owned(),
            (Some('='), _) => "(?=".to_owned(),
            (Some('!'), _) => "(?!".to_owned(),
            (Some('>'), _) => "(?>".to_owned(),
            (Some('<'), Some(sign @ ('=' | '!'))) => {
                self.next();
                self.check_look_behind()?;
                format!("(?<{sign}")
            }
            (Some(quote @ ('<' | '\'')), _) => self.group_name(quote)?,
            (Some('#'), _) => {
                return match self.text_up_to(')') {
                    Some(_) => Ok(false),
                    None => Err(self.invalid("end pattern in group")),
                };
            }
            (Some('i' | 'm' | 'x' | '-'), _) => {
                self.position -= 1;
                return self.option_group(in_group);
            }
            (Some('~' | '(' | 'a' | 'd' | 'u' | '^'), _) => {
                return Err(self.unsupported("a kind of group"));
            }
            (Some(_), _) => return Err(self.invalid("undefined group option")),
            (None, _) => return Err(self.invalid("end pattern in group")),
        };
        self.group_body(&opening).map(|()| false)
    }

    fn group_body(&mut self, opening: &str) -> Done {
        let start = self.out.len();
        let options = self.options;
        self.out.push_str(opening);
        self.sequence(true)?;
        if !self.eat(')') {
            return Err(self.invalid("end pattern with unmatched parenthesis"));
        }
        self.out.push(')');
        self.options = options;
        let is_assertion = matches!(opening, "(?=" | "(?!" | "(?<=" | "(?<!");
        self.atom = Some(Atom { start, is_quantified: false, is_assertion });
        Ok(())
    }

    fn group_name(&mut self, quote: char) -> Result<String, RegexProblem> {
        let close = if quote == '<' { '>' } else { '\'' };
        let Some(name) = self.text_up_to(close) else {
            let name: String = self.rest().iter().collect();
            return Err(self.invalid(&format!("invalid group name <{name}>")));
        };
        if name.is_empty() {
            return Err(self.invalid("group name is empty"));
        }
        let is_name = name.starts_with(|it: char| it.is_alphabetic() || it == '_')
            && name.chars().all(|it| it.is_alphanumeric() || it == '_');
        if !is_name {
            return Err(if name.starts_with(|it: char| it.is_ascii_digit()) {
                self.invalid(&format!("invalid group name <{name}>"))
            } else {
                self.unsupported("a group name")
            });
        }
        self.groups += 1;
        // In Ruby, several groups may have the same name. Our library refuses this, so such groups do not capture.
        let is_repeated = self.known_names.iter().filter(|it| **it == name).count() > 1
            || self.names.contains(&name);
        let opening = if is_repeated { "(?:".to_owned() } else { format!("(?<{name}>") };
        self.names.push(name);
        Ok(opening)
    }

    /// `(?i)`, `(?m-x:…)`
    fn option_group(&mut self, in_group: bool) -> Result<bool, RegexProblem> {
        let mut options = self.options;
        let mut is_on = true;
        loop {
            match self.next() {
                Some('-') => is_on = false,
                Some('i') => options.ignores_case = is_on,
                Some('m') => options.is_multi_line = is_on,
                Some('x') => options.is_extended = is_on,
                Some(end @ (')' | ':')) => {
                    // `m` and `x` are already considered in each translated character. Only `i` is left to our library.
                    let case = if options.ignores_case { "(?i:" } else { "(?-i:" };
                    let outer = std::mem::replace(&mut self.options, options);
                    if end == ':' {
                        self.group_body(case)?;
                        self.options = outer;
                        return Ok(false);
                    }
                    // In Ruby, `a(?i)b|c` means `a(?i:b|c)`: the option applies to all alternatives in the rest of the group.
                    self.out.push_str(case);
                    self.sequence(in_group)?;
                    self.out.push(')');
                    self.options = outer;
                    return Ok(true);
                }
                Some('a' | 'd' | 'u') => return Err(self.unsupported("an option")),
                Some(_) => return Err(self.invalid("undefined group option")),
                None => return Err(self.invalid("end pattern in group")),
            }
        }
    }

    /// Ruby looks behind only for texts of known lengths. Groups inside would need a closer analysis than this.
    fn check_look_behind(&self) -> Done {
        let mut characters = self.rest().iter();
        while let Some(character) = characters.next() {
            match character {
                ')' => break,
                '\\' => {
                    characters.next();
                }
                '*' | '+' | '?' => return Err(self.invalid("invalid pattern in look-behind")),
                '(' | '{' | '[' => return Err(self.unsupported("a look-behind")),
                _ => {}
            }
        }
        Ok(())
    }
}
