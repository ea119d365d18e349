//! The variable of `mapped_paths`: which expressions read it, and the names for what it stands for if the list is not known.
//!
//! Neither the members of such a list nor their number are known, so `groups[]` means any member of `groups`, and
//! `groups[].name` what the member has under `name`. No variable of a node has such a name.

use std::sync::Arc;

use super::variable::push_members;
use crate::syntax::key_path::{self, Segment};

/// Follows the name of a list.
const ANY_MEMBER: &str = "[]";

/// The name for any member of a list, or for a part of it.
pub fn member_of(list: &str, part: &[Segment]) -> Arc<str> {
    // The name of the list may have dots, which need no quotes here.
    let mut name = format!("{list}{ANY_MEMBER}");
    push_members(&mut name, part);
    name.into()
}

/// Whether a name means a member of a list, or a part of it.
pub fn is_member(name: &str) -> bool {
    name.contains(ANY_MEMBER)
}

/// The name of the list and that of the part, which is empty if the name means the whole member. `None` for other names.
pub fn list_and_part(name: &str) -> Option<(&str, &str)> {
    let (list, part) = name.split_once(ANY_MEMBER)?;
    Some((list, part.trim_start_matches('.')))
}

/// The same name for a list with another name.
pub fn in_list(name: &str, list: &str) -> Option<Arc<str>> {
    let at = name.find(ANY_MEMBER)?;
    Some(format!("{list}{}", &name[at..]).into())
}

/// The name of the list, if a name means a member of it.
pub fn without_member(name: &str) -> &str {
    list_and_part(name).map_or(name, |(list, _)| list)
}

/// Whether a name in the template of `mapped_paths` is that of its variable. It is compared as it is written: `%{::x}` does not
/// find the variable `x`. A qualified name is always that of a variable of a class.
pub fn is_its_variable(variable: &str, name: &str) -> bool {
    variable == name && !name.contains("::")
}

/// The part of the member that an expression in the template reads; `None` if it reads another variable.
pub fn part_read_by(variable: &str, expression: &str) -> Option<Vec<Segment>> {
    let path = key_path::parse(expression).ok()?;
    is_its_variable(variable, path.root_name()?).then_some(path.rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members_and_of_their_parts() {
        let name = |expression| part_read_by("vol", expression).map(|it| member_of("volumes", &it));
        assert_eq!(name("vol").as_deref(), Some("volumes[]"));
        assert_eq!(name("vol.0").as_deref(), Some("volumes[].0"));
        assert_eq!(name("vol.'a.b'.c").as_deref(), Some("volumes[].'a.b'.c"));
        let nested = part_read_by("vol", "vol.0").map(|it| member_of("facts.app.volumes", &it));
        assert_eq!(nested.as_deref(), Some("facts.app.volumes[].0"));
        assert_eq!((name("::vol"), name("volume"), name("x.vol")), (None, None, None));
        assert_eq!(list_and_part("volumes[]"), Some(("volumes", "")));
        assert_eq!(list_and_part("facts.a.volumes[].0.x"), Some(("facts.a.volumes", "0.x")));
        assert_eq!((list_and_part("volumes"), without_member("role")), (None, "role"));
        assert_eq!(in_list("volumes[].0", "facts.volumes").as_deref(), Some("facts.volumes[].0"));
    }
}
