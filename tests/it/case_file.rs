//! Conformance cases: many small environments in one text file. `tests/conformance/case_file.rb` is the same in Ruby and
//! explains the format.

use indexmap::IndexMap;
use serde_json::Value as Json;

/// One environment and its queries.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Contents by path, in the order of the file.
    files: IndexMap<String, Vec<u8>>,
}

/// One query.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) key: String,
    /// Several keys instead of one; the first that is found is used.
    pub(crate) names: Vec<String>,
    pub(crate) merge: Option<Json>,
    pub(crate) default: Option<Json>,
    pub(crate) value_type: Option<String>,
    pub(crate) overrides: Option<Json>,
    pub(crate) default_values: Option<Json>,
    pub(crate) explain: bool,
}

/// Files that describe the node or the queries: Puppet does not see them.
const SPECIAL_FILES: [&str; 6] =
    ["/queries", "/commands", "/facts.json", "/trusted.json", "/server_facts.json", "/vars.json"];

impl Case {
    /// The queries, in order.
    pub(crate) fn queries(&self) -> Vec<Query> {
        let text = self.text("/queries").unwrap_or_default();
        text.lines().filter(|line| !line.trim().is_empty()).map(Query::parse).collect()
    }

    /// A JSON file of the case, if it has one.
    pub(crate) fn json(&self, path: &str) -> Option<Json> {
        let text = self.text(path)?;
        Some(serde_json::from_str(&text).expect("JSON in a special file of a case"))
    }

    /// The files that Puppet reads: those of the environment below `environment`, those of the global layer below
    /// `global`.
    pub(crate) fn files_at(&self, environment: &str, global: &str) -> Vec<(String, Vec<u8>)> {
        let read = self.files.iter().filter(|(path, _)| !SPECIAL_FILES.contains(&path.as_str()));
        let placed = read.map(|(path, content)| match path.strip_prefix("/global/") {
            Some(rest) => (format!("{global}/{rest}"), content.clone()),
            None => (format!("{environment}{path}"), content.clone()),
        });
        placed.collect()
    }

    /// A special file of the case as text, if it has one.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        let content = self.files.get(path)?;
        Some(String::from_utf8(content.clone()).expect("UTF-8 in a special file of a case"))
    }
}

impl Query {
    fn parse(line: &str) -> Self {
        let json = match line.as_bytes() {
            [b'{', b'"', ..] | [b'"', ..] => serde_json::from_str(line).expect("a query in JSON"),
            _ => Json::from(line),
        };
        Self::asked_by(&json)
    }

    /// The query in JSON, which is also part of a recorded answer.
    pub(crate) fn asked_by(json: &Json) -> Self {
        let key = json.get("key").unwrap_or(json).as_str().expect("a query's key is text");
        let names =
            json.get("names").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let names = names.iter().filter_map(Json::as_str).map(str::to_owned).collect();
        Self {
            key: key.to_owned(),
            names,
            merge: json.get("merge").filter(|it| !it.is_null()).cloned(),
            default: json.get("default").cloned(),
            value_type: json.get("type").and_then(Json::as_str).map(str::to_owned),
            overrides: json.get("override").cloned(),
            default_values: json.get("default_values_hash").cloned(),
            explain: !matches!(json.get("explain"), None | Some(Json::Bool(false))),
        }
    }
}

/// All cases of a file.
pub(crate) fn parse(text: &str) -> Vec<Case> {
    let mut shared = IndexMap::new();
    let mut cases: Vec<Case> = Vec::new();
    let mut current: Option<String> = None;
    let mut escaped = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        if let Some(name) = bare.strip_prefix("#= ") {
            cases.push(Case { name: name.trim().to_owned(), files: IndexMap::new() });
            current = None;
            continue;
        }
        let files = cases.last_mut().map_or(&mut shared, |case| &mut case.files);
        if let Some(header) = bare.strip_prefix("#- /") {
            let header = header.trim();
            escaped = header.ends_with(" escaped");
            let path = format!("/{}", header.strip_suffix(" escaped").unwrap_or(header).trim());
            files.insert(path.clone(), Vec::new());
            current = Some(path);
        } else if let Some(content) = current.as_ref().and_then(|path| files.get_mut(path)) {
            if escaped {
                content.extend(unescape(bare));
            } else {
                content.extend(line.as_bytes());
            }
        }
    }
    if cases.is_empty() {
        cases.push(Case { name: "case".to_owned(), files: IndexMap::new() });
    }
    for case in &mut cases {
        let own = std::mem::replace(&mut case.files, shared.clone());
        case.files.extend(own);
    }
    cases
}

/// JSON's escapes, and `\xFF` for one byte.
fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend(plain.as_bytes());
        let length = match escape.as_bytes().first() {
            Some(b'u') => 5,
            Some(b'x') => 3,
            _ => 1,
        };
        let (escape, after) = escape.split_at(length);
        if let Some(hex) = escape.strip_prefix('x') {
            bytes.push(u8::from_str_radix(hex, 16).expect("two hexadecimal digits"));
        } else {
            let text: String = serde_json::from_str(&format!("\"\\{escape}\"")).expect("an escape");
            bytes.extend(text.as_bytes());
        }
        rest = after;
    }
    bytes.extend(rest.as_bytes());
    bytes
}

#[test]
fn a_case_file_is_cut_into_cases_and_files() {
    let cases = parse(
        "words\n#- /a.yaml\na: 1\n#= one\n#- /b c escaped\n\\xff\\r\n#- /queries\nk\n#= two\n",
    );
    let files = cases[0].files_at("/e", "/g");
    let expected: [(&str, &[u8]); 2] = [("/e/a.yaml", b"a: 1\n"), ("/e/b c", b"\xff\r")];
    assert_eq!(files, expected.map(|(path, content)| (path.to_owned(), content.to_vec())));
    assert_eq!(cases[0].queries()[0].key, "k");
    assert_eq!((cases[1].name.as_str(), cases[1].queries().len()), ("two", 0));
}
