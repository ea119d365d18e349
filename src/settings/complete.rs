//! Applies the settings to sample nodes.

use super::{NodeSettings, Settings};
use crate::data::Hash;
use crate::facts::NodeParts;
use crate::facts::formats::lay_over;

impl Settings {
    /// The node with the settings for all nodes, and over them the settings for its name. Its environment stays unless the
    /// settings for its name set one; [`Settings::environment`] is used if it has none.
    ///
    /// A facts file in the node's settings ([`NodeSettings::facts_file`]) is not read here.
    #[must_use]
    pub fn complete(&self, mut parts: NodeParts) -> NodeParts {
        let (trusted, server_facts) = (given(&self.trusted), given(&self.server_facts));
        let variables = self.variables.clone();
        let of_all = NodeParts { trusted, server_facts, variables, ..NodeParts::default() };
        lay_over(&mut parts, &of_all);
        if let Some(node) = self.nodes.get(parts.name.as_str()) {
            lay_over(&mut parts, &node.parts());
        }
        if parts.environment.is_none() {
            parts.environment = self.environment.as_ref().map(ToString::to_string);
        }
        parts
    }

    /// The nodes that are only in the settings: their names are not in `known`, and they need no facts file.
    pub fn nodes_beside<'a>(
        &'a self,
        known: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = NodeParts> + 'a {
        let only_here =
            self.nodes.iter().filter(move |(name, node)| node.facts_file.is_none() && !known(name));
        only_here.map(|(name, _)| {
            self.complete(NodeParts { name: name.to_string(), ..NodeParts::default() })
        })
    }
}

impl NodeSettings {
    fn parts(&self) -> NodeParts {
        NodeParts {
            name: String::new(),
            environment: self.environment.as_ref().map(ToString::to_string),
            facts: self.facts.clone(),
            trusted: given(&self.trusted),
            server_facts: given(&self.server_facts),
            variables: self.variables.clone(),
            classes: None,
        }
    }
}

fn given(members: &Hash) -> Option<Hash> {
    (!members.is_empty()).then(|| members.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::formats::test_support::{hash, show_hash};

    const SETTINGS: &str = "environment: test
trusted: {extensions: {pp_zone: dmz}}
variables: {site: ber, role: none}
nodes:
  web01: {facts: {x: 1}, variables: {role: web}, trusted: {extensions: {pp_role: web}}}
  db01: {environment: production}
  app01: {facts: spec/app01.json}
";

    fn settings() -> Settings {
        let (settings, problems) = Settings::read(Some(SETTINGS), None, &[]);
        assert_eq!(problems, []);
        settings
    }

    #[test]
    fn settings_complete_a_node() {
        let parts = NodeParts {
            name: "web01".into(),
            facts: hash(r#"{"x": 0, "y": 2}"#),
            trusted: Some(hash(r#"{"extensions": {"pp_cloud": "no", "pp_zone": "lan"}}"#)),
            ..NodeParts::default()
        };
        let parts = settings().complete(parts);
        assert_eq!(show_hash(&parts.facts), r#"{"x":1,"y":2}"#);
        assert_eq!(show_hash(&parts.variables), r#"{"site":"ber","role":"web"}"#);
        assert_eq!(
            show_hash(&parts.trusted.unwrap_or_default()),
            r#"{"extensions":{"pp_cloud":"no","pp_zone":"dmz","pp_role":"web"}}"#
        );
        assert_eq!((parts.environment.as_deref(), parts.server_facts), (Some("test"), None));
    }

    #[test]
    fn settings_name_nodes_of_their_own() {
        let settings = settings();
        let nodes: Vec<NodeParts> = settings.nodes_beside(|name| name == "web01").collect();
        let shown: Vec<_> =
            nodes.iter().map(|it| (it.name.as_str(), it.environment.as_deref())).collect();
        assert_eq!(shown, [("db01", Some("production"))]);
    }
}
