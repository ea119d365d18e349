//! The output of `classes`: JSON lines with the fields of Puppet's model, and a list for people.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::code::CodeFile;
use crate::code::literal::value_of;
use crate::data::render::to_exact_json;
use crate::syntax::puppet::{Call, CallForm, CalledName, Declaration, Parameter};
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

/// A JSON line for each declaration, call and error of a file, in source order.
pub(super) fn lines(name: &str, file: &CodeFile) -> String {
    let manifest = &file.manifest;
    let mut records: Vec<(u32, Json)> = Vec::new();
    records.extend(manifest.calls.iter().map(|it| (it.position, called(name, file, it))));
    records
        .extend(manifest.declarations.iter().map(|it| (it.range.start, declared(name, file, it))));
    records.sort_by_key(|(offset, _)| *offset);
    let first = manifest.errors.first();
    // The error comes last, whatever its place: what can be read is printed before it.
    records.extend(first.map(|it| (it.range.start, refused(name, file, it))));
    records.iter().fold(String::new(), |mut text, (_, record)| {
        let _ = writeln!(text, "{record}");
        text
    })
}

/// The same for people.
pub(super) fn summary(name: &str, file: &CodeFile) -> String {
    let mut text = String::new();
    for declaration in &file.manifest.declarations {
        let line = file.line(declaration.range.start);
        let _ = writeln!(text, "{name}:{line}: {}", heading(file, declaration));
        for parameter in &declaration.parameters {
            let _ = writeln!(text, "    {}", written_parameter(file, parameter));
        }
    }
    for call in &file.manifest.calls {
        let names: Vec<_> = call.names.iter().map(|it| it.text.as_str()).collect();
        if !names.is_empty() {
            let line = file.line(call.position);
            let _ = writeln!(text, "{name}:{line}: {} {}", call.function, names.join(", "));
        }
    }
    if let Some(error) = file.manifest.errors.first() {
        let line = file.line(error.range.start);
        let _ = writeln!(text, "{name}:{line}: error: {}", error.message);
    }
    text
}

fn declared(name: &str, file: &CodeFile, declaration: &Declaration) -> Json {
    let written = |range: Option<TextRange>| range.map(|it| file.slice(it));
    let hosts: Vec<_> = declaration.hosts.iter().map(|it| file.slice(*it)).collect();
    let parameters: Vec<_> = declaration.parameters.iter().map(|it| parameter(file, it)).collect();
    json!({
        "kind": declaration.kind.name(),
        "name": declaration.name,
        "file": name,
        "line": file.line(declaration.range.start),
        "offset": declaration.range.start,
        "length": declaration.range.len(),
        "parent": written(declaration.parent),
        "params": parameters,
        "type": written(declaration.aliased_type),
        "return_type": written(declaration.return_type),
        "hosts": if hosts.is_empty() { Json::Null } else { hosts.into() },
    })
}

fn parameter(file: &CodeFile, parameter: &Parameter) -> Json {
    let constant = parameter.default.as_ref().and_then(|it| it.constant.as_ref());
    let kind = match (&parameter.default, constant) {
        (None, _) => "none",
        (Some(_), Some(_)) => "literal",
        (Some(_), None) => "expression",
    };
    let literal = constant.and_then(value_of).map_or(Json::Null, |it| to_exact_json(&it));
    json!({
        "name": parameter.name,
        "type": parameter.type_range.map(|it| file.slice(it)),
        "default": parameter.default.as_ref().map(|it| file.slice(it.range)),
        "default_kind": kind,
        "literal": literal,
        "captures_rest": parameter.captures_rest,
        "line": file.line(parameter.name_range.start),
    })
}

fn called(name: &str, file: &CodeFile, call: &Call) -> Json {
    let texts = |names: &[CalledName]| names.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
    let arguments: Vec<_> = call.arguments.iter().map(|(kind, _)| kind.name()).collect();
    let names = call.given().map(|it| it.name.text.clone());
    let attributes = (call.form == CallForm::Resource).then(|| names.collect::<Vec<_>>());
    json!({
        "kind": "call",
        "function": call.function,
        "form": call.form.name(),
        "keys": texts(&call.names),
        "dynamic": call.is_dynamic,
        "args": arguments,
        "pattern": call.pattern,
        "attributes": attributes,
        "lambda": call.lambda.is_some(),
        "in": call.inside,
        "file": name,
        "line": file.line(call.position),
        "offset": call.range.start,
        "length": call.range.len(),
    })
}

fn refused(name: &str, file: &CodeFile, error: &SyntaxError) -> Json {
    let line = file.line(error.range.start);
    json!({
        "kind": "error",
        "file": name,
        "line": line,
        "offset": error.range.start,
        "length": error.range.len(),
        "message": error.message,
    })
}

fn heading(file: &CodeFile, declaration: &Declaration) -> String {
    let mut text = declaration.kind.name().replace('_', " ");
    if let Some(name) = &declaration.name {
        let _ = write!(text, " {name}");
    }
    for (index, host) in declaration.hosts.iter().enumerate() {
        let _ = write!(text, "{} {}", if index > 0 { "," } else { "" }, file.slice(*host));
    }
    let more = [
        (" inherits ", declaration.parent),
        (" = ", declaration.aliased_type),
        (" >> ", declaration.return_type),
    ];
    for (word, range) in more {
        if let Some(range) = range {
            let _ = write!(text, "{word}{}", in_one_line(file.slice(range)));
        }
    }
    text
}

fn written_parameter(file: &CodeFile, parameter: &Parameter) -> String {
    let mut text = String::new();
    if let Some(range) = parameter.type_range {
        let _ = write!(text, "{} ", in_one_line(file.slice(range)));
    }
    let _ = write!(text, "{}${}", if parameter.captures_rest { "*" } else { "" }, parameter.name);
    if let Some(default) = &parameter.default {
        let _ = write!(text, " = {}", in_one_line(file.slice(default.range)));
    }
    text
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
