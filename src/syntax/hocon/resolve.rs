//! Resolves substitutions as the gem does. An object is resolved only as far as a path needs it. A value with several layers
//! that refers to its own name sees only the layers below.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::Failure;
use super::path::{TOO_DEEP, render};
use super::value::{
    Kind, Object, Shared, Value, count_written, inspect, inspect_with_class, join_pieces, made_one,
    render_reference, with_fallback,
};
use crate::limits::{MAX_HOCON_STEPS, MAX_HOCON_SUBSTITUTIONS};

/// The root object with every substitution replaced.
pub(super) fn resolve(root: &Shared) -> Result<Shared, Failure> {
    let source = Surroundings { root: Rc::clone(root), path: None };
    match Resolver::default().resolve(root, &source) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Ok(empty_object(root)),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Cycle(_)) => Err(Failure::bare(
            "NotPossibleToResolve was thrown from an outermost resolve",
            root.range,
        )),
    }
}

/// Why resolving stopped.
enum Stop {
    /// The references that form a cycle.
    Cycle(String),
    Failure(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

type Resolved = Result<Option<Shared>, Stop>;

/// What is being resolved.
#[derive(Clone, Default)]
struct Resolver {
    /// Only this path below the value is needed.
    restriction: Option<Vec<Arc<str>>>,
    /// The values that are being resolved, outermost first.
    trace: Vec<Shared>,
    /// References that are a cycle if they are met again.
    markers: Vec<Shared>,
    /// How many values were resolved so far.
    steps: Rc<Cell<usize>>,
    /// Bytes of all values that were concatenated or copied.
    written: Rc<Cell<usize>>,
}

/// Where references are looked up: the root, and the values from the current one up to the root.
#[derive(Clone)]
struct Surroundings {
    root: Shared,
    path: Option<Vec<Shared>>,
}

impl Resolver {
    fn restrict(&self, restriction: Option<&[Arc<str>]>) -> Self {
        Self { restriction: restriction.map(<[Arc<str>]>::to_vec), ..self.clone() }
    }

    fn resolve(&self, value: &Shared, source: &Surroundings) -> Resolved {
        if value.is_resolved {
            return Ok(Some(Rc::clone(value)));
        }
        let mut inner = self.clone();
        inner.trace.push(Rc::clone(value));
        inner.steps.set(inner.steps.get() + 1);
        if inner.trace.len() > MAX_HOCON_SUBSTITUTIONS || inner.steps.get() > MAX_HOCON_STEPS {
            return Err(Failure::bare(TOO_DEEP, value.range).into());
        }
        if inner.markers.iter().any(|marker| Rc::ptr_eq(marker, value)) {
            return Err(Stop::Cycle(inner.describe_trace()));
        }
        let resolved = match &value.kind {
            Kind::Scalar(_) | Kind::OfEnvironment { .. } => Some(Rc::clone(value)),
            Kind::Object(object) => inner.resolve_object(value, object, source)?,
            Kind::List(items) => inner.resolve_list(value, items, source)?,
            Kind::Pieces(pieces) => inner.resolve_pieces(value, pieces, source)?,
            Kind::Reference { path, is_optional, .. } => {
                inner.resolve_reference(value, path, *is_optional, source)?
            }
            Kind::Stack(stack) => inner.resolve_stack(value, stack, source)?,
            Kind::ObjectStack(stack) => {
                let merged = inner.resolve_stack(value, stack, source)?;
                let is_open = |it: &Shared| matches!(it.kind, Kind::OfEnvironment { .. });
                if !merged.as_ref().is_some_and(|it| it.is_object() || is_open(it)) {
                    let merged = merged.map_or(String::new(), |it| inspect(&it));
                    let message =
                        format!("Expecting a resolve result to be an object, but it was {merged}");
                    return Err(Failure::bare(message, value.range).into());
                }
                merged
            }
        };
        let is_done = resolved.as_ref().is_none_or(|it| it.is_resolved);
        if !is_done && inner.restriction.is_none() {
            let message = "resolve_substitutions did not give us a resolved object";
            return Err(Failure::bare(message, value.range).into());
        }
        Ok(resolved)
    }

    fn describe_trace(&self) -> String {
        let references: Vec<String> = self
            .trace
            .iter()
            .filter_map(|it| match &it.kind {
                Kind::Reference { path, is_optional, .. } => {
                    Some(render_reference(path, *is_optional))
                }
                _ => None,
            })
            .collect();
        references.join(", ")
    }

    fn resolve_object(&self, value: &Shared, object: &Object, source: &Surroundings) -> Resolved {
        if let Some([_] | []) = self.restriction.as_deref() {
            // Only the object itself is needed, and it may have thousands of members.
            return Ok(Some(Rc::clone(value)));
        }
        let source = source.with_parent(value);
        let mut members = object.members.clone();
        let mut dropped = Vec::new();
        for (key, member) in &mut members {
            let resolved = match self.restriction.as_deref() {
                None => self.resolve(&member.value, &source)?,
                Some([first, rest @ ..]) if first == key && !rest.is_empty() => {
                    self.restrict(Some(rest)).resolve(&member.value, &source)?
                }
                Some(_) => continue,
            };
            match resolved {
                Some(resolved) => member.value = resolved,
                // A `${?name}` without a value removes its key.
                None => dropped.push(Arc::clone(key)),
            }
        }
        for key in dropped {
            members.shift_remove(&key);
        }
        let object = Object { members, ignores_fallbacks: object.ignores_fallbacks };
        Ok(Some(Rc::new(Value::new(Kind::Object(object), value.range, value.lines))))
    }

    /// For any error in a list, the gem only says that there was one.
    fn resolve_list(&self, value: &Shared, items: &[Shared], source: &Surroundings) -> Resolved {
        if self.restriction.is_some() {
            return Ok(Some(Rc::clone(value)));
        }
        let source = source.with_parent(value);
        let mut resolved = Vec::with_capacity(items.len());
        for item in items {
            match self.resolve(item, &source) {
                Ok(item) => resolved.extend(item),
                Err(Stop::Failure(failure)) => {
                    return Err(Failure::bare("unexpected exception", failure.range).into());
                }
                Err(cycle) => return Err(cycle),
            }
        }
        Ok(Some(Rc::new(Value::new(Kind::List(resolved), value.range, value.lines))))
    }

    fn resolve_pieces(&self, value: &Shared, pieces: &[Shared], source: &Surroundings) -> Resolved {
        let mut resolved = Vec::with_capacity(pieces.len());
        for piece in pieces {
            // Pieces are joined as a whole, even if only a part of the result is needed.
            resolved.extend(self.restrict(None).resolve(piece, source)?);
        }
        let mut joined = join_pieces(resolved, &self.written)?;
        if joined.len() > 1 {
            let pieces: Vec<String> = joined.iter().map(|it| inspect(it)).collect();
            let message = format!(
                "Bug in the library; resolved list was joined to too many values: [{}]",
                pieces.join(", ")
            );
            return Err(Failure::bare(message, value.range).into());
        }
        Ok(joined.pop().map(|it| at_place_of(value, &it)))
    }

    fn resolve_reference(
        &self,
        value: &Shared,
        path: &[Arc<str>],
        is_optional: bool,
        source: &Surroundings,
    ) -> Resolved {
        let mut marked = self.clone();
        marked.markers.push(Rc::clone(value));
        let found = match marked.look_up(source, path) {
            Ok(Some((found, parents))) => {
                let root = parents.last().map_or_else(|| Rc::clone(&source.root), Rc::clone);
                marked.resolve(&found, &Surroundings { root, path: Some(parents) })
            }
            Ok(None) => Ok(of_environment(value)),
            Err(stop) => Err(stop),
        };
        let text = render_reference(path, is_optional);
        let why = match found {
            Ok(Some(found)) => {
                count_written(&found, &self.written)?;
                return Ok(Some(at_place_of(value, &found)));
            }
            Ok(None) | Err(Stop::Cycle(_)) if is_optional => return Ok(None),
            Ok(None) => text,
            Err(Stop::Cycle(trace)) => {
                format!("{text} was part of a cycle of substitutions involving {trace}")
            }
            Err(failure) => return Err(failure),
        };
        let message = format!("Could not resolve substitution to a value: {why}");
        Err(Failure::at_line(value.lines.0, message, value.range).into())
    }

    /// The value at `path` below the source's root, and the objects that contain it, innermost first.
    fn look_up(
        &self,
        source: &Surroundings,
        path: &[Arc<str>],
    ) -> Result<Option<(Shared, Vec<Shared>)>, Stop> {
        let root = &source.root;
        let fresh = Surroundings { root: Rc::clone(root), path: None };
        let resolved = self.restrict(Some(path)).resolve(root, &fresh)?;
        let mut at = resolved
            .filter(|it| it.is_object())
            .ok_or_else(|| Failure::bare("resolved object to non-object", root.range))?;
        let mut parents = Vec::new();
        for (index, key) in path.iter().enumerate() {
            let found = peek(&at, key, path)?;
            parents.insert(0, at);
            match found {
                Some(found) if index + 1 == path.len() => return Ok(Some((found, parents))),
                // Below it may be something if the variable is not set.
                Some(found) if matches!(found.kind, Kind::OfEnvironment { .. }) => {
                    return Ok(Some((found, parents)));
                }
                Some(found) if found.is_object() => at = found,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Resolves layers from the last written down; each substitution among them sees only the layers below it.
    fn resolve_stack(&self, value: &Shared, stack: &[Shared], source: &Surroundings) -> Resolved {
        let mut merged: Option<Shared> = None;
        for (index, layer) in stack.iter().enumerate() {
            let source = if layer.is_unmergeable() {
                let below = made_one(&stack[index + 1..])?;
                source.replacing(value, below.as_ref())?.without_parents()?
            } else {
                source.with_parent(value)
            };
            if let Some(layer) = self.resolve(layer, &source)? {
                merged = Some(match merged {
                    None => layer,
                    Some(over) => with_fallback(&over, &layer)?,
                });
            }
        }
        Ok(merged)
    }
}

impl Surroundings {
    fn with_parent(&self, parent: &Shared) -> Self {
        let path = match &self.path {
            Some(path) => {
                let mut path = path.clone();
                path.insert(0, Rc::clone(parent));
                Some(path)
            }
            None => Rc::ptr_eq(parent, &self.root).then(|| vec![Rc::clone(parent)]),
        };
        Self { root: Rc::clone(&self.root), path }
    }

    fn without_parents(self) -> Result<Self, Stop> {
        if self.path.is_some() {
            return Ok(Self { root: self.root, path: None });
        }
        let message = "undefined local variable or method `this' for #<Hocon::Impl::ResolveSource>";
        Err(Failure::bare(message, self.root.range).into())
    }

    /// The same source with `old`, a member of the innermost parent, replaced or removed.
    fn replacing(&self, old: &Shared, new: Option<&Shared>) -> Result<Self, Stop> {
        if let Some(path) = &self.path {
            let parent = path.first().expect("a path of parents is never empty");
            let new_parent = replace_child(parent, old, new)?.filter(|it| it.is_container());
            let path = replace_in_path(path, new_parent)?;
            return Ok(match path {
                Some(path) => {
                    let root = path.last().expect("a path of parents is never empty");
                    Self { root: Rc::clone(root), path: Some(path) }
                }
                None => Self { root: empty_object(&self.root), path: None },
            });
        }
        match new {
            Some(new) if Rc::ptr_eq(old, &self.root) && new.is_container() => {
                let root = if new.is_object() { Rc::clone(new) } else { empty_object(new) };
                Ok(Self { root, path: None })
            }
            _ => {
                let new = new.map_or(String::new(), |it| inspect(it));
                let message = format!(
                    "replace in parent not possible {} with {new} in ResolveSource(root={}, pathFromRoot=)",
                    inspect(old),
                    inspect(&self.root)
                );
                Err(Failure::bare(message, old.range).into())
            }
        }
    }
}

/// The parents with the innermost one replaced and, in each outer parent, its child.
fn replace_in_path(path: &[Shared], new: Option<Shared>) -> Result<Option<Vec<Shared>>, Stop> {
    let (old, outer) = path.split_first().expect("a path of parents is never empty");
    let Some(parent) = outer.first() else { return Ok(new.map(|new| vec![new])) };
    let new_parent = replace_child(parent, old, new.as_ref())?;
    let is_container = new_parent.as_ref().is_some_and(|it| it.is_container());
    let outer = replace_in_path(outer, new_parent.filter(|_| is_container))?;
    Ok(match (new, outer) {
        (None, outer) => outer,
        (Some(new), Some(mut outer)) => {
            outer.insert(0, new);
            Some(outer)
        }
        (Some(new), None) => Some(vec![new]),
    })
}

/// `parent` with `old` replaced by `new`. The gem cannot do this for lists and for stacks of plain values.
fn replace_child(
    parent: &Shared,
    old: &Shared,
    new: Option<&Shared>,
) -> Result<Option<Shared>, Stop> {
    let kind =
        match &parent.kind {
            Kind::Object(object) => {
                let mut object = object.clone();
                let found = object.members.iter().find(|(_, it)| Rc::ptr_eq(&it.value, old));
                let Some(key) = found.map(|(key, _)| Arc::clone(key)) else {
                    let message = format!(
                        "SimpleConfigObject.replaceChild did not find {} in {}",
                        inspect(old),
                        inspect(parent)
                    );
                    return Err(Failure::bare(message, old.range).into());
                };
                match (new, object.members.get_mut(&key)) {
                    (Some(new), Some(member)) => member.value = Rc::clone(new),
                    _ => {
                        object.members.shift_remove(&key);
                    }
                }
                Kind::Object(object)
            }
            Kind::ObjectStack(stack) => Kind::ObjectStack(
                stack
                    .iter()
                    .map(|it| {
                        if Rc::ptr_eq(it, old) {
                            Rc::clone(new.unwrap_or(it))
                        } else {
                            Rc::clone(it)
                        }
                    })
                    .collect(),
            ),
            _ => {
                let parent_text = inspect_with_class(parent);
                let message = format!("undefined method `replace_child_in_list' for {parent_text}");
                return Err(Failure::bare(message, parent.range).into());
            }
        };
    Ok(Some(Rc::new(Value::new(kind, parent.range, parent.lines))))
}

/// A member of an object that may not be resolved yet.
fn peek(object: &Shared, key: &str, path: &[Arc<str>]) -> Result<Option<Shared>, Stop> {
    let stack = match &object.kind {
        Kind::Object(object) => {
            return Ok(object.members.get(key).map(|it| Rc::clone(&it.value)));
        }
        Kind::ObjectStack(stack) => stack,
        _ => return Ok(None),
    };
    for layer in stack {
        if layer.is_object() {
            match peek(layer, key, path)? {
                Some(found) if found.ignores_fallbacks() => return Ok(Some(found)),
                _ => {}
            }
        } else if layer.is_unmergeable() {
            let path = render(path);
            let message = format!(
                "{path} has not been resolved, you need to call Config#resolve, \
                 see API docs for Config#resolve"
            );
            return Err(Failure::bare(message, layer.range).into());
        } else {
            let message =
                format!("undefined method `resolved_status' for {}", inspect_with_class(layer));
            return Err(Failure::bare(message, layer.range).into());
        }
    }
    let message = "Delayed merge stack does not contain any unmergeable values";
    Err(Failure::bare(message, object.range).into())
}

/// What a substitution without a value in the file stands for: an environment variable of the server. Their names are not split at
/// dots, so a path with several elements is none. What precedes the first `+=` of a key counts as nothing.
fn of_environment(reference: &Value) -> Option<Shared> {
    let Kind::Reference { path, is_optional, is_written: true } = &reference.kind else {
        return None;
    };
    let [name] = &**path else { return None };
    let text = render_reference(path, *is_optional).into();
    let kind = Kind::OfEnvironment { text, variables: vec![Arc::clone(name)] };
    Some(Rc::new(Value::new(kind, reference.range, reference.lines)))
}

/// The value of a substitution gets the position of the substitution; its members keep their own positions.
fn at_place_of(written: &Value, value: &Shared) -> Shared {
    Rc::new(Value { range: written.range, ..Value::clone(value) })
}

fn empty_object(like: &Value) -> Shared {
    Rc::new(Value::new(Kind::Object(Object::default()), like.range, like.lines))
}
