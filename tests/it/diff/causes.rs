//! The files and lines that `diff` names as the causes of changes.

use serde_json::Value as Json;

use super::{Repository, run_in, text_of};

#[test]
fn files_above_the_root_are_named_by_their_paths_in_the_repository() {
    let repository = Repository::new();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: o, path: other.yaml}\n\
                      - {name: s, path: common.yaml, datadir: ../../shared}\n";
    repository.write("repository/sites/ctl/hiera.yaml", hiera_yaml);
    repository.write("repository/sites/ctl/data/other.yaml", "own: 1\n");
    repository.write("repository/shared/common.yaml", "both: 1\n");
    repository.commit();
    repository.write("repository/sites/ctl/data/other.yaml", "own: 2\n");
    repository.write("repository/shared/common.yaml", "both: 2\n");
    let root = repository.path("repository/sites/ctl");
    let in_format = |format| text_of(&run_in(&root, &["diff", "--nodes", "x", "--format", format]));
    let json: Json = serde_json::from_str(&in_format("json")).expect("JSON");
    let files = json["changes"].as_array().expect("a list").iter();
    let files: Vec<&Json> = files.map(|it| &it["causes"][0]["file"]).collect();
    assert_eq!(files, ["../../shared/common.yaml", "data/other.yaml"]);
    for (format, around) in [("github", ["file=", ","]), ("markdown", ["because of ", ":1)"])] {
        let text = in_format(format);
        for path in ["shared/common.yaml", "sites/ctl/data/other.yaml"] {
            let expected = format!("{}{path}{}", around[0], around[1]);
            assert!(text.contains(&expected), "{format}: {text}");
        }
    }
    let gitlab: Json = serde_json::from_str(&in_format("gitlab")).expect("JSON");
    let issues = gitlab.as_array().expect("a list").iter();
    let files: Vec<&Json> = issues.map(|it| &it["location"]["path"]).collect();
    assert_eq!(files, ["shared/common.yaml", "sites/ctl/data/other.yaml"]);
}
