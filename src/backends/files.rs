//! `yaml_data`, `json_data`, `hocon_data`: a file's top-level hash.

use std::sync::Arc;

use super::back_end::{BackEnd, Call, DataHash, Returned, Site};
use super::context::PuppetContext;
use super::failure::{Failure, FailureClass};
use crate::config::hiera_yaml::FunctionKind;
use crate::config::path;
use crate::data::{DataFile, Files, Format, NOT_UTF8, PathKind, Place, Verdict};
use crate::syntax::hocon::OUT_OF_RANGE;

/// One of the three functions, by its format.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileData(pub(super) Format);

impl BackEnd for FileData {
    fn data_hash(
        &self,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        if any_option_is_refused(call) {
            return Err(location_is_required(call));
        }
        let file = load(call, context, self.0)?;
        Ok(Returned::Value(DataHash::File(file)))
    }

    fn reads(&self) -> Option<Format> {
        Some(self.0)
    }
}

/// Reads and checks the file at the call's path, as all functions do that read files through Puppet.
///
/// # Errors
/// Puppet's: no path, a directory, invalid YAML (JSON, HOCON), not a hash.
pub(super) fn load(
    call: &Call<'_>,
    context: &mut dyn PuppetContext,
    format: Format,
) -> Result<Arc<DataFile>, Failure> {
    let Site::Path(path) = call.site else { return Err(location_is_required(call)) };
    let files = context.files();
    let real_path = path::resolve(files.as_ref(), path);
    let file = files.data(real_path.as_deref().unwrap_or(path), format);
    let file = file.map_err(|message| unreadable(call, files.as_ref(), path, &message))?;
    judge(call, context, path, &file)?;
    Ok(file)
}

/// Why there is no text at `path`; `message` is the error from the disk.
fn unreadable(call: &Call<'_>, files: &dyn Files, path: &str, message: &str) -> Failure {
    let failure = if path::kind(files, path) == PathKind::Directory {
        Failure::ruby("Errno::EISDIR", format!("Is a directory @ io_fread - {path}"))
    } else {
        Failure::ruby("Errno::ENOENT", as_stat_says_it(message, path))
    };
    failure.at(call.site_place)
}

/// Puppet looks at a file before it opens it, so this is what fails at a link that leads nowhere.
fn as_stat_says_it(message: &str, path: &str) -> String {
    let is_of_path = ["No such file", "Too many levels", "Not a directory", "File name too long"];
    match message.split_once(" @ rb_sysopen") {
        Some((reason, _)) if is_of_path.iter().any(|it| reason.starts_with(it)) => {
            format!("{reason} @ rb_file_s_stat - {path}")
        }
        _ => message.to_owned(),
    }
}

/// `yaml_data`, `json_data` and `hocon_data` accept a path and nothing else: a single option makes every lookup fail.
fn any_option_is_refused(call: &Call<'_>) -> bool {
    !call.options.is_empty()
}

/// Puppet's error for a level without a path.
pub(super) fn location_is_required(call: &Call<'_>) -> Failure {
    let name = &call.function.name;
    let colon = if call.function.kind == FunctionKind::LookupKey { ":" } else { "" };
    let kind = call.function.kind.key();
    let message = format!(
        "'{name}'{colon} one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
         when using this {kind} function"
    );
    Failure::ruby("ArgumentError", message).at(call.function.place.or(call.level_place))
}

fn judge(
    call: &Call<'_>,
    context: &mut dyn PuppetContext,
    path: &str,
    file: &DataFile,
) -> Result<(), Failure> {
    let place = |range| Some(Place { file: file.file(), range });
    match (file.verdict(), file.format()) {
        (Verdict::Hash, _) => Ok(()),
        (Verdict::Broken(_), _) if context.reads_broken_files() => Ok(()),
        (Verdict::Broken(error), _) => {
            let message = error.message.replace("{path}", path);
            Err(broken(message).at(place(error.range)))
        }
        // Puppet only warns here, even if it is strict.
        (Verdict::Empty, Format::Yaml) => {
            context.warn(format!("{path}: file does not contain a valid yaml hash"));
            Ok(())
        }
        (Verdict::NotAHash { .. }, Format::Yaml) => {
            let message = format!("{path}: file does not contain a valid yaml hash");
            if context.version().is_strict() {
                return Err(Failure::lookup(message));
            }
            context.warn(message);
            Ok(())
        }
        (verdict, _) => {
            let got = match verdict {
                Verdict::NotAHash { puppet_type } => puppet_type,
                _ => "Undef".to_owned(),
            };
            let message = format!(
                "Value returned from data_hash function '{}', when using location '{path}', has wrong type, \
                 expects a Hash value, got {got}",
                call.function.name
            );
            Err(Failure::of(FailureClass::TypeAssertion, message))
        }
    }
}

/// Errors of Ruby are no LookupErrors, unlike those of a reader: a list or hash that contains itself is valid YAML, but Puppet's
/// code recurses endlessly in it.
fn broken(message: String) -> Failure {
    let class = match &*message {
        "stack level too deep" => "SystemStackError",
        NOT_UTF8 => "ArgumentError",
        OUT_OF_RANGE => "RangeError",
        _ if message.starts_with("undefined method") => "NoMethodError",
        _ => return Failure::lookup(message),
    };
    Failure::ruby(class, message)
}
