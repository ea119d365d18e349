//! Texts in the styles `|` and `>`, in entries that move and beside them.

use super::refactorings::{check_files, refusals};

#[test]
fn a_text_block_before_a_moved_entry_stays_as_it_is() {
    let move_down = "Move `b` down to data/common.yaml (Common): adds the value for db01 and all unlisted nodes";
    for style in ["|", ">"] {
        check_files(
            &format!(
                "#- /data/common.yaml\nx: 1\n#- /data/nodes/web01.yaml\n\
                 a: {style}\n  hello\nb$0:\n  - x\n  # - y (later)\nd: 1\n"
            ),
            move_down,
            &format!(
                "#- /data/common.yaml\nx: 1\nb:\n  - x\n  # - y (later)\n\
                 #- /data/nodes/web01.yaml\na: {style}\n  hello\nd: 1\n"
            ),
        );
    }
    check_files(
        "#- /data/common.yaml\nx: 1\n#- /data/nodes/web01.yaml\na: |+\n  hello\n\nb$0: 1\n\nd: 1\n",
        move_down,
        "#- /data/common.yaml\nx: 1\nb: 1\n#- /data/nodes/web01.yaml\na: |+\n  hello\n\nd: 1\n",
    );
    check_files(
        "#- /data/common.yaml\nx: 1\n#- /data/nodes/web01.yaml\na: 1\nb$0: |+\n  hello\n\nd: 1\n",
        move_down,
        "#- /data/common.yaml\nx: 1\nb: |+\n  hello\n\n#- /data/nodes/web01.yaml\na: 1\nd: 1\n",
    );
}

#[test]
fn a_last_line_of_spaces_goes_with_its_text() {
    let block = "b: |2\n    x\n  y\n   \n";
    let of_web = |before: &str, block: &str| {
        format!("#- /data/common.yaml\nx: 1\n{before}#- /data/nodes/web01.yaml\na: 1\n{block}")
    };
    let move_down = "Move `b` down to data/common.yaml (Common): adds the value for db01 and all unlisted nodes";
    check_files(
        &of_web("", &format!("{}\nd: 1\n", block.replacen('b', "b$0", 1))),
        move_down,
        &of_web(block, "\nd: 1\n"),
    );
    // Spaces up to the indentation are not part of the text.
    check_files(
        &of_web("", "b$0: |\n  x\n  \nd: 1\n"),
        move_down,
        &of_web("b: |\n  x\n", "  \nd: 1\n"),
    );
    check_files(
        "#- /data/common.yaml\nb$0:\n  - >\n    x\n\n     \n\n\nc: 1\n",
        "Override `b` in data/nodes/web01.yaml (Nodes)",
        "#- /data/nodes/web01.yaml\n---\nb:\n  - >\n    x\n\n     \n",
    );
}

#[test]
fn a_key_of_several_lines_is_named_on_one() {
    let why = "`key\\n` does not have lines of its own.";
    assert_eq!(refusals("#- /data/common.yaml\n? |\n  k$0ey\n: 1\n"), [why]);
}
