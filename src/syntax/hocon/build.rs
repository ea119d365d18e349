//! Converts the document as written to values: fields with the same key are merged, and neighbouring values are concatenated.

use std::rc::Rc;
use std::sync::Arc;

use super::Failure;
use super::document::{Document, Field, Item, Written};
use super::path::{Element, parse_path};
use super::token::{Token, TokenKind};
use super::value::{Kind, Member, Object, Scalar, Shared, Value, concatenate, with_fallback};
use crate::text::TextRange;

const PLUS_EQUALS_IN_A_LIST: &str = "Due to current limitations of the config parser, += does not \
     work nested inside a list. += expands to a ${} substitution and the path in ${} cannot \
     currently refer to list elements. You might be able to move the += outside of the list and \
     then refer to it from inside the list with ${}.";

/// The root object.
pub(super) fn build(source: &str, document: &Document) -> Result<Shared, Failure> {
    let mut builder =
        Builder { source, line: 1 + document.newlines_before, path: Vec::new(), list_depth: 0 };
    let root = builder.value(&document.root)?;
    if !root.is_object() {
        let message = " has type LIST rather than object at file root";
        return Err(Failure::at_line(root.lines.0, message, root.range));
    }
    Ok(root)
}

struct Builder<'a> {
    source: &'a str,
    /// Counts only line breaks between fields and items, as the gem does.
    line: u32,
    path: Vec<Arc<str>>,
    list_depth: usize,
}

impl Builder<'_> {
    fn value(&mut self, written: &Written) -> Result<Shared, Failure> {
        match written {
            Written::Simple(token) => simple_value(token, self.source),
            Written::Object(items, range) => self.object(items, *range),
            Written::List(items, range) => self.list(items, *range),
            Written::Pieces(values) => {
                let values =
                    values.iter().map(|it| self.value(it)).collect::<Result<Vec<_>, _>>()?;
                Ok(concatenate(values)?.expect("several values make one at least"))
            }
        }
    }

    fn object(&mut self, items: &[Item], range: TextRange) -> Result<Shared, Failure> {
        let line = self.line;
        let mut object = Object::default();
        for item in items {
            match item {
                Item::Newline => self.line += 1,
                Item::Comment | Item::Value(_) => {}
                Item::Include { kind, range } => refuse_unknown_include(kind.as_deref(), *range)?,
                Item::Field(field) => self.field(field, &mut object)?,
            }
        }
        Ok(Rc::new(Value::new(Kind::Object(object), range, (line, line))))
    }

    fn field(&mut self, field: &Field, object: &mut Object) -> Result<(), Failure> {
        let (first, rest) = field.path.split_first().expect("a path has an element");
        let outer = self.path.len();
        self.path.extend(field.path.iter().map(|it| Arc::clone(&it.name)));
        if field.is_plus_equals && self.list_depth > 0 {
            return Err(Failure::at_line(self.line, PLUS_EQUALS_IN_A_LIST, first.range));
        }
        // The gem puts the value into a list later, so it refuses a `+=` inside this value as well.
        self.list_depth += usize::from(field.is_plus_equals);
        let mut value = self.value(&field.value)?;
        if field.is_plus_equals {
            self.list_depth -= 1;
            value = self.appended(&value)?;
        }
        self.path.truncate(outer);
        let mut value = value_under(rest, value);
        if let Some(known) = object.members.get(&first.name) {
            value = with_fallback(&value, &known.value)?;
        }
        let member = Member { key_range: first.range, value };
        object.members.insert(Arc::clone(&first.name), member);
        Ok(())
    }

    /// `a += x` is `a = ${?a} [x]`.
    fn appended(&self, value: &Shared) -> Result<Shared, Failure> {
        let path = self.path.clone();
        let kind = Kind::Reference { path, is_optional: true, is_written: false };
        let earlier = Rc::new(Value::new(kind, value.range, value.lines));
        let list = Kind::List(vec![Rc::clone(value)]);
        let list = Rc::new(Value::new(list, value.range, value.lines));
        Ok(concatenate(vec![earlier, list])?.expect("two values make one at least"))
    }

    fn list(&mut self, items: &[Item], range: TextRange) -> Result<Shared, Failure> {
        let line = self.line;
        self.list_depth += 1;
        let mut values = Vec::new();
        for item in items {
            match item {
                Item::Newline => self.line += 1,
                Item::Value(written) => values.push(self.value(written)?),
                _ => {}
            }
        }
        self.list_depth -= 1;
        Ok(Rc::new(Value::new(Kind::List(values), range, (line, line))))
    }
}

/// Accepts an `include`, which adds nothing here, and refuses the two forms that the gem does not support.
fn refuse_unknown_include(kind: Option<&str>, range: TextRange) -> Result<(), Failure> {
    let method = match kind {
        Some("url") => "include_url",
        Some("classpath") => "include_resources",
        _ => return Ok(()),
    };
    let message = format!("undefined method `{method}' for #<Hocon::Impl::SimpleIncluder>");
    Err(Failure::bare(message, range))
}

fn simple_value(token: &Token, source: &str) -> Result<Shared, Failure> {
    let line = token.line.unwrap_or(1);
    let kind = match &token.kind {
        TokenKind::Value(scalar) => Kind::Scalar(scalar.clone()),
        TokenKind::Text(text) => {
            Kind::Scalar(Scalar::Text { text: Arc::clone(text), is_quoted: false })
        }
        TokenKind::Substitution { is_optional, expression } => {
            let path = parse_path(expression, source)
                .map_err(|message| Failure::at_line(line, message, token.range))?;
            let path = path.into_iter().map(|it| it.name).collect();
            Kind::Reference { path, is_optional: *is_optional, is_written: true }
        }
        _ => Kind::Scalar(Scalar::Null),
    };
    Ok(Rc::new(Value::new(kind, token.range, (line, line))))
}

/// Nests a value under a path: `b.c` and 1 give the object `{b: {c: 1}}`.
fn value_under(path: &[Element], value: Shared) -> Shared {
    path.iter().rev().fold(value, |value, element| {
        let range = TextRange::new(
            element.range.start.min(value.range.start),
            value.range.end.max(element.range.end),
        );
        let lines = value.lines;
        let member = Member { key_range: element.range, value };
        let members = [(Arc::clone(&element.name), member)].into_iter().collect();
        let object = Object { members, ignores_fallbacks: false };
        Rc::new(Value::new(Kind::Object(object), range, lines))
    })
}
