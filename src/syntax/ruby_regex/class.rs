//! Character classes: `[a-z&&[^[:upper:]]]`, and the sets behind escapes such as `\w`.

use super::RegexProblem;
use super::translate::Translator;

/// Matches no character.
const NOTHING: &str = r"[^\s\S]";

/// The characters of `\w`, `\d`, `\s`, `\h` as the inside of a class.
pub(super) fn letter_set(letter: char) -> Option<&'static str> {
    Some(match letter.to_ascii_lowercase() {
        'w' => "A-Za-z0-9_",
        'd' => "0-9",
        's' => r"\t\n\x0b\x0c\r ",
        'h' => "0-9A-Fa-f",
        _ => return None,
    })
}

/// The characters of a POSIX bracket or a property with this name, as the inside of a class.
fn posix_set(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "alnum" => r"\p{Alphabetic}\p{Nd}",
        "alpha" => r"\p{Alphabetic}",
        "ascii" => r"\x00-\x7f",
        "blank" => r"\p{Zs}\t",
        "cntrl" => r"\p{Cc}",
        "digit" => r"\p{Nd}",
        "graph" => r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}",
        "lower" => r"\p{Lowercase}",
        "print" => r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\p{Zs}",
        "punct" => r"\p{P}$+<=>\^`|~",
        "space" => r"\p{White_Space}",
        "upper" => r"\p{Uppercase}",
        "word" => r"\p{L}\p{M}\p{N}\p{Pc}",
        "xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}

/// A character, or a set, which cannot be the start or end of a range.
enum Item {
    Character(char),
    Set(String),
    /// A class in brackets. A `-` after it is an ordinary character.
    Class(String),
}

impl Translator<'_> {
    /// A class whose `[` has been read.
    pub(super) fn class(&mut self) -> Result<String, RegexProblem> {
        self.enter()?;
        let is_negated = self.eat('^');
        // A `]` at the start is an ordinary character if another `]` can close the class.
        if self.peek() == Some(']') && !self.rest()[1..].contains(&']') {
            return Err(self.invalid("empty char-class"));
        }
        let mut sides = vec![String::new()];
        let mut is_first = true;
        loop {
            let is_start = std::mem::take(&mut is_first);
            match self.peek() {
                None => return Err(self.invalid("premature end of char-class")),
                Some(']') if !is_start => {
                    self.next();
                    break;
                }
                Some('&') if self.rest().get(1) == Some(&'&') => {
                    self.skip(2);
                    sides.push(String::new());
                }
                Some(_) => {
                    let part = self.class_part()?;
                    sides.last_mut().expect("there is always a side").push_str(&part);
                }
            }
        }
        self.leave();
        let sign = if is_negated { "^" } else { "" };
        // An empty side of `&&` has no characters, so the intersection has none either.
        if sides.iter().any(String::is_empty) {
            return Ok(if is_negated { r"[\s\S]" } else { NOTHING }.to_owned());
        }
        let body = match sides.as_slice() {
            [only] => only.clone(),
            several => several.iter().map(|it| format!("[{it}]")).collect::<Vec<_>>().join("&&"),
        };
        Ok(format!("[{sign}{body}]"))
    }

    /// A character, a range, or a set inside a class.
    fn class_part(&mut self) -> Result<String, RegexProblem> {
        let low = self.class_item()?;
        let is_range = self.peek() == Some('-')
            && self.rest().get(1).is_some_and(|it| *it != ']')
            && self.rest().get(1..3) != Some(&['&', '&']);
        match low {
            Item::Set(_) if is_range => {
                Err(self.invalid("unmatched range specifier in char-class"))
            }
            Item::Set(set) | Item::Class(set) => Ok(set),
            Item::Character(low) if is_range => {
                self.next();
                if self.peek() == Some('[') {
                    return Err(self.unsupported("a range that ends in a class"));
                }
                let Item::Character(high) = self.class_item()? else {
                    return Err(self.invalid("char-class value at end of range"));
                };
                if high < low {
                    return Err(self.invalid("empty range in char class"));
                }
                if !high.is_ascii() {
                    self.check_letters(low..=high)?;
                }
                // After a range, a `-` is an ordinary character.
                let dash = if self.peek() == Some('-') && self.rest().get(1) != Some(&']') {
                    self.next();
                    r"\-"
                } else {
                    ""
                };
                Ok(format!("{}-{}{dash}", class_character(low), class_character(high)))
            }
            Item::Character(character) => {
                self.check_letters(character..=character)?;
                Ok(class_character(character))
            }
        }
    }

    fn class_item(&mut self) -> Result<Item, RegexProblem> {
        match self.next() {
            None => Err(self.invalid("premature end of char-class")),
            Some('[') => match self.posix_bracket()? {
                Some(set) => Ok(Item::Set(set)),
                None => self.class().map(Item::Class),
            },
            Some('\\') => self.class_escape(),
            Some(character) => Ok(Item::Character(character)),
        }
    }

    fn class_escape(&mut self) -> Result<Item, RegexProblem> {
        let letter = self.peek().ok_or_else(|| self.invalid("premature end of char-class"))?;
        if let Some(set) = letter_set(letter) {
            self.next();
            let is_negated = letter.is_ascii_uppercase();
            return Ok(Item::Set(if is_negated { format!("[^{set}]") } else { set.to_owned() }));
        }
        match letter {
            'p' | 'P' if self.rest().get(1) == Some(&'{') => self.property().map(Item::Set),
            'b' => {
                self.next();
                Ok(Item::Character('\u{8}'))
            }
            _ => self.character_escape().map(Item::Character),
        }
    }

    /// `[:alpha:]`; its `[` has been read.
    fn posix_bracket(&mut self) -> Result<Option<String>, RegexProblem> {
        if self.peek() != Some(':') {
            return Ok(None);
        }
        let rest: String = self.rest().iter().skip(1).take(22).collect();
        let Some((name, _)) = rest.split_once(":]") else { return Ok(None) };
        let (is_negated, plain) =
            name.strip_prefix('^').map_or((false, name), |plain| (true, plain));
        // Ruby knows the names of brackets only in lower case.
        let set = posix_set(plain).filter(|_| !plain.contains(|it: char| it.is_uppercase()));
        let Some(set) = set else {
            return Err(if plain.chars().all(|it| it.is_ascii_alphabetic()) {
                self.invalid("invalid POSIX bracket type")
            } else {
                self.unsupported("an unusual bracket")
            });
        };
        self.skip(name.chars().count() + 3);
        Ok(Some(if is_negated { format!("[^{set}]") } else { set.to_owned() }))
    }

    /// `\p{Alpha}`, `\p{^Alpha}`, `\P{Alpha}`; the backslash has been read. Returns the inside of a class.
    pub(super) fn property(&mut self) -> Result<String, RegexProblem> {
        let is_upper = self.next() == Some('P');
        self.skip(1);
        let Some(length) = self.rest().iter().position(|it| *it == '}') else {
            return Err(self.unsupported("a character property"));
        };
        let name: String = self.rest()[..length].iter().collect();
        self.skip(length + 1);
        let (is_negated, plain) =
            name.strip_prefix('^').map_or((is_upper, &*name), |plain| (!is_upper, plain));
        let plain: String = plain.chars().filter(|it| !matches!(it, ' ' | '_' | '-')).collect();
        let inside = match posix_set(&plain) {
            Some(set) => set.to_owned(),
            None if plain.eq_ignore_ascii_case("any") => r"\s\S".to_owned(),
            None => {
                // Ruby does not have these forms, which the library accepts.
                let is_other_form = plain.contains(['=', ':'])
                    || plain.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("is"));
                if is_other_form {
                    let name = name.trim_start_matches('^');
                    let message = format!("invalid character property name {{{name}}}");
                    return Err(self.invalid(&message));
                }
                let known = regex::Regex::new(&format!(r"\p{{{plain}}}")).is_ok();
                if !known {
                    return Err(self.unsupported("a character property"));
                }
                format!(r"\p{{{plain}}}")
            }
        };
        Ok(if is_negated { format!("[^{inside}]") } else { inside })
    }
}

fn class_character(character: char) -> String {
    if character.is_ascii_alphanumeric() {
        character.to_string()
    } else {
        format!("\\x{{{:x}}}", u32::from(character))
    }
}
