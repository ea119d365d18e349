//! Type aliases of modules and environments, such as `Stdlib::Port`. Each alias is loaded when a type first names it.
//!
//! The caller provides the texts of the files.

use std::collections::HashMap;
use std::fmt::{Debug, Formatter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::Type;
use super::expression::{self, Definition};
use super::guard::Guard;
use super::interpret::{Interpreter, TypeProblem};
use super::kept::KeptTypes;
use super::normalize::Simplifier;

/// Finds the definitions of types.
pub trait AliasFiles: Send + Sync {
    /// The file that has to define the alias with this lower-case name, such as `stdlib::port`.
    fn alias(&self, name: &str) -> Option<AliasFile>;

    /// Whether a resource type or a defined type has this lower-case name.
    fn is_resource_type(&self, name: &str) -> bool;
}

/// A file that defines an alias.
#[derive(Debug, Clone)]
pub struct AliasFile {
    /// Its path, for messages.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The aliases that types may name. A type does not keep its aliases alive, so its user must keep this.
pub struct TypeAliases {
    files: Box<dyn AliasFiles>,
    loaded: Mutex<Loaded>,
    kept: KeptTypes,
}

#[derive(Default)]
struct Loaded {
    by_name: HashMap<Arc<str>, Option<Arc<Alias>>>,
    /// Aliases that two threads loaded at the same time.
    duplicates: Vec<Arc<Alias>>,
}

/// A reference to an alias by name.
#[derive(Clone)]
pub struct AliasName {
    name: Arc<str>,
    alias: Weak<Alias>,
}

/// The definition of an alias.
pub(super) struct Alias {
    name: Arc<str>,
    /// Until this is known, Puppet assumes that the alias is recursive.
    is_recursive: AtomicBool,
    resolved: OnceLock<Type>,
}

impl TypeAliases {
    /// The aliases in `files`.
    pub fn new(files: Box<dyn AliasFiles>) -> Arc<Self> {
        Arc::new(Self { files, loaded: Mutex::default(), kept: KeptTypes::default() })
    }

    pub(super) fn kept(&self) -> &KeptTypes {
        &self.kept
    }

    pub(super) fn is_resource_type(&self, name: &str) -> bool {
        self.files.is_resource_type(name)
    }

    fn file(&self, name: &str) -> Option<AliasFile> {
        self.files.alias(name)
    }

    fn lock(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for TypeAliases {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypeAliases").finish_non_exhaustive()
    }
}

/// The aliases that are being loaded, to detect recursion.
#[derive(Default)]
pub(super) struct InProgress(Vec<(String, Arc<Alias>)>);

/// The alias with this lower-case name; `None` if no file defines it.
pub(super) fn load(
    interpreter: &mut Interpreter<'_>,
    aliases: &TypeAliases,
    name: &str,
) -> Result<Option<Type>, TypeProblem> {
    // An alias that names itself refers to the definition that is still being read. The reference is resolved when it is used.
    if let Some((_, alias)) = interpreter.in_progress.0.iter().find(|(it, _)| it == name) {
        return Ok(Some(Type::Named(AliasName::of(alias))));
    }
    if let Some(known) = aliases.lock().by_name.get(name) {
        return Ok(known.as_ref().map(|it| Type::Named(AliasName::of(it))));
    }
    // The lock is not held while a file is read, because the definition may name other aliases.
    let Some(file) = aliases.file(name) else {
        aliases.lock().by_name.insert(name.into(), None);
        return Ok(None);
    };
    let alias = define(interpreter, name, &file)?;
    let found = AliasName::of(&alias);
    let mut loaded = aliases.lock();
    match loaded.by_name.get(name) {
        // The type that is returned refers to this copy, but does not keep it alive.
        Some(Some(_)) => loaded.duplicates.push(alias),
        _ => _ = loaded.by_name.insert(name.into(), Some(alias)),
    }
    Ok(Some(Type::Named(found)))
}

fn define(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    file: &AliasFile,
) -> Result<Arc<Alias>, TypeProblem> {
    let Definition { name: written, body } = expression::definition(file, name)?;
    if written.to_ascii_lowercase() != name {
        return Err(TypeProblem::Invalid(format!(
            "The code loaded from {} produced type with the wrong name, expected '{name}', actual '{written}'",
            file.path
        )));
    }
    let alias = Arc::new(Alias {
        name: written,
        is_recursive: AtomicBool::new(true),
        resolved: OnceLock::new(),
    });
    interpreter.in_progress.0.push((name.to_owned(), alias.clone()));
    let resolved = interpreter.resolve_body(&body, &file.text);
    interpreter.in_progress.0.pop();
    // An error in `resolved` is returned only here, after the alias is no longer in progress.
    let simplifier = Simplifier::default();
    let resolved = simplifier.simplest(&resolved?);
    if let Some(failure) = simplifier.failure() {
        return Err(TypeProblem::Invalid(failure.to_owned()));
    }
    settle(&alias, resolved)?;
    Ok(alias)
}

/// Finds out whether the alias is recursive, and removes references to itself that add nothing.
fn settle(alias: &Arc<Alias>, resolved: Type) -> Result<(), TypeProblem> {
    let is_recursive = names(&resolved, alias);
    if !is_real(&resolved, alias, &mut Vec::new()) {
        let name = &alias.name;
        let message = format!("Type alias '{name}' cannot be resolved to a real type");
        return Err(TypeProblem::Invalid(message));
    }
    let resolved = match resolved {
        Type::Variant(types) if is_recursive => {
            let real = |it: &Type| !is_same(it, alias) && is_real(it, alias, &mut Vec::new());
            let count = types.len();
            let kept: Vec<Type> = types.into_iter().filter(real).collect();
            if kept.len() == count { Type::Variant(kept) } else { Type::variant_of(kept) }
        }
        other => other,
    };
    let is_recursive = is_recursive && names(&resolved, alias);
    alias.is_recursive.store(is_recursive, Ordering::Relaxed);
    let _ = alias.resolved.set(resolved);
    if is_recursive {
        settle_those_below(alias);
    }
    Ok(())
}

/// Aliases that were loaded before this one was complete may be recursive through it.
fn settle_those_below(alias: &Arc<Alias>) {
    let mut below = Vec::new();
    if let Some(resolved) = alias.resolved.get() {
        resolved.visit(&mut Vec::new(), &mut |it| {
            if let Type::Named(named) = it {
                below.extend(named.alias.upgrade());
            }
        });
    }
    for other in below {
        if let Some(resolved) = other.resolved.get() {
            other.is_recursive.store(names(resolved, &other), Ordering::Relaxed);
        }
    }
}

fn is_same(it: &Type, alias: &Arc<Alias>) -> bool {
    matches!(it, Type::Named(named) if named.name == alias.name)
}

/// Whether the type names the alias at any depth.
fn names(within: &Type, alias: &Arc<Alias>) -> bool {
    let mut seen = Vec::new();
    let mut found = false;
    within.visit(&mut seen, &mut |it| found |= is_same(it, alias));
    found
}

/// Whether the type consists of more than aliases and variants.
fn is_real(it: &Type, alias: &Arc<Alias>, seen: &mut Vec<Arc<str>>) -> bool {
    match it {
        Type::Variant(types) => types.iter().any(|it| is_real(it, alias, seen)),
        Type::Named(named) => {
            if named.name == alias.name || seen.contains(&named.name) {
                return false;
            }
            seen.push(named.name.clone());
            named.with_resolved(|it| is_real(it, alias, seen))
        }
        _ => true,
    }
}

impl Type {
    /// Whether the type contains, at any depth, a name without a known definition.
    pub fn names_unknown(&self) -> bool {
        let mut found = false;
        self.visit(&mut Vec::new(), &mut |it| found |= matches!(it, Self::Reference(_)));
        found
    }
}

impl AliasName {
    fn of(alias: &Arc<Alias>) -> Self {
        Self { name: alias.name.clone(), alias: Arc::downgrade(alias) }
    }

    /// The name as written in its definition.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Identifies the alias in a [`Guard`].
    pub(super) fn identity(&self) -> usize {
        self.alias.as_ptr().addr()
    }

    /// Whether the alias is recursive.
    pub(super) fn is_recursive(&self) -> bool {
        self.alias.upgrade().is_none_or(|it| it.is_recursive.load(Ordering::Relaxed))
    }

    /// The definition of the alias. It is an unknown reference while the alias is being loaded, and after its owner was
    /// dropped.
    pub(super) fn with_resolved<T>(&self, look: impl FnOnce(&Type) -> T) -> T {
        let alias = self.alias.upgrade();
        match alias.as_ref().and_then(|it| it.resolved.get()) {
            Some(resolved) => look(resolved),
            None => look(&Type::unresolved()),
        }
    }

    /// [`Self::with_resolved`] inside a walk.
    pub(super) fn step(
        &self,
        guard: &mut Guard,
        look: impl FnOnce(&Type, &mut Guard) -> bool,
    ) -> bool {
        guard.step(|guard| self.with_resolved(|it| look(it, guard)))
    }
}

impl Type {
    /// Puppet's placeholder for an alias that is not known yet.
    pub(super) fn unresolved() -> Self {
        Self::Reference("UnresolvedReference".into())
    }

    /// Visits the type and all types inside it, including those in aliases, each alias once.
    pub(super) fn visit(&self, seen: &mut Vec<Arc<str>>, look: &mut dyn FnMut(&Self)) {
        look(self);
        match self {
            Self::Callable(Some(callable)) => callable.parts().for_each(|it| it.visit(seen, look)),
            Self::Named(named) if !seen.contains(&named.name) => {
                seen.push(named.name.clone());
                named.with_resolved(|it| it.visit(seen, look));
            }
            _ => self.children().for_each(|it| it.visit(seen, look)),
        }
    }
}

impl PartialEq for AliasName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Debug for AliasName {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}
