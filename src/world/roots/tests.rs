//! Layouts of repositories, and which of their files belong together.

use std::sync::Arc;

use crate::config::Environment;
use crate::settings::Settings;
use crate::world::{Change, Host, MemoryDisk};

/// `root`, name, global layer and modules in one line.
fn show(environment: Option<Arc<Environment>>) -> String {
    let Some(environment) = environment else { return "none".to_owned() };
    let modules: Vec<_> =
        environment.modules.iter().map(|(name, at)| format!("{name}={at}")).collect();
    format!(
        "{} at {} global {} [{}]",
        environment.name,
        environment.root.as_deref().unwrap_or("-"),
        environment.global_config.as_deref().unwrap_or("-"),
        modules.join(" "),
    )
}

fn host(files: &[&str]) -> Host {
    let text = |path: &str| match path.rsplit('/').next() {
        Some("metadata.json") => {
            r#"{"name": "puppetlabs-stdlib", "source": "", "author": "", "version": "", "license": "", "dependencies": []}"#
        }
        Some("environment.conf") => "modulepath = site:modules\n",
        _ => "",
    };
    let files: Vec<_> = files.iter().map(|path| (*path, text(path))).collect();
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    let settings = Settings {
        basemodulepath: vec!["/etc/puppetlabs/code/modules".into()],
        ..Settings::default()
    };
    host.apply(Change::Settings(settings));
    host
}

#[track_caller]
fn check(files: &[&str], path: &str, expected: &str) {
    assert_eq!(show(host(files).snapshot().environment_of(path)), expected);
}

#[track_caller]
fn check_workspace(files: &[&str], folder: &str, expected: &[&str]) {
    let mut host = host(files);
    host.apply(Change::Folders(vec![folder.to_owned()]));
    let found = host.snapshot().environments();
    let found: Vec<_> = found.iter().map(|it| show(Some(it.clone()))).collect();
    assert_eq!(found, expected);
}

const CONTROL_REPO: [&str; 6] = [
    "/r/hiera.yaml",
    "/r/environment.conf",
    "/r/data/nodes/a.yaml",
    "/r/site/role/manifests/a.pp",
    "/r/modules/ntp/hiera.yaml",
    "/r/modules/ntp/data/common.yaml",
];

#[test]
fn a_control_repository_is_one_environment() {
    let expected = "production at /r global - [role=/r/site/role ntp=/r/modules/ntp]";
    check(&CONTROL_REPO, "/r/data/nodes/a.yaml", expected);
    check(&CONTROL_REPO, "/r/data/nodes/new.yaml", expected);
    check(&CONTROL_REPO, "/r/hiera.yaml", expected);
    check(&CONTROL_REPO, "/r", expected);
    check(&CONTROL_REPO, "/elsewhere/x.yaml", "none");
    check_workspace(&CONTROL_REPO, "/r", &[expected]);
    check_workspace(&CONTROL_REPO, "/r/data", &[expected]);
    check_workspace(&CONTROL_REPO, "/", &[expected]);
}

#[test]
fn a_module_in_the_modulepath_belongs_to_the_environment() {
    let expected = "production at /r global - [role=/r/site/role ntp=/r/modules/ntp]";
    check(&CONTROL_REPO, "/r/modules/ntp/data/common.yaml", expected);
}

#[test]
fn a_folder_with_nothing_but_modules_is_an_environment() {
    let mut files = vec![
        "/r/modules/ntp/hiera.yaml",
        "/r/modules/ntp/data/common.yaml",
        "/r/modules/profile/manifests/web.pp",
        "/r/manifests/site.pp",
    ];
    let one = "production at /r global - [ntp=/r/modules/ntp profile=/r/modules/profile]";
    check_workspace(&files, "/r", &[one]);
    let environment_of = |files: &[&str], path: &str| {
        let mut host = host(files);
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        show(host.snapshot().environment_of(path))
    };
    assert_eq!(environment_of(&files, "/r/modules/ntp/data/common.yaml"), one);
    assert_eq!(environment_of(&files, "/r/modules/profile/manifests/web.pp"), one);
    files.push("/r/modules/apt/hiera.yaml");
    let two = "production at /r global - [apt=/r/modules/apt ntp=/r/modules/ntp profile=/r/modules/profile]";
    check_workspace(&files, "/r", &[two]);
    // Here the environment is somewhere else, or the folder is a module itself.
    files.push("/r/puppet/hiera.yaml");
    assert!(!environment_of(&files, "/r/manifests/site.pp").contains("at /r "));
    files.pop();
    files.push("/r/metadata.json");
    assert!(!environment_of(&files, "/r/modules/ntp/data/common.yaml").contains("at /r "));
}

#[test]
fn a_module_alone_is_named_by_its_metadata() {
    let files = ["/m/x/hiera.yaml", "/m/x/metadata.json", "/m/x/data/common.yaml"];
    check(&files, "/m/x/data/common.yaml", "production at - global - [stdlib=/m/x]");
    check_workspace(&files, "/m/x", &["production at - global - [stdlib=/m/x]"]);
    let files = ["/m/puppet-ntp/hiera.yaml", "/m/puppet-ntp/manifests/init.pp"];
    check(&files, "/m/puppet-ntp/hiera.yaml", "production at - global - [ntp=/m/puppet-ntp]");
}

const DEPLOYED: [&str; 7] = [
    "/c/hiera.yaml",
    "/c/data/common.yaml",
    "/c/modules/base/hiera.yaml",
    "/c/environments/production/hiera.yaml",
    "/c/environments/production/data/environments/test/common.yaml",
    "/c/environments/staging/manifests/site.pp",
    "/c/environments/staging/data/x.yaml",
];

#[test]
fn environments_share_the_global_layer_beside_them() {
    let production =
        "production at /c/environments/production global /c/hiera.yaml [base=/c/modules/base]";
    let staging = "staging at /c/environments/staging global /c/hiera.yaml [base=/c/modules/base]";
    check(&DEPLOYED, "/c/environments/production/data/environments/test/common.yaml", production);
    check(&DEPLOYED, "/c/environments/staging/data/x.yaml", staging);
    check(&DEPLOYED, "/c/data/common.yaml", production);
    check(&DEPLOYED, "/c/modules/base/data/x.yaml", production);
    check_workspace(&DEPLOYED, "/c", &[production, staging]);
    check_workspace(&DEPLOYED, "/c/environments", &[production, staging]);
    check_workspace(&DEPLOYED, "/c/environments/staging", &[staging]);
    for shared in ["/c/data", "/c/modules", "/c/modules/base"] {
        check_workspace(&DEPLOYED, shared, &[production, staging]);
    }
}

/// Only a part of the code directory is the workspace.
#[test]
fn environments_beside_the_workspace_are_called_by_their_names() {
    let mut host = host(&DEPLOYED);
    host.apply(Change::Folders(vec!["/c/environments/staging".to_owned()]));
    let world = host.snapshot();
    let root = |name: &str| world.environment_called(name).and_then(|it| it.root.clone());
    assert_eq!(root("staging").as_deref(), Some("/c/environments/staging"));
    assert_eq!(root("production").as_deref(), Some("/c/environments/production"));
    assert_eq!(root("test"), None);
}

#[test]
fn environments_in_a_subdirectory_are_all_found() {
    let line = |name: &str, global: &str| {
        format!("{name} at /r/infra/puppet/environments/{name} global {global} []")
    };
    let config = "/r/infra/puppet/hiera.yaml";
    let files =
        ["dev", "production"].map(|it| format!("/r/infra/puppet/environments/{it}/hiera.yaml"));
    let mut files: Vec<&str> = files.iter().map(String::as_str).collect();
    let all = ["dev", "production"].map(|it| line(it, "-"));
    check_workspace(&files, "/r", &all.each_ref().map(String::as_str));
    files.push(config);
    let all = ["dev", "production"].map(|it| line(it, config));
    check_workspace(&files, "/r", &all.each_ref().map(String::as_str));
}

/// Only `dev` has it in its modulepath.
#[test]
fn a_module_belongs_to_the_environment_whose_modulepath_has_it() {
    let files = [
        ("/c/environments/dev/environment.conf", "modulepath = ../../shared\n"),
        ("/c/environments/production/environment.conf", "modulepath = modules\n"),
        ("/c/shared/sh/hiera.yaml", "version: 5\n"),
    ];
    let host = Host::new(Arc::new(MemoryDisk::new(files)));
    let found = host.snapshot().environment_of("/c/shared/sh/data/common.yaml");
    assert_eq!(found.map(|it| it.name.to_string()).as_deref(), Some("dev"));
}

/// Such names are usual for environments, and for directories that Puppet ignores.
#[test]
fn environments_may_be_called_like_directories_for_tests() {
    let below = |directory: &str| {
        ["acceptance", "prod", "test"].map(|name| format!("{directory}/{name}/hiera.yaml"))
    };
    for directory in ["/c/environments", "/c/envs", "/c"] {
        let files = below(directory);
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let line = |name: &str| {
            let named = if directory.ends_with("environments") { name } else { "production" };
            format!("{named} at {directory}/{name} global - []")
        };
        let all = ["acceptance", "prod", "test"].map(line);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        check_workspace(&files, directory, &all);
        check_workspace(&files, "/c", &all);
        let mut host = host(&files);
        host.apply(Change::Folders(vec![directory.to_owned()]));
        let file = format!("{directory}/test/data/common.yaml");
        assert_eq!(show(host.snapshot().environment_of(&file)), all[2]);
    }
    let only = "production at /r/prod global - []";
    for other in ["spec", "fixtures", "node_modules", "test/x", "prod/test"] {
        let other = format!("/r/{other}/hiera.yaml");
        check_workspace(&["/r/prod/hiera.yaml", &other], "/r", &[only]);
    }
    let root = "production at /r global - []";
    check_workspace(&["/r/hiera.yaml", "/r/test/hiera.yaml"], "/r", &[root]);
}

#[test]
fn an_environment_that_appears_is_seen() {
    let mut host = host(&["/r/data/a.yaml"]);
    assert_eq!(show(host.snapshot().environment_of("/r/data/a.yaml")), "none");
    let effect = host.apply(Change::OpenBuffer {
        path: "/r/hiera.yaml".to_owned(),
        text: "version: 5\n".to_owned(),
        version: 1,
    });
    assert!(effect.is_structural);
    let expected = "production at /r global - []";
    assert_eq!(show(host.snapshot().environment_of("/r/data/a.yaml")), expected);
    host.apply(Change::CloseBuffer { path: "/r/hiera.yaml".to_owned() });
    assert_eq!(show(host.snapshot().environment_of("/r/data/a.yaml")), "none");
}

#[test]
fn data_outside_belongs_to_the_environment_that_reads_it() {
    let config = "version: 5\ndefaults: {datadir: '../hieradata/%{environment}'}\nhierarchy: [{name: c, path: c.yaml}]\n";
    let files = [
        ("/w/repo/hiera.yaml", config),
        ("/w/repo/environment.conf", ""),
        ("/w/hieradata/production/c.yaml", "a: 1\n"),
        ("/w/hieradata/production/x.yaml", "a: 1\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/w/repo".to_owned(), "/w/hieradata".to_owned()]));
    let world = host.snapshot();
    let root = |path: &str| world.environment_of(path).and_then(|it| it.root.clone());
    assert_eq!(root("/w/hieradata/production/c.yaml").as_deref(), Some("/w/repo"));
    assert_eq!(root("/w/hieradata/production/x.yaml").as_deref(), Some("/w/repo"));
    // Nothing names the environment production.
    assert_eq!(root("/w/hieradata/test/c.yaml").as_deref(), Some("/w/repo"));
}

#[test]
fn data_whose_hiera_yaml_lies_elsewhere() {
    let mut host = host(&["/data/common.yaml", "/control/hiera.yaml"]);
    let settings =
        Settings { global_hiera_yaml: Some("/control/hiera.yaml".into()), ..Settings::default() };
    host.apply(Change::Folders(vec!["/data".to_owned()]));
    assert!(host.snapshot().environments().is_empty(), "nobody says where its hiera.yaml is");
    host.apply(Change::Settings(settings));
    let found: Vec<_> =
        host.snapshot().environments().iter().cloned().map(|it| show(Some(it))).collect();
    assert_eq!(found, ["production at /data global /control/hiera.yaml []"]);
}

/// The environment of the data of a global layer in the workspace, and all environments.
#[track_caller]
fn check_global(root: &str, expected: &str) {
    let levels = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
    let files = [
        (format!("{root}/hiera.yaml"), levels),
        (format!("{root}/data/common.yaml"), "a: 1\n"),
        ("/w/global/hiera.yaml".to_owned(), levels),
        ("/w/global/data/common.yaml".to_owned(), "a: 2\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/w".to_owned()]));
    let global_hiera_yaml = Some("/w/global/hiera.yaml".into());
    host.apply(Change::Settings(Settings { global_hiera_yaml, ..Settings::default() }));
    let world = host.snapshot();
    assert_eq!(show(world.environment_of("/w/global/data/common.yaml")), expected);
    assert_eq!(show(world.environment_of("/w/global/hiera.yaml")), expected);
    let all: Vec<_> = world.environments().iter().map(|it| show(Some(it.clone()))).collect();
    assert_eq!(all, [expected]);
}

#[test]
fn the_global_layer_beside_environments_may_be_that_of_the_settings() {
    let files = ["/c/hiera.yaml", "/c/data/a.yaml", "/c/environments/dev/hiera.yaml"];
    let mut host = host(&files);
    host.apply(Change::Folders(vec!["/c/data".to_owned()]));
    let global_hiera_yaml = Some("/c/hiera.yaml".into());
    host.apply(Change::Settings(Settings { global_hiera_yaml, ..Settings::default() }));
    let found = host.snapshot().environment_of("/c/data/a.yaml");
    assert_eq!(show(found), "dev at /c/environments/dev global /c/hiera.yaml []");
}

#[test]
fn the_global_layer_of_the_workspace_belongs_to_its_environment() {
    check_global("/w", "production at /w global /w/global/hiera.yaml []");
    check_global("/w/env", "production at /w/env global /w/global/hiera.yaml []");
}
