//! Sample nodes: reading every fact-set format, and inferring nodes where there are none.

pub mod formats;
pub mod infer;
pub mod node;

pub use node::{Node, NodeParts, Origin};
