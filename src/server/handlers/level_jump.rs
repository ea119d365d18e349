//! `hiera/levelUp` and `hiera/levelDown`: the same key in the next level.

use tower_lsp_server::ls_types::{Location, TextDocumentPositionParams};

use crate::ide::{self, Direction};
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};

/// Returns the key in the next higher level that has it.
pub(in crate::server) fn level_up(
    context: &Context,
    params: TextDocumentPositionParams,
) -> Option<Location> {
    jump(context, &params, Direction::Up)
}

/// Returns the key in the next lower level that has it.
pub(in crate::server) fn level_down(
    context: &Context,
    params: TextDocumentPositionParams,
) -> Option<Location> {
    jump(context, &params, Direction::Down)
}

fn jump(
    context: &Context,
    params: &TextDocumentPositionParams,
    direction: Direction,
) -> Option<Location> {
    let (file, offset) = from_proto::place(context, params)?;

    let target = ide::level_jump(&context.world, &file.path, offset, direction, &context.cancel)?;

    to_proto::location(context, &target)
}
