//! Data directories that are elsewhere on this machine: the setting `datadirMap`.

use std::borrow::Cow;

use super::{Environment, path};
use crate::facts::open_path::hole;

/// The directories to which servers of all versions deploy environments.
const DEPLOYED_TO: [&str; 5] = [
    "/etc/puppetlabs/code/environments",
    "/etc/puppetlabs/puppet/environments",
    "/etc/puppet/code/environments",
    "/etc/puppet/environments",
    "C:/ProgramData/PuppetLabs/code/environments",
];

/// Spellings of the environment's name in a datadir.
const ENVIRONMENT_TOKENS: [&str; 3] =
    ["%{environment}", "%{::environment}", "%{server_facts.environment}"];

/// Maps leading directories of absolute data directories to the local paths that replace them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatadirMap {
    /// Without trailing slashes; the longest first, and after those of the settings the deployment directories of
    /// environments.
    moves: Vec<(String, String)>,
}

impl DatadirMap {
    /// A map of these pairs; relative paths start in `directory`.
    pub fn new<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>, directory: &str) -> Self {
        let whole = |(from, to): (&str, &str)| {
            let from = path::join(directory, from.trim_end_matches('/'));
            (from, path::join(directory, to))
        };
        let mut moves: Vec<_> = pairs.map(whole).collect();
        moves.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Self { moves }
    }

    /// The map for one environment. Its deployment directory on a server is its own directory here. If a pair names
    /// `%{environment}`, it also applies to the environment's name.
    #[must_use]
    pub fn of_environment(self, environment: &Environment) -> Self {
        self.of_environment_called(environment, &[&environment.name])
    }

    /// [`Self::of_environment`] for an environment that has these names.
    #[must_use]
    pub fn of_environment_called(mut self, environment: &Environment, names: &[&str]) -> Self {
        let named = self.moves.iter().flat_map(|(from, to)| {
            let spelt = ENVIRONMENT_TOKENS.iter().filter(|token| from.contains(**token));
            spelt.flat_map(move |token| {
                texts_of(names).map(move |name| (from.replace(token, &name), to.clone()))
            })
        });
        let named: Vec<_> = named.collect();
        self.moves.extend(named);
        self.moves.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        if let Some(root) = &environment.root {
            // On a server, the environment is already in one of these directories, and nothing has to be replaced.
            for deployed in DEPLOYED_TO.iter().filter(|it| !root.starts_with(**it)) {
                let tokens = ENVIRONMENT_TOKENS.iter().map(|it| (*it).to_owned());
                let moves = tokens.chain(texts_of(names));
                let moves = moves.map(|name| (format!("{deployed}/{name}"), root.to_string()));
                self.moves.extend(moves);
            }
        }
        self
    }

    /// Whether the map for some environment may replace a directory.
    pub fn may_move(&self, directory: &str) -> bool {
        !self.moves.is_empty() || DEPLOYED_TO.iter().any(|it| directory.starts_with(it))
    }

    /// The local place of `directory`, by the longest pair whose first directory is `directory` or contains it.
    pub fn moved<'d>(&self, directory: &'d str) -> Cow<'d, str> {
        let below = |from: &str| {
            let rest = directory.strip_prefix(from)?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        };
        let moved = self.moves.iter().find_map(|(from, to)| Some(format!("{to}{}", below(from)?)));
        moved.map_or(Cow::Borrowed(directory), Cow::Owned)
    }

    /// [`Self::moved`] for a template of an environment. If only the environment's usual name leads to a pair, the template is for
    /// that name.
    pub fn moved_template<'d>(&self, template: &'d str, environment: &Environment) -> Cow<'d, str> {
        let moved = self.moved(template);
        let Some(name) = environment.known_name().filter(|_| *moved == *template) else {
            return moved;
        };
        let with_name = |text: String, token: &&str| text.replace(*token, name);
        let named = ENVIRONMENT_TOKENS.iter().fold(template.to_owned(), with_name);
        match self.moved(&named) {
            Cow::Owned(moved) => Cow::Owned(moved),
            Cow::Borrowed(_) => moved,
        }
    }
}

/// The texts that represent the environment in a text with inserted variables: its names, and the placeholder for when the
/// name is open.
fn texts_of(names: &[&str]) -> impl Iterator<Item = String> {
    names.iter().map(|name| (*name).to_owned()).chain([hole("environment")])
}

/// The part of a datadir in hiera.yaml that means *where this environment is deployed*; `None` if there is none.
pub fn deployed_prefix(datadir: &str) -> Option<&str> {
    let deployed = DEPLOYED_TO.iter().find(|it| {
        let rest = datadir.strip_prefix(**it);
        rest.is_some_and(|rest| rest.starts_with('/'))
    })?;
    let name = datadir[deployed.len() + 1..].split('/').next()?;
    Some(&datadir[..deployed.len() + 1 + name.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Naming;

    #[test]
    fn where_an_environment_is_deployed_to_is_its_own_directory() {
        let check = |root: &str, datadir: &str, expected: &str| {
            let environment = Environment {
                name: "production".into(),
                root: Some(root.into()),
                ..Environment::default()
            };
            let map = DatadirMap::default().of_environment(&environment);
            assert_eq!(map.moved(datadir), expected);
        };
        let deployed = "/etc/puppetlabs/code/environments";
        check("/r", &format!("{deployed}/%{{environment}}/hieradata"), "/r/hieradata");
        check("/r", &format!("{deployed}/%{{::environment}}"), "/r");
        check("/r", &format!("{deployed}/production/data/%{{x}}"), "/r/data/%{x}");
        check("/r", &format!("{deployed}/{}/data", hole("environment")), "/r/data");
        check("/r", &format!("{deployed}/test/data"), &format!("{deployed}/test/data"));
        check("/r", &format!("{deployed}/productions"), &format!("{deployed}/productions"));
        // On a server, every environment is in its deployment directory.
        let test = format!("{deployed}/test");
        check(
            &test,
            &format!("{deployed}/production/data"),
            &format!("{deployed}/production/data"),
        );
    }

    #[test]
    fn pairs_of_the_settings_come_first_and_may_name_the_environment() {
        let environment =
            Environment { name: "test".into(), root: Some("/r".into()), ..Environment::default() };
        let pairs = [("/etc/puppet", "/p"), ("/srv/%{environment}", "/s")];
        let map = DatadirMap::new(pairs.into_iter(), "/r").of_environment(&environment);
        assert_eq!(map.moved("/etc/puppet/environments/test/x"), "/p/environments/test/x");
        assert_eq!(map.moved("/srv/test/x"), "/s/x");
        assert_eq!(map.moved("/srv/%{environment}/x"), "/s/x");
    }

    #[test]
    fn a_pair_may_name_the_usual_environment() {
        let check = |naming: Naming, template: &str, expected: &str| {
            let environment = Environment { name: "prod".into(), naming, ..Environment::default() };
            let pairs = [("/srv/data/prod", "/here")];
            let map = DatadirMap::new(pairs.into_iter(), "/r").of_environment(&environment);
            assert_eq!(map.moved_template(template, &environment), expected);
        };
        let template = "/srv/data/%{environment}/x";
        check(Naming::Fixed, template, "/here/x");
        check(Naming::Usual, template, "/here/x");
        check(Naming::Usual, "/srv/data/%{::environment}", "/here");
        check(Naming::Usual, "/srv/%{environment}", "/srv/%{environment}");
        check(Naming::Assumed, template, template);
    }

    #[test]
    fn the_deployed_part_of_a_datadir() {
        let check = |datadir: &str, expected: Option<&str>| {
            assert_eq!(deployed_prefix(datadir), expected);
        };
        let prefix = "/etc/puppetlabs/code/environments/%{environment}";
        check(&format!("{prefix}/hieradata"), Some(prefix));
        check(prefix, Some(prefix));
        check("/etc/puppetlabs/code/environment", None);
        check("data", None);
    }

    #[track_caller]
    fn check(pairs: &[(&str, &str)], directory: &str, expected: &str) {
        let map = DatadirMap::new(pairs.iter().copied(), "/repo");
        assert_eq!(map.moved(directory), expected);
    }

    #[test]
    fn whole_names_are_replaced() {
        let pairs = [("/etc/data/", "/here")];
        check(&pairs, "/etc/data", "/here");
        check(&pairs, "/etc/data/%{environment}", "/here/%{environment}");
        check(&pairs, "/etc/database", "/etc/database");
        check(&[], "/etc/data", "/etc/data");
    }

    #[test]
    fn the_longest_pair_counts() {
        check(&[("/etc", "/a"), ("/etc/data", "/b")], "/etc/data/x", "/b/x");
        check(&[("/etc", "/a"), ("/etc/data", "/b")], "/etc/x", "/a/x");
    }

    #[test]
    fn relative_targets_begin_where_the_settings_are() {
        check(&[("/etc/data", "data")], "/etc/data/x", "/repo/data/x");
        check(&[("/etc/data", "../hieradata")], "/etc/data/x", "/hieradata/x");
        check(&[("/etc/data", ".")], "/etc/data/x", "/repo/x");
    }
}
