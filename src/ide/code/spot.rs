//! Finds the part of Puppet code at an offset, if it is related to data.

use crate::code::CodeFile;
use crate::code::summary::known_as;
use crate::syntax::puppet::{
    Call, CalledName, Declaration, DeclarationKind, Parameter, Written, WrittenShape,
};
use crate::text::TextRange;

/// What an offset of Puppet code touches.
#[derive(Debug, Clone)]
pub(in crate::ide) enum CodeSpot<'a> {
    /// A parameter in the head of a class.
    Parameter(ClassParameter<'a>),
    /// A constant key in a lookup.
    Key {
        /// The lookup.
        call: &'a Call,
        /// The key.
        name: &'a CalledName,
    },
    /// A key that is built from texts and expressions.
    DynamicKey {
        /// The lookup.
        call: &'a Call,
        /// Where the key is written.
        range: TextRange,
    },
    /// The name of a class, where it is declared.
    Class(&'a Declaration),
}

/// A parameter of a class.
#[derive(Debug, Clone, Copy)]
pub(in crate::ide) struct ClassParameter<'a> {
    /// The index of the class among the file's declarations.
    pub(in crate::ide) class_index: usize,
    /// The class.
    pub(in crate::ide) class: &'a Declaration,
    /// The parameter.
    pub(in crate::ide) parameter: &'a Parameter,
}

impl ClassParameter<'_> {
    /// The class's name in the form that Puppet uses.
    pub(in crate::ide) fn class_name(&self) -> String {
        class_name(self.class)
    }

    /// The key that Puppet looks up for it.
    pub(in crate::ide) fn key(&self) -> String {
        format!("{}::{}", self.class_name(), self.parameter.name)
    }
}

/// The name of a class in the form that Puppet uses.
pub(in crate::ide) fn class_name(class: &Declaration) -> String {
    let name = class.name.as_deref().unwrap_or_default();
    known_as(DeclarationKind::Class, name).to_string()
}

/// The parameters of all classes of a file, in source order.
pub(in crate::ide) fn class_parameters(
    file: &CodeFile,
) -> impl Iterator<Item = ClassParameter<'_>> {
    let classes = file.manifest.declarations.iter().enumerate();
    let classes = classes.filter(|(_, it)| it.kind == DeclarationKind::Class);
    classes.flat_map(|(class_index, class)| {
        let parameters = class.parameters.iter();
        parameters.map(move |parameter| ClassParameter { class_index, class, parameter })
    })
}

/// What `offset` touches.
pub(in crate::ide) fn spot(file: &CodeFile, offset: u32) -> Option<CodeSpot<'_>> {
    let parameter = class_parameters(file).find(|it| it.parameter.name_range.touches(offset));
    let key = || key_spot(file, offset);
    let class = || {
        let mut classes = file.manifest.declarations.iter();
        classes.find(|it| it.kind == DeclarationKind::Class && it.name_range.touches(offset))
    };
    parameter.map(CodeSpot::Parameter).or_else(key).or_else(|| class().map(CodeSpot::Class))
}

fn key_spot(file: &CodeFile, offset: u32) -> Option<CodeSpot<'_>> {
    let lookups = || file.manifest.calls.iter().filter(|it| it.is_lookup());
    let constant = lookups().find_map(|call| {
        let name = call.names.iter().find(|it| it.range.touches(offset))?;
        Some(CodeSpot::Key { call, name })
    });
    constant.or_else(|| {
        lookups().find_map(|call| {
            let range = dynamic_key(call).filter(|it| it.touches(offset))?;
            Some(CodeSpot::DynamicKey { call, range })
        })
    })
}

/// The range of a key that is a text with expressions.
pub(in crate::ide) fn dynamic_key(call: &Call) -> Option<TextRange> {
    call.pattern.as_ref()?;
    let first = call.written.first()?;
    // `lookup({'name' => …})` has its key in a hash of options.
    let WrittenShape::Hash(pairs) = &first.shape else { return Some(first.range) };
    let named = |(option, value): &(Written, Written)| {
        (option.text() == Some("name")).then_some(value.range)
    };
    pairs.iter().find_map(named)
}
