//! The function for a level whose YAML file may contain encrypted values.

use std::sync::Arc;

use super::{DecryptionFailure, Eyaml, LevelKeys};
use crate::backends::back_end::{BackEnd, Call, DataHash, Returned, Site};
use crate::backends::context::PuppetContext;
use crate::backends::failure::{Failure, FailureClass};
use crate::backends::files;
use crate::config::path;
use crate::data::{Format, Hash, Located, Value, render};

/// The function.
#[derive(Debug, Clone, Default)]
pub struct EyamlLookupKey {
    /// Whether and how to decrypt.
    pub eyaml: Eyaml,
}

impl BackEnd for EyamlLookupKey {
    /// The file, still encrypted.
    fn data_hash(
        &self,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        let file = files::load(call, context, Format::Yaml)?;
        Ok(Returned::Value(DataHash::File(file)))
    }

    /// The value in the file, decrypted and then interpolated.
    fn lookup_key(
        &self,
        key: &Arc<str>,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        if !matches!(call.site, Site::Path(_)) {
            return Err(files::location_is_required(call));
        }
        let Some(entry) = call.file.and_then(|file| file.get(key)) else {
            return Ok(Returned::NotFound);
        };
        let value = &entry.value;
        if self.eyaml.decrypts() && render::has_encrypted_text(&value.value) {
            return LevelReader { eyaml: &self.eyaml, key, call }
                .value(value, context)
                .map(Returned::Value);
        }
        if !entry.has_tokens() {
            return Ok(Returned::Value(value.clone()));
        }
        context.interpolate(value).map(Returned::Value)
    }

    fn reads(&self) -> Option<Format> {
        Some(Format::Yaml)
    }

    fn keeps_encrypted_text(&self) -> bool {
        self.eyaml.may_keep_encrypted_text()
    }
}

/// Reads the value of one key.
struct LevelReader<'a> {
    eyaml: &'a Eyaml,
    key: &'a str,
    call: &'a Call<'a>,
}

impl LevelReader<'_> {
    /// Strings at any depth are decrypted, then interpolated; keys of hashes are only interpolated. This happens value by
    /// value, so that the first error is the one that is reported.
    fn value(&self, value: &Located, context: &mut dyn PuppetContext) -> Result<Located, Failure> {
        match &value.value {
            Value::String(text) => {
                let plain = self.plain_text(text, value, context)?;
                context.interpolate(&plain)
            }
            Value::Array(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| self.value(item, context)).collect();
                Ok(Located::new(Value::array(items?), value.place))
            }
            Value::Hash(hash) => {
                let mut result = Hash::with_capacity(hash.len());
                for (key, member) in hash.as_ref() {
                    let placed_key = Located::new(key.clone(), member.key_place);
                    let key = context.interpolate(&placed_key)?.value;
                    let member_value = self.value(&member.value, context)?;
                    result.insert(key, member.key_place, member_value);
                }
                Ok(Located::new(Value::hash(result), value.place))
            }
            _ => Ok(value.clone()),
        }
    }

    fn plain_text(
        &self,
        text: &str,
        value: &Located,
        context: &mut dyn PuppetContext,
    ) -> Result<Located, Failure> {
        let directory = path::parent(self.call.config);
        let keys = LevelKeys { options: self.call.options, directory };
        let files = Arc::clone(context.files());
        let failure = match self.eyaml.plain_text(files.as_ref(), &keys, text) {
            Ok(Some(Value::Bytes(bytes))) if bytes.windows(2).any(|it| it == b"%{") => {
                bytes_are_not_searched_for_tokens()
            }
            Ok(Some(plain)) => return Ok(Located::new(plain, value.place)),
            Ok(None) | Err(DecryptionFailure::Kept) => return Ok(value.clone()),
            Err(DecryptionFailure::Failed(message)) => Failure::lookup(format!(
                "hiera-eyaml backend error decrypting {text} when looking up {} in {}. Error was {message}",
                self.key,
                self.path(),
            )),
            Err(DecryptionFailure::UnknownMethod(message)) => Failure::ruby("LoadError", message),
            Err(DecryptionFailure::Unsupported(message)) => {
                Failure::of(FailureClass::Unsupported, message)
            }
        };
        Err(failure.at(value.place))
    }

    fn path(&self) -> &str {
        match self.call.site {
            crate::backends::Site::Path(path) => path,
            _ => "",
        }
    }
}

/// Puppet searches for tokens with a regular expression, and Ruby's expressions refuse text that is not UTF-8.
fn bytes_are_not_searched_for_tokens() -> Failure {
    Failure::ruby("ArgumentError", "invalid byte sequence in UTF-8")
}
