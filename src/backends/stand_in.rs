//! Sample data that replaces a function that cannot be called.

use std::sync::Arc;

use super::back_end::{BackEnd, Call, DataHash, Returned, Site};
use super::context::PuppetContext;
use super::failure::Failure;
use super::settings::StandInFile;
use crate::config::path;
use crate::data::{DataFile, Files, Format, Located, Value, Verdict};
use crate::syntax::key_path::Segment;

/// A function's sample data: one file for all locations, or one file for each.
#[derive(Debug)]
pub(super) struct StandIn {
    /// Relative paths of files are relative to this directory.
    pub(super) root: Arc<str>,
    pub(super) files: Vec<StandInFile>,
}

impl BackEnd for StandIn {
    fn data_hash(
        &self,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        Ok(self.with_file(call, context, |file| Some(DataHash::File(file))))
    }

    fn lookup_key(
        &self,
        key: &Arc<str>,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        let value = |file: Arc<DataFile>| file.get(key).map(|entry| entry.value.clone());
        Ok(self.with_file(call, context, value))
    }

    fn data_dig(
        &self,
        segments: &[Segment],
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Ok(self.with_file(call, context, |file| dig(&file, segments)))
    }

    fn depends_on_options(&self) -> bool {
        false
    }

    fn depends_on_location(&self) -> bool {
        self.files.iter().any(|it| it.site.is_some())
    }
}

impl StandIn {
    /// Why its files cannot be used, for a report before any lookup.
    pub(super) fn problem(&self, files: &dyn Files) -> Option<Arc<str>> {
        self.files.iter().find_map(|it| self.read(files, it).err())
    }

    /// Its files, with their formats.
    pub(super) fn paths(&self) -> impl Iterator<Item = (String, Format)> {
        self.files.iter().map(|it| (path::join(&self.root, &it.file), format(&it.file)))
    }

    fn with_file<T>(
        &self,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
        find: impl FnOnce(Arc<DataFile>) -> Option<T>,
    ) -> Returned<T> {
        let Some(stand_in) = self.files.iter().find(|it| is_for(it, call.site)) else {
            return Returned::Unknown("has sample data for other locations only".into());
        };
        match self.read(context.files().as_ref(), stand_in) {
            Ok(file) => find(file).map_or(Returned::NotFound, Returned::Value),
            Err(reason) => Returned::Unknown(reason),
        }
    }

    fn read(&self, files: &dyn Files, stand_in: &StandInFile) -> Result<Arc<DataFile>, Arc<str>> {
        let name = &stand_in.file;
        let file = files.data(&path::join(&self.root, name), format(name)).map_err(|message| {
            let reason = message.split(" @ ").next().unwrap_or_default();
            Arc::from(format!("has sample data that cannot be read: {reason}: {name}"))
        })?;
        match file.verdict() {
            Verdict::Hash | Verdict::Empty => Ok(file),
            Verdict::NotAHash { .. } => {
                Err(format!("has sample data that is not a hash: {name}").into())
            }
            Verdict::Broken(error) => {
                let message = error.message.replace("{path}", name);
                Err(format!("has sample data that cannot be read: {message}").into())
            }
        }
    }
}

/// A path also matches by its end.
fn is_for(stand_in: &StandInFile, site: Site<'_>) -> bool {
    let Some(wanted) = &stand_in.site else { return true };
    match site {
        Site::Nowhere => false,
        Site::Uri(uri) => uri == wanted,
        Site::Path(path) => {
            let before = path.strip_suffix(&**wanted);
            before.is_some_and(|it| it.is_empty() || it.ends_with('/') || wanted.starts_with('/'))
        }
    }
}

fn format(path: &str) -> Format {
    match path.rsplit_once('.') {
        Some((_, "json")) => Format::Json,
        Some((_, "conf" | "hocon")) => Format::Hocon,
        _ => Format::Yaml,
    }
}

fn dig(file: &DataFile, segments: &[Segment]) -> Option<Located> {
    let (root, rest) = segments.split_first()?;
    // Puppet crashes on a root key that is an integer.
    let Segment::Name(root) = root else { return None };
    rest.iter().try_fold(file.get(root)?.value.clone(), |value, segment| {
        match (&value.value, segment) {
            (Value::Hash(hash), Segment::Name(name)) => {
                hash.get(name).map(|member| member.value.clone())
            }
            (Value::Hash(hash), Segment::Index(index)) => {
                hash.get_value(&Value::Integer(*index)).map(|member| member.value.clone())
            }
            (Value::Array(items), Segment::Index(index)) => {
                items.get(usize::try_from(*index).ok()?).cloned()
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &str, site: Site<'_>, expected: bool) {
        let stand_in = StandInFile { site: Some(wanted.into()), file: "x.yaml".into() };
        assert_eq!(is_for(&stand_in, site), expected, "{wanted} {site:?}");
    }

    #[test]
    fn locations_are_known_by_uri_or_by_the_end_of_the_path() {
        check("https://v/a", Site::Uri(&"https://v/a".into()), true);
        check("a", Site::Uri(&"https://v/a".into()), false);
        check("a.yaml", Site::Path(&"/env/data/a.yaml".into()), true);
        check("data/a.yaml", Site::Path(&"/env/data/a.yaml".into()), true);
        check("/env/data/a.yaml", Site::Path(&"/env/data/a.yaml".into()), true);
        check("a.yaml", Site::Path(&"/env/data/ba.yaml".into()), false);
        check("a.yaml", Site::Nowhere, false);
    }
}
