//! The `hiera-ls` command: parses its arguments and leaves the rest to `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hiera_ls::cli::run()
}
