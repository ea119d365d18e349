//! Turns a text into a checked configuration: YAML, the version, and whether the layer may have this version.

use std::sync::Arc;

use super::{
    ConfigErrorClass, ConfigProblem, ConfigSeverity, HieraYaml, LayerKind, ProblemDetail,
    ProblemSubject, v3, v4, v5,
};
use crate::config::PuppetVersion;
use crate::data::{
    DataFile, FileId, Format, Hash, InvalidUtf8, Located, Place, Value, Verdict, inspect,
};
use crate::limits::MAX_CONFIG_VALUES;
use crate::text::TextRange;

/// The file that is being read, and its problems.
pub(super) struct ConfigReader<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a Arc<str>,
    pub(super) layer: LayerKind,
    pub(super) puppet: PuppetVersion,
    file: FileId,
    invalid_utf8: Option<InvalidUtf8>,
    problems: Vec<ConfigProblem>,
}

/// Reads a file that exists: its text, and where it is not UTF-8.
pub(super) fn read(
    path: &str,
    file: FileId,
    (text, invalid_utf8): (&Arc<str>, Option<InvalidUtf8>),
    layer: LayerKind,
    puppet: PuppetVersion,
) -> (Option<HieraYaml>, Vec<ConfigProblem>) {
    let problems = Vec::new();
    let mut reader = ConfigReader { path, text, layer, puppet, file, invalid_utf8, problems };
    let config = reader.read_text();
    (config, reader.problems)
}

impl ConfigReader<'_> {
    fn read_text(&mut self) -> Option<HieraYaml> {
        let data = DataFile::new(self.file, Format::Yaml, Arc::clone(self.text).into());
        // A byte that is not UTF-8 breaks the file, even one in a comment, whatever else it contains.
        let not_utf8 = self.invalid_utf8.as_ref();
        let not_utf8 =
            not_utf8.map(|it| DataFile::not_utf8(self.file, Format::Yaml, it.at, &it.bytes));
        match not_utf8.as_ref().unwrap_or(&data).verdict() {
            Verdict::Hash => self.read_root(&root_of(&data)),
            Verdict::Empty | Verdict::NotAHash { .. } => {
                self.warn_of_no_hash();
                self.read_root(&Hash::new())
            }
            Verdict::Broken(error) => {
                let place = Place { file: self.file, range: error.range };
                let message = error_without_introduction(&error.message, self.path);
                self.crash(ConfigErrorClass::Yaml, message, Some(place));
                // The broken part of the file may contain what seems to be missing in the rest, so problems of the rest are not reported.
                let told = self.problems.len();
                // If the broken part contains `version`, the rest looks like version 3, so only version 5 counts.
                let config = self.read_root(&root_of(&data)).filter(|it| it.version == 5);
                self.problems.truncate(told);
                config
            }
        }
    }

    fn read_root(&mut self, root: &Hash) -> Option<HieraYaml> {
        let version = version_member(root);
        let place = version.and_then(|it| it.place).or_else(|| first_place(root));
        // The keys are renamed below in a copy of all values in which aliases are expanded, so their number is checked first.
        let mut left = MAX_CONFIG_VALUES;
        if !has_at_most(&Value::hash(root.clone()), &mut left) {
            let message = format!("aliases expand to more than {MAX_CONFIG_VALUES} values");
            self.crash(ConfigErrorClass::Yaml, message, place);
            return None;
        }
        let version = match version.map_or(Ok("3".to_owned()), |it| to_i(&it.value)) {
            Ok(version) => version,
            Err(message) => {
                self.crash(ConfigErrorClass::Ruby("NoMethodError"), message, place);
                return None;
            }
        };
        let root = with_string_keys(&Value::hash(root.clone()).unplaced());
        let root = root.value.as_hash().cloned().unwrap_or_default();
        match version.as_str() {
            "5" => Some(v5::read(self, root)),
            "4" => Some(v4::read(self, root, place)),
            "3" => {
                let config = v3::read(self, root, place);
                self.version_3_is_only_for_the_global_layer(place).then_some(config)
            }
            other => {
                let message = format!("This runtime does not support hiera.yaml version {other}");
                self.fail(&message, None, place);
                self.is_about(ProblemSubject::Version);
                None
            }
        }
    }

    /// An empty file has version 3: in an environment, Puppet 7 ignores it and Puppet 8 refuses it.
    fn warn_of_no_hash(&mut self) {
        let message = format!(
            "{}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config",
            self.path
        );
        let end = u32::try_from(self.text.trim_end().len()).unwrap_or_default();
        let place = Place { file: self.file, range: TextRange::new(0, end) };
        self.warn(message, Some(place));
        self.is_about(ProblemSubject::NoHash);
    }

    fn version_3_is_only_for_the_global_layer(&mut self, place: Option<Place>) -> bool {
        let (ignored, article_and_name) = match self.layer {
            LayerKind::Global => return true,
            LayerKind::Environment => ("the environment root", "an environment"),
            LayerKind::Module => ("module root", "a module"),
        };
        if self.puppet.is_strict() {
            let message = format!("hiera.yaml version 3 cannot be used in {article_and_name}");
            self.fail(&message, None, place);
        } else if !self.problems.iter().any(|it| it.severity == ConfigSeverity::Error) {
            self.warn(format!("hiera.yaml version 3 found at {ignored} was ignored"), place);
        } else {
            // Puppet does not get as far as the warning if the file violates the schema.
            return false;
        }
        self.is_about(ProblemSubject::VersionThree);
        false
    }

    /// Versions 3 and 4 work, but Puppet warns about them once.
    pub(super) fn warn_of_old_version(&mut self, version: u8, place: Option<Place>) {
        let message = format!(
            "{}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5",
            self.path
        );
        self.warn(message, place);
        self.is_about(ProblemSubject::Version);
    }

    /// Says what the last problem is about.
    pub(super) fn is_about(&mut self, subject: ProblemSubject) {
        if let Some(problem) = self.problems.last_mut() {
            problem.subject = subject;
        }
    }

    /// Adds a LookupError. Puppet adds the file and, if known, a line.
    pub(super) fn fail(&mut self, message: &str, line: Option<usize>, place: Option<Place>) {
        let line = line.map_or(String::new(), |line| format!(", line: {line}"));
        let whole = format!("{message} (file: {}{line})", self.path);
        let details = vec![ProblemDetail { message: message.to_owned(), place }];
        self.add(whole, details, ConfigSeverity::Error, ConfigErrorClass::Lookup);
    }

    /// Adds an error of another class.
    pub(super) fn crash(&mut self, class: ConfigErrorClass, message: String, place: Option<Place>) {
        let details = vec![ProblemDetail { message: message.clone(), place }];
        self.add(message, details, ConfigSeverity::Error, class);
    }

    /// Adds one error that consists of several problems.
    pub(super) fn crash_with_details(&mut self, message: String, details: Vec<ProblemDetail>) {
        self.add(message, details, ConfigSeverity::Error, ConfigErrorClass::Schema);
    }

    fn warn(&mut self, message: String, place: Option<Place>) {
        let details = vec![ProblemDetail { message: message.clone(), place }];
        self.add(message, details, ConfigSeverity::Warning, ConfigErrorClass::Lookup);
    }

    fn add(
        &mut self,
        message: String,
        details: Vec<ProblemDetail>,
        severity: ConfigSeverity,
        class: ConfigErrorClass,
    ) {
        let place = details.iter().find_map(|detail| detail.place);
        let subject = ProblemSubject::default();
        self.problems.push(ConfigProblem { message, place, severity, class, details, subject });
    }
}

/// Unlike in data, a YAML error has no introduction: `(/path): … at line 3 column 7`.
fn error_without_introduction(message: &str, path: &str) -> String {
    message.strip_prefix("Unable to parse ").unwrap_or(message).replace("{path}", path)
}

fn root_of(data: &DataFile) -> Hash {
    let mut root = Hash::new();
    for entry in data.entries() {
        root.insert(entry.key.clone(), Some(entry.key_place), entry.value.clone());
    }
    root
}

fn first_place(root: &Hash) -> Option<Place> {
    root.iter().next().and_then(|(_, member)| member.key_place)
}

/// `version`, or else `:version`; `false` counts as missing.
fn version_member(root: &Hash) -> Option<&Located> {
    let named = root.get("version");
    let symbol = root.get_value(&Value::Symbol("version".into()));
    named
        .filter(|it| it.value.value.is_truthy())
        .or(symbol)
        .map(|member| &member.value)
        .filter(|it| it.value != Value::Undef)
}

/// Ruby's `to_i` as decimal digits; the error is that of a value that does not have this method.
fn to_i(value: &Value) -> Result<String, String> {
    let class = match value {
        Value::Integer(number) => return Ok(number.to_string()),
        Value::BigInteger(digits) => return Ok(digits.to_string()),
        Value::Float(number) if number.is_finite() => return Ok(format!("{:.0}", number.trunc())),
        Value::Float(_) => return Err(inspect::inspect(value)),
        Value::String(text) => return Ok(leading_integer(text)),
        Value::Boolean(_) => "TrueClass",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Symbol(_) => "Symbol",
        _ => "Object",
    };
    Err(format!("undefined method `to_i' for {}:{class}", inspect::inspect(value)))
}

/// `"5.7x"` is 5 and `"foo"` is 0.
fn leading_integer(text: &str) -> String {
    let text = text.trim_start();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    let digits = unsigned[..end].trim_start_matches('0');
    match (digits, text.starts_with('-')) {
        ("", _) => "0".to_owned(),
        (digits, true) => format!("-{digits}"),
        (digits, false) => digits.to_owned(),
    }
}

/// Whether a value holds at most `left` values, the expanded ones of its aliases included; counts them down.
fn has_at_most(value: &Value, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    let has_room = *left > 0;
    has_room
        && match value {
            Value::Hash(hash) => hash.iter().all(|(_, it)| has_at_most(&it.value.value, left)),
            Value::Array(items) => items.iter().all(|it| has_at_most(&it.value, left)),
            _ => true,
        }
}

/// A copy in which `:name` keys are `name`, at any depth.
fn with_string_keys(it: &Located) -> Located {
    let value = match &it.value {
        Value::Hash(hash) => {
            let mut renamed = Hash::with_capacity(hash.len());
            for (key, member) in hash.iter() {
                let key = match key {
                    Value::Symbol(name) => Value::String(Arc::clone(name)),
                    other => other.clone(),
                };
                renamed.insert(key, member.key_place, with_string_keys(&member.value));
            }
            Value::hash(renamed)
        }
        Value::Array(items) => Value::array(items.iter().map(with_string_keys).collect()),
        other => other.clone(),
    };
    Located::new(value, it.place)
}
