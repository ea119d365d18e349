//! Hover in `hiera.yaml`: the files of a level for the active node, and which of them exist.

use std::fmt::Write as _;

use super::Hover;
use super::markup::{code, plain};
use crate::data::{Files, Place};
use crate::engine::cases::in_a_list;
use crate::engine::{Location, ResolvedLevel};
use crate::facts::mapped::without_member;
use crate::ide::perspective::Perspective;
use crate::text::TextRange;

/// Of more files, only those that exist are listed.
const MAX_FILES: usize = 8;

/// Of those, so many are listed.
const MAX_LISTED: usize = 20;

/// The hover at `offset` of the `hiera.yaml` at `path`.
pub(super) fn hover(perspective: &Perspective, path: &str, offset: u32) -> Option<Hover> {
    let file = perspective.world.id(path);
    let touches = |place: Option<Place>| {
        place.filter(|it| it.file == file && it.range.touches(offset)).map(|it| it.range)
    };
    super::super::level_files::with_levels(perspective, path, |levels| {
        let level = levels.iter().find(|level| touches(level.place).is_some())?;
        let mut templates = level.locations.iter().flatten();
        let template = templates.find_map(|it| touches(it.template_place));
        let range = template.or_else(|| touches(level.place))?;
        Some(Hover { markdown: text(perspective, level, template), range })
    })
}

fn text(perspective: &Perspective, level: &ResolvedLevel, template: Option<TextRange>) -> String {
    let asked_for = perspective.asked_for().markdown();
    let mut text = format!("**level \"{}\"** for {asked_for}\n\n", plain(&level.name));
    let locations = level.locations.iter().flatten();
    let wanted =
        |it: &&Location| template.is_none() || it.template_place.map(|it| it.range) == template;
    let locations: Vec<&Location> = locations.filter(wanted).collect();
    text += &files(perspective, &locations);
    let _ = write!(text, "\nBack end {}", code(&level.function.name));
    text
}

/// The files in their order; of many, those that exist, and how many others there are.
fn files(perspective: &Perspective, locations: &[&Location]) -> String {
    if locations.is_empty() {
        return "No files.\n".to_owned();
    }
    // If a level has very many paths, only the files that exist are of interest.
    let has_many = locations.len() > MAX_FILES;
    let is_there = |it: &&Location| it.is_uri || it.exists || it.is_open();
    let listed = locations.iter().copied().filter(|it| !has_many || is_there(it));
    let mut text = String::new();
    let (mut number, mut more) = (0, 0);
    for location in listed {
        if number == MAX_LISTED {
            more += 1;
            continue;
        }
        let state = state(perspective, location);
        // A path that is not known completely is shown as it is written.
        let shown = if location.is_open() {
            code(&location.original)
        } else {
            code(&perspective.shown_path(&location.file))
        };
        number += 1;
        let _ = writeln!(text, "{number}. {shown}{state}");
    }
    let absent = locations.len() - number - more;
    if more > 0 {
        let _ = writeln!(text, "\nand {more} more that exist");
    }
    if has_many && number == 0 {
        let _ = writeln!(text, "None of the {absent} files exists.");
    } else if has_many && absent > 0 {
        let others = if absent == 1 { "other does" } else { "others do" };
        let _ = writeln!(text, "\n{absent} {others} not exist.");
    }
    text
}

/// Whether there is a file; for a path with open variables, how many files it can lead to.
fn state(perspective: &Perspective, location: &Location) -> String {
    let Some(open) = location.open.as_ref().filter(|_| !location.is_uri) else {
        return match (location.is_uri, location.exists) {
            (true, _) => "",
            (false, true) => " · exists",
            (false, false) => " · no such file",
        }
        .to_owned();
    };
    let names: Vec<&str> = open.variables.iter().map(|it| without_member(it)).collect();
    let depends = format!("depending on {}", in_a_list(&names));
    match location.open_files(&perspective.evaluator).len() {
        _ if open.is_obscure => format!(" · unknown files, {depends}"),
        0 => " · no file matches".to_owned(),
        1 => format!(" · 1 file, {depends}"),
        files => format!(" · {files} files, {depends}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::CancelToken;
    use expect_test::{Expect, expect};

    use crate::ide::fixture::Fixture;
    use crate::ide::hover::hover;

    /// The hover of a level with so many paths, of which some exist.
    #[track_caller]
    fn check(paths: usize, existing: &[usize], expected: &Expect) {
        let list: Vec<String> = (1..=paths).map(|it| format!("p{it}.yaml")).collect();
        let files: Vec<String> =
            existing.iter().map(|it| format!("#- /data/p{it}.yaml\na: 1\n")).collect();
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: L$0\n    paths: [{}]\n{}",
            list.join(", "),
            files.concat()
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        expected.assert_eq(&hover.map_or("nothing".to_owned(), |hover| hover.markdown));
    }

    #[test]
    fn few_files_are_all_listed() {
        check(
            2,
            &[2],
            &expect![[r#"
            **level "L"** for any node

            1. `data/p1.yaml` · no such file
            2. `data/p2.yaml` · exists

            Back end `yaml_data`"#]],
        );
    }

    #[test]
    fn open_paths_are_shown_as_written_with_their_files() {
        let fixture = Fixture::parse(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: N$0\n    paths: ['nodes/%{trusted.certname}.yaml', \
             'os/%{facts.os.family}/%{role}.yaml', c.yaml]\n  - name: M$1\n    mapped_paths: [facts.groups, g, 'groups/%{g}.yaml']\n\
             #- /.hiera-ls.yaml\nnodes: {}\n\
             #- /data/nodes/a.yaml\na: 1\n#- /data/nodes/b.yaml\na: 1\n#- /data/groups/x.yaml\na: 1\n",
        );
        let shown = |mark| {
            let (file, offset) = fixture.mark(mark).expect("the fixture has the mark");
            let found =
                hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
            found.expect("a hover").markdown
        };
        expect![[r#"
            **level "N"** for any node

            1. `nodes/%{trusted.certname}.yaml` · 2 files, depending on trusted.certname
            2. `os/%{facts.os.family}/%{role}.yaml` · no file matches
            3. `data/c.yaml` · no such file

            Back end `yaml_data`"#]]
        .assert_eq(&shown(0));
        expect![[r#"
            **level "M"** for any node

            1. `groups/%{g}.yaml` · 1 file, depending on groups

            Back end `yaml_data`"#]]
        .assert_eq(&shown(1));
    }

    #[test]
    fn of_many_files_those_that_exist_are_listed() {
        check(
            34,
            &[30, 3],
            &expect![[r#"
            **level "L"** for any node

            1. `data/p3.yaml` · exists
            2. `data/p30.yaml` · exists

            32 others do not exist.

            Back end `yaml_data`"#]],
        );
        check(
            9,
            &[1, 2, 3, 4, 5, 6, 7, 8],
            &expect![[r#"
            **level "L"** for any node

            1. `data/p1.yaml` · exists
            2. `data/p2.yaml` · exists
            3. `data/p3.yaml` · exists
            4. `data/p4.yaml` · exists
            5. `data/p5.yaml` · exists
            6. `data/p6.yaml` · exists
            7. `data/p7.yaml` · exists
            8. `data/p8.yaml` · exists

            1 other does not exist.

            Back end `yaml_data`"#]],
        );
        check(
            9,
            &[],
            &expect![[r#"
            **level "L"** for any node

            None of the 9 files exists.

            Back end `yaml_data`"#]],
        );
        let all: Vec<usize> = (1..=25).collect();
        check(
            26,
            &all,
            &expect![[r#"
            **level "L"** for any node

            1. `data/p1.yaml` · exists
            2. `data/p2.yaml` · exists
            3. `data/p3.yaml` · exists
            4. `data/p4.yaml` · exists
            5. `data/p5.yaml` · exists
            6. `data/p6.yaml` · exists
            7. `data/p7.yaml` · exists
            8. `data/p8.yaml` · exists
            9. `data/p9.yaml` · exists
            10. `data/p10.yaml` · exists
            11. `data/p11.yaml` · exists
            12. `data/p12.yaml` · exists
            13. `data/p13.yaml` · exists
            14. `data/p14.yaml` · exists
            15. `data/p15.yaml` · exists
            16. `data/p16.yaml` · exists
            17. `data/p17.yaml` · exists
            18. `data/p18.yaml` · exists
            19. `data/p19.yaml` · exists
            20. `data/p20.yaml` · exists

            and 5 more that exist

            1 other does not exist.

            Back end `yaml_data`"#]],
        );
    }
}
