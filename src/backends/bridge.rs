//! Functions in other processes: in a program of the user's, or in a Ruby with Puppet that has the functions of the
//! environment and its modules. docs/backends.md describes the protocol.

mod failures;
mod messages;
mod process;
mod running;
mod scopes;
mod turn;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use self::failures::Failures;
use self::process::{Asker, NoResponse, Process, Question};
use self::scopes::Scopes;
use super::back_end::{BackEnd, Call, DataHash, Returned};
use super::context::PuppetContext;
use super::failure::{Failure, FailureClass};
use super::settings::BridgeSettings;
use crate::config::hiera_yaml::FunctionKind;
use crate::data::json::from_oracle_json;
use crate::data::render::to_exact_json;
use crate::data::{Hash, Located, Value, inspect};
use crate::syntax::key_path::Segment;

/// The script that Ruby runs.
const SCRIPT: &str = include_str!("bridge/bridge.rb");

/// Where the packages of Puppet and OpenVox install their Ruby.
const RUBY_OF_PUPPET: &str = "/opt/puppetlabs/puppet/bin/ruby";

/// The time that Puppet may take to load.
const TIME_TO_LOAD_PUPPET: Duration = Duration::from_secs(30);

/// A program with functions.
#[derive(Debug)]
pub(super) struct Program {
    process: Process,
    scopes: Scopes,
    last_context: AtomicU64,
    /// Contexts that no longer exist, of which the program has not been told yet.
    gone: Arc<Mutex<Vec<u64>>>,
}

/// A function in a program.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) program: Arc<Program>,
    pub(super) timeout: Duration,
}

/// A context, which the program identifies by a number.
struct RemoteContext {
    number: u64,
    gone: Arc<Mutex<Vec<u64>>>,
}

impl Drop for RemoteContext {
    fn drop(&mut self) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
    }
}

impl Program {
    /// A program from the settings; it runs in `directory`.
    pub(super) fn of_command(
        command: Vec<Arc<str>>,
        directory: Arc<str>,
        announce: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        Self::new(Process::new(command, directory, Duration::ZERO, announce))
    }

    /// Ruby with Puppet.
    pub(super) fn puppet(
        settings: &BridgeSettings,
        directory: Arc<str>,
        announce: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let installed = std::path::Path::new(RUBY_OF_PUPPET).exists();
        let found = if installed { RUBY_OF_PUPPET } else { "ruby" };
        let ruby = settings.ruby.clone().unwrap_or_else(|| found.into());
        // The script is an argument, so nothing in the workspace can take its place. `-W0` silences warnings on standard error.
        let command = vec![ruby, "-W0".into(), "-e".into(), SCRIPT.into()];
        Self::new(Process::new(command, directory, TIME_TO_LOAD_PUPPET, announce))
    }

    fn new(process: Process) -> Self {
        let (last_context, gone) = (AtomicU64::new(0), Arc::default());
        Self { process, scopes: Scopes::default(), last_context, gone }
    }

    /// Why the last call of a function failed.
    pub(super) fn problem(&self, function: &str) -> Option<Arc<str>> {
        self.process.problem(function)
    }

    /// Stops it for good.
    pub(super) fn stop(&self) {
        self.process.stop();
    }

    /// The call's context in the form that is sent to the program.
    fn context(&self, call: &Call<'_>, context: &dyn PuppetContext) -> Json {
        let make = || RemoteContext {
            number: self.last_context.fetch_add(1, Ordering::Relaxed) + 1,
            gone: Arc::clone(&self.gone),
        };
        let number = context.cache().attachment(make).map(|it| it.number);
        json!({
            "id": number,
            "scope": self.scopes.number(context.environment(), context.node()),
            "environment_name": context.environment_name(),
            "module_name": context.module_name().map(|it| &**it),
            "explain": context.is_explained(),
            "level": &**call.level,
            "hiera_yaml": &**call.config,
        })
    }

    fn gone(&self) -> Vec<u64> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl BackEnd for Remote {
    fn data_hash(
        &self,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        Ok(match self.call(None, call, context)? {
            Returned::Value(value) => Returned::Value(DataHash::Value(value)),
            Returned::NotFound => Returned::NotFound,
            Returned::Unknown(reason) => Returned::Unknown(reason),
        })
    }

    fn lookup_key(
        &self,
        key: &Arc<str>,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        let returned = self.call(Some(("key", Json::from(&**key))), call, context)?;
        Ok(located(returned))
    }

    fn data_dig(
        &self,
        segments: &[Segment],
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        let segments = segments.iter().map(|segment| match segment {
            Segment::Name(name) => Json::from(&**name),
            Segment::Index(index) => Json::from(*index),
        });
        let returned = self.call(Some(("segments", segments.collect())), call, context)?;
        Ok(located(returned))
    }
}

impl Remote {
    fn call(
        &self,
        argument: Option<(&str, Json)>,
        call: &Call<'_>,
        context: &mut dyn PuppetContext,
    ) -> Result<Returned<Value>, Failure> {
        let mut params = json!({
            "function": &*call.function.name,
            "options": to_exact_json(&Value::hash(call.options_hash())),
            "context": self.program.context(call, context),
        });
        if let Some((name, argument)) = argument {
            params[name] = argument;
        }
        // Contexts end at any time. The program learns of it with its next call.
        let gone = self.program.gone();
        if !gone.is_empty() {
            params["forget"] = gone.into();
        }
        let question = Question {
            function: &call.function.name,
            method: call.function.kind.key(),
            params,
            timeout: self.timeout,
        };
        let mut conversation = Conversation { context, failures: Failures::default() };
        let place = call.function.place.or(call.level_place);
        match self.program.process.ask(question, &mut conversation) {
            Ok(Ok(result)) => Ok(returned(&result)),
            Ok(Err(error)) => Err(conversation.failures.of(&error).at(place)),
            Err(NoResponse::Failed(reason)) => Ok(Returned::Unknown(reason)),
            Err(NoResponse::Cancelled) => {
                Err(Failure::of(FailureClass::Cancelled, "the lookup was cancelled"))
            }
        }
    }
}

/// Whether a function of this kind can run in another process.
pub(super) fn can_run(kind: FunctionKind) -> bool {
    matches!(kind, FunctionKind::DataHash | FunctionKind::LookupKey | FunctionKind::DataDig)
}

fn returned(result: &Json) -> Returned<Value> {
    if result["not_found"] == true {
        return Returned::NotFound;
    }
    Returned::Value(from_oracle_json(&result["value"]))
}

fn located(returned: Returned<Value>) -> Returned<Located> {
    match returned {
        Returned::Value(value) => Returned::Value(value.unplaced()),
        Returned::NotFound => Returned::NotFound,
        Returned::Unknown(reason) => Returned::Unknown(reason),
    }
}

/// Handles the requests of a function while it runs.
struct Conversation<'c> {
    context: &'c mut dyn PuppetContext,
    failures: Failures,
}

impl Asker for Conversation<'_> {
    fn is_cancelled(&self) -> bool {
        self.context.is_cancelled()
    }

    fn answer(&mut self, method: &str, params: &Json) -> Result<Json, Json> {
        let answer = match method {
            "interpolate" => self.interpolate(params),
            "lookup" => self.lookup(params),
            "explain" => {
                self.context.explain(params["text"].as_str().unwrap_or_default());
                Ok(Json::Null)
            }
            "cached_file_data" => self.file(params),
            "variable" => Ok(self.variable(params)),
            "describe" => Ok(scopes::describe(self.context)),
            _ => match self.cache(method, params) {
                Some(answer) => Ok(answer),
                None => {
                    return Err(json!({"code": -32601, "message": format!("no method {method}")}));
                }
            },
        };
        answer.map_err(|failure| self.failures.error_of(failure))
    }
}

impl Conversation<'_> {
    fn interpolate(&mut self, params: &Json) -> Result<Json, Failure> {
        let value = from_oracle_json(&params["value"]).unplaced();
        let value = self.context.interpolate(&value)?;
        Ok(json!({"value": to_exact_json(&value.value)}))
    }

    fn lookup(&mut self, params: &Json) -> Result<Json, Failure> {
        let key = params["key"].as_str().unwrap_or_default().into();
        let merge = params.get("merge").filter(|it| !it.is_null()).map(from_oracle_json);
        Ok(match self.context.lookup(&key, merge.as_ref())? {
            Some(value) => json!({"value": to_exact_json(&value.value)}),
            None => json!({"not_found": true}),
        })
    }

    /// The text is sent with a version number, or not at all if the program already has this version.
    fn file(&self, params: &Json) -> Result<Json, Failure> {
        let path = params["path"].as_str().unwrap_or_default();
        let text = self.context.cached_file_data(path)?;
        let version = version_of(&text);
        let mut answer = json!({ "version": version });
        if params["version"] != version.as_str() {
            answer["text"] = Json::from(&*text);
        }
        Ok(answer)
    }

    fn variable(&self, params: &Json) -> Json {
        let name = params["name"].as_str().unwrap_or_default();
        let name = name.strip_prefix("::").unwrap_or(name);
        match self.context.node().variable(name) {
            Some(value) => json!({"value": to_exact_json(&value.value)}),
            None => json!({"not_found": true}),
        }
    }

    fn cache(&self, method: &str, params: &Json) -> Option<Json> {
        let cache = self.context.cache();
        let key = || from_oracle_json(&params["key"]);
        Some(match method {
            "cache" => {
                let value = &params["value"];
                cache.cache(key(), from_oracle_json(value).unplaced());
                json!({ "value": value })
            }
            "cache_all" => {
                if let Value::Hash(hash) = from_oracle_json(&params["hash"]) {
                    cache.cache_all(&hash);
                }
                Json::Null
            }
            "cache_has_key" => json!({"value": cache.cache_has_key(&key())}),
            "cached_value" => json!({"value": to_exact_json(&cache.cached_value(&key()).value)}),
            "cached_entries" => {
                json!({"value": to_exact_json(&Value::hash(cache.cached_entries()))})
            }
            _ => return None,
        })
    }
}

/// A version number for a text. In practice, two texts with the same number are equal.
fn version_of(text: &str) -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let mut hasher = foldhash::quality::FixedState::default().build_hasher();
    hasher.write(text.as_bytes());
    format!("{:x}-{:016x}", text.len(), hasher.finish())
}

/// The members of a hash as JSON, whatever their keys are.
fn object(hash: &Hash) -> Json {
    let members =
        hash.iter().map(|(key, member)| (inspect::to_s(key), to_exact_json(&member.value.value)));
    Json::Object(members.collect::<Map<_, _>>())
}
