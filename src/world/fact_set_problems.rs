//! Fact sets that cannot be read.

use std::sync::Arc;

use super::World;
use crate::config::Environment;
use crate::facts::formats::FactsProblem;

impl World {
    /// The problems of fact sets in these environments, by path; each once.
    pub fn fact_set_problems<'e>(
        &self,
        environments: impl IntoIterator<Item = &'e Arc<Environment>>,
    ) -> Vec<(Arc<str>, FactsProblem)> {
        let mut found = Vec::new();
        for environment in environments {
            for problem in &self.sample_nodes(environment).problems {
                // Environments can share fact sets.
                if !found.contains(problem) {
                    found.push(problem.clone());
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::fixture::Fixture;

    #[test]
    fn fact_sets_that_cannot_be_read() {
        let fixture = Fixture::parse(
            "#- /hiera.yaml\nversion: 5\n#- /.hiera-ls/facts/web01.yaml\nbroken: [\n",
        );
        let world = fixture.world();
        let problems = world.fact_set_problems(world.environments().iter());
        let paths: Vec<&str> = problems.iter().map(|(path, _)| &**path).collect();
        assert_eq!(paths.len(), 1);
        assert!(paths[0].ends_with("/.hiera-ls/facts/web01.yaml"), "{paths:?}");
    }
}
