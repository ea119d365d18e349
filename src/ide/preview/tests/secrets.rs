//! Encrypted values are shown decrypted only to a user who chose that, and only as the value of a node.

use super::*;
use crate::backends::eyaml::test_keys::{TEST_BLOB, TEST_CERTIFICATE, TEST_KEY};
use crate::settings::Settings;

/// The content of [`TEST_BLOB`].
const SECRET: &str = "a secret";

const HIERA_YAML: &str = "version: 5
hierarchy:
  - name: Secrets
    lookup_key: eyaml_lookup_key
    paths: ['nodes/%{trusted.certname}.yaml', common.yaml]
    options: {pkcs7_private_key: /r/k/private.pem, pkcs7_public_key: /r/k/public.pem}
";

fn host(settings: &str) -> Host {
    let blob = TEST_BLOB.trim_end();
    let common = format!(
        "lookup_options: {{hash: {{merge: deep}}}}\nplain: {blob}\nhash: {{a: '{blob}'}}\nasks: \"x %{{lookup('plain')}}\"\n"
    );
    let of_node = format!("hash: {{b: '{blob}'}}\n");
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/k/private.pem", TEST_KEY),
        ("/r/k/public.pem", TEST_CERTIFICATE),
        ("/r/data/nodes/web01.yaml", &of_node),
        ("/r/data/common.yaml", &common),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let nodes = "nodes: {web01: {facts: {a: 1}}, web02: {facts: {a: 1}}}\n";
    let (settings, problems) = Settings::read(Some(&format!("{settings}{nodes}")), None, &[]);
    assert_eq!(problems, []);
    host.apply(Change::Settings(settings));
    host
}

/// The texts of all previews: those of one node, and that of all nodes.
fn previews(settings: &str) -> (Vec<String>, String) {
    let world = host(settings).snapshot();
    let cancel = CancelToken::default();
    let path: Arc<str> = "/r/data/common.yaml".into();
    let question = |key: &str| Question {
        path: Some(path.clone()),
        key: Some(key.into()),
        ..Question::default()
    };
    let mut texts = Vec::new();
    for key in ["plain", "hash", "asks"] {
        let question = question(key);
        texts.push(ask(&world, &question).expect("there is a key").text);
        let explained = explain(&world, &question, &cancel).expect("the node is there");
        texts.push(format!("{:?}", explained.expect("there is a key")));
        let full = Question { is_full: true, ..question.clone() };
        let explained = explain(&world, &full, &cancel).expect("the node is there");
        texts.push(format!("{:?}", explained.expect("there is a key")));
        let other = Counterpart::Node("web02".into());
        let both = compare(&world, &question, &other, &cancel).expect("both nodes are there");
        let both = both.expect("there is a key");
        texts.push(both.left.text.clone() + &both.right.text + &both.diff.text);
    }
    for scope in [Scope::File, Scope::Node] {
        let question = Question { scope, ..question("") };
        texts.push(ask(&world, &Question { key: None, ..question }).expect("there are keys").text);
    }
    let all = all_nodes(&world, &question("plain"), &cancel).expect("there are nodes");
    (texts, format!("{:?}", all.expect("there is a key")))
}

#[test]
fn secrets_stay_hidden_by_default() {
    for settings in ["", "eyaml: {decrypt: false}\n"] {
        let (texts, of_all_nodes) = previews(settings);
        for text in texts.iter().chain([&of_all_nodes]) {
            assert!(!text.contains(SECRET), "{text}");
            assert!(!text.contains("ENC[PKCS7"), "{text}");
        }
    }
}

#[test]
fn secrets_are_shown_to_who_chose_it() {
    let (texts, of_all_nodes) = previews("eyaml: {decrypt: true}\n");
    for text in &texts {
        assert!(text.contains(SECRET), "{text}");
    }
    assert!(!of_all_nodes.contains(SECRET), "never of many nodes at once: {of_all_nodes}");
}
