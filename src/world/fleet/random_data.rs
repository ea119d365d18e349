//! Random environments for tests: hierarchies, data that is merged, interpolated and broken, fact sets, and edits of all these.

use std::collections::BTreeMap;

use crate::data::{Hash, Value};
use crate::settings::Settings;
use crate::world::{MemoryDisk, World};
use std::sync::Arc;

/// The workspace's folder.
pub(super) const ROOT: &str = "/w";

const HIERA_YAML: [&str; 11] = [
    "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
     - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: r, paths: ['roles/%{facts.role}.yaml', 'sites/%{site}.yaml']}\n\
     - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: g, glob: 'roles/%{role}*.yaml'}\n- {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: g, globs: ['**/%{site}.yaml', 'nodes/*.yaml']}\n\
     - {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: m, mapped_paths: [groups, g, 'roles/%{g}.yaml']}\n\
     - {name: c, paths: [common.yaml, 'sites/%{site}.yaml']}\n",
    "version: 5\nhierarchy:\n- {name: f, lookup_key: mine, path: 'roles/%{role}.yaml'}\n\
     - {name: s, path: 'sites/%{facts.site}.yaml'}\n- {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: o, path: common.yaml, options: {x: '%{site}'}}\n\
     - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n",
    "version: 5\nhierarchy: [\n",
    "version: 5\ndefaults: {datadir: 'data/%{site}'}\nhierarchy:\n- {name: n, path: '../common.yaml'}\n\
     - {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{site}/%{trusted.certname}.yaml'}\n\
     - {name: g, glob: '*/%{site}*/%{trusted.certname}*.yaml'}\n- {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: s, path: '%{site}/%{trusted.certname}.yaml'}\n\
     - {name: n, paths: ['nodes/%{role}%{trusted.certname}.yaml', 'nodes/%{site}/%{role}.yaml']}\n\
     - {name: c, path: common.yaml}\n",
];

const MODULE_HIERA_YAML: [&str; 3] = [
    "version: 5\nhierarchy:\n- {name: o, path: '%{role}.yaml'}\n- {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n\
     default_hierarchy:\n- {name: d, paths: ['%{site}.yaml', web.yaml]}\n",
    "version: 5\nhierarchy:\n- {name: x, data_hash: nothing}\n",
];

/// Files below [`ROOT`] that may be added and removed.
const FILES: [&str; 19] = [
    "hiera.yaml",
    "data/common.yaml",
    "data/nodes/one.yaml",
    "data/nodes/two.yaml",
    "data/nodes/six.yaml",
    "data/nodes/webtwo.yaml",
    "data/nodes/oslo/one.yaml",
    "data/nodes/bgo/one.yaml",
    "data/oslo/six.yaml",
    "data/roles/web.yaml",
    "data/roles/db.yaml",
    "data/sites/oslo.yaml",
    "data/sites/bgo.yaml",
    "data/oslo/common.yaml",
    "modules/m/hiera.yaml",
    "modules/m/data/common.yaml",
    "modules/m/data/web.yaml",
    "modules/m/data/oslo.yaml",
    "other/global.yaml",
];

/// The first so many of [`LINES`] are such that Puppet takes the file.
const MOSTLY: usize = 35;

/// Lookups inside lookup_options are not among them: what they give depends on which keys were asked for before.
const LINES: [&str; 40] = [
    "a: 1\n",
    "a: 2\n",
    "a: [x, y]\n",
    "a: [y, z]\n",
    "a: {p: 1, q: 2}\n",
    "a: {q: 3, p: {r: 1}}\n",
    "a: \"%{role}\"\n",
    "b: \"%{lookup('a')} at %{site}\"\n",
    "b: \"%{alias('m::a')}\"\n",
    "b: \"%{trusted.certname}\"\n",
    "a: [x, \"%{trusted.certname}\", one]\n",
    "a: {p: \"%{trusted.hostname}-%{role}\", q: [1]}\n",
    "c: {p: \"at %{facts.networking.fqdn}\", q: {\"%{trusted.certname}\": 1}}\n",
    "c: \"%{lookup('a')} is %{hostname}\"\n",
    "d: \"%{alias('a')}\"\n",
    "d: {r: \"%{lookup('b')}\"}\n",
    "b: \"%{facts.os.family} %{facts.os.none}\"\n",
    "b: \"%{nothing}\"\n",
    "c: \"%{lookup('b')}%{hiera('a.p')}\"\n",
    "c: [x, \"%{role}\", \"%{site}\"]\n",
    "c: {\"%{role}\": 1, web: 2}\n",
    "c: ENC[PKCS7,bm90aGluZw==]\n",
    "d: \"%{lookup('d')}\"\n",
    "d: 50%{ off\n",
    "d: ~\n",
    "d: \"%{literal('%')}{x}\"\n",
    "m::a: 1\n",
    "m::a: [1, \"%{role}\"]\n",
    "m::a: {p: \"%{lookup('c')}\"}\n",
    "m::b: \"%{site}\"\n",
    "m::b: [1]\n",
    "lookup_options: {a: {merge: deep}, b: {convert_to: String}}\n",
    "lookup_options: {a: {merge: unique}, '^m::.*': {merge: {strategy: deep, knockout_prefix: '--'}}}\n",
    "lookup_options: {a: {merge: hash}, c: {convert_to: Sensitive}}\n",
    "lookup_options: {\"%{role}\": {merge: unique}, a: {merge: \"%{merge}\"}}\n",
    "lookup_options: {m::a: {merge: unique}, m::b: {convert_to: Array}}\n",
    "broken: [\n",
    "- item\n",
    "1: x\n",
    "# nothing\n",
];

const FACTS: [(&str, &str); 6] = [
    ("one", r#"{"certname": "one", "role": "web", "site": "oslo", "os": {"family": "Debian"}}"#),
    ("two", r#"{"certname": "two", "role": "db", "site": "oslo", "groups": ["web", "db"]}"#),
    ("three", r#"{"certname": "three", "role": "web", "site": "oslo", "groups": "db"}"#),
    ("four", r#"{"certname": "four", "role": "web", "site": "bgo", "merge": "deep"}"#),
    (
        "five",
        r#"{"certname": "five", "site": "bgo", "os": {"family": "RedHat"}, "groups": ["db", "web"]}"#,
    ),
    ("three", r#"{"certname": "three", "role": "none", "site": "oslo"}"#),
];

/// The keys that are looked up.
pub(super) const KEYS: [&str; 12] =
    ["a", "a.p", "a.0", "b", "c", "c.web", "d", "m::a", "m::a.p", "m::b", "none", "1.2"];

/// A small random number generator: the same data everywhere.
pub(super) struct Random(pub(super) u64);

/// The files of a workspace by path.
pub(super) type Texts = BTreeMap<String, String>;

impl Random {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn text(&mut self, path: &str) -> String {
        match path {
            "hiera.yaml" => self.of(&HIERA_YAML).to_owned(),
            "modules/m/hiera.yaml" => self.of(&MODULE_HIERA_YAML).to_owned(),
            // Mostly files that Puppet takes.
            _ if self.below(12) > 0 => {
                (0..self.below(6)).map(|_| LINES[self.below(MOSTLY)]).collect()
            }
            _ => (0..self.below(4)).map(|_| self.of(&LINES)).collect(),
        }
    }

    /// A workspace.
    pub(super) fn texts(&mut self) -> Texts {
        let mut texts = Texts::new();
        for file in FILES {
            if self.below(8) > 0 || file == "hiera.yaml" {
                let text = self.text(file);
                texts.insert(format!("{ROOT}/{file}"), text);
            }
        }
        for (name, facts) in FACTS {
            texts.insert(format!("{ROOT}/.hiera-ls/facts/{name}.json"), facts.to_owned());
        }
        texts
    }

    /// The same workspace after an edit: of a file's text, or files that come, go or are renamed.
    pub(super) fn edited(&mut self, before: &Texts) -> Texts {
        let mut texts = before.clone();
        let file = self.of(&FILES);
        let path = format!("{ROOT}/{file}");
        match self.below(10) {
            0 => {
                texts.remove(&path);
            }
            1 => {
                let to = format!("{ROOT}/{}", self.of(&FILES[1..10]));
                if let Some(text) = texts.remove(&path) {
                    texts.insert(to, text);
                }
            }
            2 => {
                let (name, _) = FACTS[self.below(FACTS.len())];
                let (_, facts) = FACTS[self.below(FACTS.len())];
                let facts = facts
                    .replace("\"certname\": \"", &format!("\"certname\": \"{name}\", \"was\": \""));
                texts.insert(format!("{ROOT}/.hiera-ls/facts/{name}.json"), facts);
            }
            3..=5 => {
                let line = LINES[self.below(MOSTLY)];
                texts.entry(path).or_default().push_str(line);
            }
            _ => {
                let text = self.text(file);
                texts.insert(path, text);
            }
        }
        texts
    }
}

/// A world of these files. Without fact sets in the global settings, its nodes are partly known.
pub(super) fn world_of(texts: &Texts, puppet: crate::config::PuppetVersion) -> Arc<World> {
    let disk = MemoryDisk::new(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let mut settings = Settings { puppet_version: puppet, ..Settings::default() };
    let mut variables = Hash::new();
    variables.insert(Value::string("tier"), None, Value::string("low").into());
    settings.variables = variables;
    World::on_disk(Arc::new(disk), vec![ROOT.into()], settings)
}
