//! Builds a `Struct[…]` from its hash.

use super::argument::Argument;
use super::guard::Guard;
use super::{StringKind, StructElement, Type, Wrapper};

/// `Struct[{…}]`.
pub(super) fn struct_of(members: &[(Argument, Argument)]) -> Result<Type, String> {
    let mut elements: Vec<StructElement> = Vec::new();
    for (key, value) in members {
        let element = element_of(key, value.as_type())?;
        // A key that is written twice in a hash keeps its first place and its last value.
        let is_plain = matches!(key, Argument::Text(_));
        let same = elements.iter_mut().find(|it| is_plain && it.name == element.name);
        match same {
            Some(same) => *same = element,
            None => elements.push(element),
        }
    }
    Ok(Type::Struct(elements))
}

fn element_of(key: &Argument, value: Type) -> Result<StructElement, String> {
    let literal =
        |inner: &Type| match inner {
            Type::String(StringKind::Exactly(name)) => Ok(name.clone()),
            _ => Err("Unable to extract a non-empty literal string from Struct member key type"
                .to_owned()),
        };
    let (name, is_optional) = match key {
        Argument::Text(name) if name.is_empty() => {
            return Err("Struct element key cannot be an empty String".to_owned());
        }
        Argument::Text(name) => {
            // As in Puppet, a plain key may be missing if its value may be undef.
            let may_be_missing = value.takes_undef(&mut Guard::default());
            (name.clone(), may_be_missing)
        }
        Argument::Type(Type::Wrapped(wrapper @ (Wrapper::Optional | Wrapper::NotUndef), inner)) => {
            (literal(inner.as_deref().unwrap_or(&Type::Any))?, *wrapper == Wrapper::Optional)
        }
        Argument::Type(it @ Type::String(_)) => (literal(it)?, false),
        other => {
            let got = other.ruby_class();
            return Err(format!(
                "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {got}"
            ));
        }
    };
    Ok(StructElement { name, is_optional, value })
}
