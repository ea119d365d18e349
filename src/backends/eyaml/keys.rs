//! The keys of a level: those in its options, as hiera-eyaml reads them, or those in the settings if these cannot be read.

use std::sync::Arc;

use super::Eyaml;
use super::keyring::KeyPair;
use super::pkcs7::Certificate;
use crate::config::path;
use crate::data::{Files, Hash, Value, inspect};

/// The keys of one level.
#[derive(Debug, Clone, Copy)]
pub struct LevelKeys<'a> {
    /// The level's options, interpolated.
    pub options: &'a Hash,
    /// The directory to which relative paths are relative. For hiera-eyaml, this is the working directory of the process.
    pub directory: &'a str,
}

/// Why there is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// The message of the exception in hiera-eyaml.
    pub message: String,
    /// Whether nothing could be read, instead of something that is not a key.
    pub is_unreadable: bool,
}

/// One of the two keys in a level's options.
#[derive(Clone, Copy)]
struct Which {
    option: &'static str,
    variable_option: &'static str,
}

const PRIVATE: Which =
    Which { option: "pkcs7_private_key", variable_option: "pkcs7_private_key_env_var" };
const PUBLIC: Which =
    Which { option: "pkcs7_public_key", variable_option: "pkcs7_public_key_env_var" };

impl LevelKeys<'_> {
    /// Both keys, read in the order of hiera-eyaml.
    pub(super) fn pair(
        &self,
        eyaml: &Eyaml,
        files: &dyn Files,
    ) -> Result<Arc<KeyPair>, KeyProblem> {
        // The order decides which error is reported: the public key is checked first, but the private key is read first.
        let own_public = self.defined(PUBLIC, eyaml.public_key.as_ref())?;
        let own_private = self.defined(PRIVATE, eyaml.private_key.as_ref())?;
        let private = own_private.text(files)?;
        let public = own_public.text(files)?;
        let pair = eyaml.keyring.pair(&private, &public);
        pair.map_err(|message| KeyProblem { message, is_unreadable: false })
    }

    /// Whether both keys can be read and are valid.
    pub fn are_readable(&self, eyaml: &Eyaml, files: &dyn Files) -> bool {
        self.pair(eyaml, files).is_ok()
    }

    /// Why the keys cannot be read.
    pub fn problem(&self, eyaml: &Eyaml, files: &dyn Files) -> Option<KeyProblem> {
        self.pair(eyaml, files).err()
    }

    /// The key for encryption.
    pub fn certificate(&self, eyaml: &Eyaml, files: &dyn Files) -> Result<Certificate, KeyProblem> {
        let public = self.defined(PUBLIC, eyaml.public_key.as_ref())?.text(files)?;
        Certificate::from_pem(&public)
            .map_err(|message| KeyProblem { message, is_unreadable: false })
    }

    fn defined<'k>(
        &'k self,
        which: Which,
        fallback: Option<&'k Arc<str>>,
    ) -> Result<KeyOrigin<'k>, KeyProblem> {
        let source = KeyOrigin {
            variable: self.option(which.variable_option),
            path: self.option(which.option),
            fallback,
            directory: self.directory,
        };
        if source.variable.is_none() && source.path.is_none() && fallback.is_none() {
            return Err(unreadable(format!("{} is not defined", which.option)));
        }
        Ok(source)
    }

    /// An option's value; hiera-eyaml treats `false` and undef as missing.
    fn option(&self, name: &str) -> Option<&Value> {
        let value = &self.options.get(name)?.value.value;
        (!matches!(value, Value::Undef | Value::Boolean(false))).then_some(value)
    }
}

/// Where a key is read from.
struct KeyOrigin<'k> {
    variable: Option<&'k Value>,
    path: Option<&'k Value>,
    fallback: Option<&'k Arc<str>>,
    directory: &'k str,
}

impl KeyOrigin<'_> {
    /// The key's PEM text. A variable that is set wins over a path, although hiera-eyaml's warning says otherwise.
    fn text(&self, files: &dyn Files) -> Result<Arc<str>, KeyProblem> {
        self.own_text(files).or_else(|problem| {
            let text = self.fallback.and_then(|path| files.text(path).ok());
            text.ok_or(problem)
        })
    }

    fn own_text(&self, files: &dyn Files) -> Result<Arc<str>, KeyProblem> {
        if let Some(variable) = self.variable {
            let Some(name) = variable.as_str() else { return Err(no_conversion(variable)) };
            if let Some(text) = files.environment_variable(name) {
                return Ok(text);
            }
        }
        match self.path {
            Some(Value::String(written)) => self.file(files, written),
            Some(other) => Err(no_conversion(other)),
            None => Err(no_conversion(&Value::Undef)),
        }
    }

    fn file(&self, files: &dyn Files, written: &str) -> Result<Arc<str>, KeyProblem> {
        let joined = path::join(self.directory, written);
        let Some(path) = path::resolve(files, &joined) else {
            return Err(unreadable(format!("No such file or directory @ rb_sysopen - {written}")));
        };
        // hiera-eyaml opens the path as it is written, so Ruby's message has that path.
        files.text(&path).map_err(|message| unreadable(message.replace(&*path, written)))
    }
}

fn no_conversion(value: &Value) -> KeyProblem {
    let class = match value {
        Value::Undef => "nil".to_owned(),
        Value::Boolean(true) => "true".to_owned(),
        other => inspect::ruby_class(other).to_owned(),
    };
    unreadable(format!("no implicit conversion of {class} into String"))
}

fn unreadable(message: String) -> KeyProblem {
    KeyProblem { message, is_unreadable: true }
}
