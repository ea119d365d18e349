//! What `data_provider` in the `metadata.json` of a module makes of the module's layer. It is older than Hiera 5, and Puppet 8 still
//! reads it.

use super::{
    ConfigErrorClass, ConfigProblem, ConfigSeverity, Function, FunctionKind, HieraYaml, Level,
    Locations, ProblemDetail, ProblemSubject,
};
use crate::config::module_metadata::data_provider;
use crate::data::{Files, PathKind, Value};

type Read = (Option<HieraYaml>, Vec<ConfigProblem>);

/// The configuration of a module's layer, after its `hiera.yaml` at `path` was read.
pub(super) fn of_module(
    files: &dyn Files,
    path: &str,
    module: &str,
    (config, mut problems): Read,
) -> Read {
    let metadata = format!("{}metadata.json", path.strip_suffix("hiera.yaml").unwrap_or_default());
    let provider = files.text(&metadata).ok().and_then(|text| data_provider(&text));
    // Puppet reads the file first, so its errors come first.
    let Some(provider) = provider.filter(|_| !problems.iter().any(ConfigProblem::is_error)) else {
        return (config, problems);
    };
    let warning = |rest: &str| {
        let message = format!(
            "Defining \"data_provider\": \"{provider}\" in metadata.json is deprecated.{rest}"
        );
        problem(message, ConfigSeverity::Warning)
    };
    if config.as_ref().is_some_and(|it| it.version >= 5) {
        let rest = " It is ignored since a 'hiera.yaml' with version >= 5 is present";
        problems.push(warning(rest));
        return (config, problems);
    }
    problems.push(warning(match config {
        None => " A 'hiera.yaml' file should be used instead",
        Some(_) => "",
    }));
    let config = match &*provider {
        "none" => None,
        "hiera" if config.is_none() && files.kind(path) != PathKind::Missing => {
            // Puppet 7 ignores the file with a warning, and then reads its configuration.
            let message = "undefined method `configured_data_providers' for nil:NilClass";
            problems.push(problem(message.to_owned(), ConfigSeverity::Error));
            None
        }
        "hiera" => config.or_else(|| Some(HieraYaml::built_in(path))),
        "function" => Some(of_function(path, module)),
        _ => {
            // Puppet wants to say which environment lacks which provider, and fails to.
            let message = "undefined method `%' for #<Puppet::Error: Environment '%{env}', cannot find \
                           module_data_provider '%{provider}'>";
            problems.push(problem(message.to_owned(), ConfigSeverity::Error));
            None
        }
    };
    (config, problems)
}

/// The layer asks the function `data` of the module, which takes no arguments and returns all data.
fn of_function(path: &str, module: &str) -> HieraYaml {
    let name = format!("{module}::data");
    let built_in = HieraYaml::built_in(path);
    let level = Level {
        name: format!("Legacy function '{name}'").into(),
        name_place: None,
        place: None,
        function: Function { kind: FunctionKind::V4DataHash, name: name.into(), place: None },
        options: None,
        datadir: Value::string("data").unplaced(),
        extension: None,
        locations: Locations::None,
    };
    HieraYaml { hierarchy: vec![level], ..built_in }
}

fn problem(message: String, severity: ConfigSeverity) -> ConfigProblem {
    ConfigProblem {
        details: vec![ProblemDetail { message: message.clone(), place: None }],
        message,
        place: None,
        severity,
        class: ConfigErrorClass::Ruby("NoMethodError"),
        subject: ProblemSubject::default(),
    }
}
