//! Text as bytes with positions: ranges, lines and columns, edits, buffers. Knows nothing of YAML or Hiera.

pub mod buffer;
pub mod common_ends;
pub mod edit;
pub mod edit_distance;
pub mod half;
pub mod hidden;
pub mod line_index;
pub mod range;
pub mod shared;

pub use buffer::Buffer;
pub use common_ends::{common_prefix, common_suffix};
pub use edit::{BufferEdit, TextEdit, apply_edits};
pub use edit_distance::edit_distance;
pub use half::{marked_half, without_halves};
pub use hidden::is_hidden;
pub use line_index::{BYTE_ORDER_MARK, Encoding, LineCol, LineIndex};
pub use range::TextRange;
pub use shared::SharedText;
