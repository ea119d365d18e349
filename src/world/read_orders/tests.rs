//! Tests of which files are read after which.

use std::sync::Arc;

use super::*;
use crate::world::{Change, Host, MemoryDisk};

const FILES: [(&str, &str); 10] = [
    (
        "/r/hiera.yaml",
        "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{facts.site}/%{trusted.certname}.yaml'}\n\
         - {name: r, path: 'roles/%{facts.role}.yaml'}\n- {name: f, lookup_key: mine}\n\
         - {name: s, path: 'sites/%{::site}.yaml'}\n- {name: c, path: c.yaml}\n",
    ),
    ("/r/data/nodes/oslo/one.yaml", "a: 1\n"),
    ("/r/data/nodes/oslo/two.yaml", "a: 2\n"),
    ("/r/data/roles/web.yaml", "a: 3\n"),
    ("/r/data/sites/oslo.yaml", "a: 3\n"),
    ("/r/data/c.yaml", "a: 4\n"),
    ("/r/modules/m/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n"),
    ("/r/modules/m/data/c.yaml", "m::a: 1\n"),
    ("/r/.hiera-ls/facts/three.json", r#"{"certname": "three", "site": "oslo", "role": "db"}"#),
    ("/r/.hiera-ls/facts/four.json", r#"{"certname": "four", "site": "bgo", "role": "web"}"#),
];

fn host() -> Host {
    let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    host
}

fn orders(host: &Host) -> Arc<ReadOrders> {
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/c.yaml").expect("there is one");
    world.read_orders(&environment)
}

#[track_caller]
fn check(path: &str, module: Option<&str>, expected: &[&[&str]]) {
    let host = host();
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/c.yaml").expect("there is one");
    let file_module = path.contains("/modules/").then_some("m");
    let file = FileAbove::new(&world, &environment, path, file_module);
    let below = orders(&host).below(&file, module);
    assert!(below.is_whole);
    let show = |source: &ReadSource| match source {
        ReadSource::File(file, _) => world.path(*file).replace("/r/", ""),
        ReadSource::OneOf(files) => {
            let mut paths: Vec<_> = files.iter().map(|it| world.path(*it)).collect();
            paths.sort_unstable();
            format!("one of {}", paths.join(", ").replace("/r/", ""))
        }
        ReadSource::Unknown => "?".to_owned(),
    };
    let shown: Vec<Vec<String>> =
        below.orders.iter().map(|it| it.after.iter().map(show).collect()).collect();
    assert_eq!(shown, expected);
}

#[test]
fn only_what_the_path_of_the_file_tells_is_certain_of_a_node_without_facts() {
    check(
        "/r/data/nodes/oslo/one.yaml",
        None,
        &[&["one of data/roles/web.yaml", "?", "data/sites/oslo.yaml", "data/c.yaml"]],
    );
    check(
        "/r/data/roles/web.yaml",
        None,
        &[&["?", "data/c.yaml"], &["?", "one of data/sites/oslo.yaml", "data/c.yaml"]],
    );
    check("/r/data/c.yaml", None, &[&[]]);
}

#[test]
fn a_module_comes_last() {
    check("/r/data/c.yaml", Some("m"), &[&["modules/m/data/c.yaml"]]);
    check("/r/data/c.yaml", Some("other"), &[&[]]);
    check("/r/modules/m/data/c.yaml", Some("m"), &[&[]]);
}

#[test]
fn readers_in_order() {
    let host = host();
    let (orders, world) = (orders(&host), host.snapshot());
    let names = |path: &str, most| {
        let readers = orders.readers(world.id(path), most);
        readers.map(|node| node.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names("/r/data/sites/oslo.yaml", 9), ["three"]);
    assert_eq!(names("/r/data/nodes/oslo/two.yaml", 9), [""; 0]);
    assert_eq!(names("/r/data/c.yaml", 9), ["four", "three"]);
    assert_eq!(names("/r/data/c.yaml", 1), ["four"]);
}

#[test]
fn readers_of_a_default_hierarchy() {
    let in_module = [
        (
            "/r/modules/d/hiera.yaml",
            "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n\
             default_hierarchy: [{name: n, path: '%{trusted.certname}.yaml'}]\n",
        ),
        ("/r/modules/d/data/c.yaml", "d::a: 1\n"),
        ("/r/modules/d/data/three.yaml", "d::a: 1\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(FILES.into_iter().chain(in_module))));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/c.yaml").expect("there is one");
    let first = |path: &str| {
        let file = world.id(path);
        let reader = orders(&host)
            .complete_readers(&world, &environment, file, Some("d"))
            .into_iter()
            .next();
        reader.map(|node| node.name.to_string())
    };
    assert_eq!(first("/r/modules/d/data/c.yaml").as_deref(), Some("four"));
    assert_eq!(first("/r/modules/d/data/three.yaml").as_deref(), Some("three"));
    assert_eq!(first("/r/modules/d/data/nobodys.yaml"), None);
}

#[test]
fn kept_while_somebody_types() {
    let mut host = host();
    let before = orders(&host);
    let open = |path: &str, text: &str| Change::OpenBuffer {
        path: path.to_owned(),
        text: text.to_owned(),
        version: 1,
    };
    host.apply(open("/r/data/c.yaml", "b: 1\n"));
    assert!(Arc::ptr_eq(&before, &orders(&host)));
    host.apply(open("/r/hiera.yaml", "version: 5\n"));
    assert!(!Arc::ptr_eq(&before, &orders(&host)));
}

#[test]
fn readers_of_a_modules_file_in_the_hierarchy_of_the_environment() {
    let hiera_yaml = "version: 5\nhierarchy:\n\
                      - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: m, datadir: modules/e/data, path: '%{trusted.certname}.yaml'}\n";
    let files = [
        ("/r/hiera.yaml", hiera_yaml),
        ("/r/data/nodes/one.yaml", "a: 1\n"),
        ("/r/.hiera-ls/facts/two.json", r#"{"certname": "two"}"#),
        ("/r/modules/e/data/two.yaml", "e::a: 1\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/nodes/one.yaml").expect("there is one");
    let path = "/r/modules/e/data/two.yaml";
    let file = world.id(path);
    let reader =
        orders(&host).complete_readers(&world, &environment, file, Some("e")).into_iter().next();
    assert_eq!(reader.map(|node| node.name.to_string()).as_deref(), Some("two"));
}

#[test]
fn nodes_share_what_they_read_of_a_module_if_its_variables_are_the_same() {
    let files = [
        (
            "/r/hiera.yaml",
            "version: 5\nhierarchy: [{name: n, path: '%{facts.site}/%{trusted.certname}.yaml'}]\n",
        ),
        ("/r/data/oslo/one.yaml", "m::a: 1\n"),
        ("/r/data/oslo/two.yaml", "m::a: 1\n"),
        ("/r/data/bgo/three.yaml", "m::a: 1\n"),
        (
            "/r/modules/m/hiera.yaml",
            "version: 5\nhierarchy: [{name: s, path: '%{facts.site}.yaml'}]\n",
        ),
        ("/r/modules/m/data/oslo.yaml", "m::a: 1\n"),
        ("/r/modules/m/data/bgo.yaml", "m::a: 1\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let world = host.snapshot();
    let environment = world.environment_of("/r/data/oslo/one.yaml").expect("there is one");
    let orders = world.read_orders(&environment);
    for (path, expected) in [("oslo/one", "oslo"), ("oslo/two", "oslo"), ("bgo/three", "bgo")] {
        let path = format!("/r/data/{path}.yaml");
        let file = FileAbove::new(&world, &environment, &path, None);
        let below = orders.below(&file, Some("m"));
        let expected = world.id(&format!("/r/modules/m/data/{expected}.yaml"));
        let [order] = below.orders.as_slice() else { panic!("one order: {below:?}") };
        assert_eq!(*order.after, [ReadSource::File(expected, Format::Yaml)], "{path}");
    }
    let kept = orders.of_views.slot("m");
    assert_eq!(kept.lock().unwrap_or_else(PoisonError::into_inner).len(), 2);
}
