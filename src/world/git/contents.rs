//! Reads the contents of objects, all from one process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::limits::MAX_FILE_BYTES;

/// A Git process that returns contents one after another, for the life of this value.
pub(super) struct Contents {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Why a content cannot be returned.
pub(super) struct Problem {
    pub(super) message: String,
    /// Whether the repository does not have it.
    pub(super) is_missing: bool,
    /// Whether it cannot return anything more.
    pub(super) is_fatal: bool,
}

impl Contents {
    pub(super) fn start(root: &str) -> Result<Self, String> {
        let mut command = super::command(root);
        command.args(["cat-file", "--batch"]);
        // Standard error is not read, and a full pipe would stop Git.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| super::cannot_be_run(&error))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("hiera-ls cannot send requests to git".to_owned());
        };
        Ok(Self { child, questions, answers: BufReader::with_capacity(1 << 16, answers) })
    }

    pub(super) fn read(&mut self, object: &str) -> Result<Vec<u8>, Problem> {
        let fatal = |message: String| Problem { message, is_missing: false, is_fatal: true };
        let broken = |error: std::io::Error| fatal(format!("git stopped answering: {error}"));
        self.questions.write_all(format!("{object}\n").as_bytes()).map_err(broken)?;
        let mut head = String::new();
        self.answers.read_line(&mut head).map_err(broken)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|it| it.parse::<u64>().ok());
        let Some(size) = size else {
            let message = format!("{object} is not in this clone, and nothing is fetched");
            let is_fatal = head.is_empty();
            return Err(Problem { message, is_missing: !is_fatal, is_fatal });
        };
        let mut bytes = Vec::new();
        // One byte more than the limit is enough to see that the file is too large.
        let kept = size.min(MAX_FILE_BYTES + 1);
        (&mut self.answers).take(kept).read_to_end(&mut bytes).map_err(broken)?;
        // The rest, and the line end.
        let rest = size - kept + 1;
        let skipped = std::io::copy(&mut (&mut self.answers).take(rest), &mut std::io::sink());
        if skipped.map_err(broken)? != rest {
            return Err(fatal("git stopped answering".to_owned()));
        }
        if size > MAX_FILE_BYTES {
            let message = format!("File too large (more than {MAX_FILE_BYTES} bytes)");
            return Err(Problem { message, is_missing: false, is_fatal: false });
        }
        Ok(bytes)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // Without this, the process would remain as a zombie.
        let _ = self.child.wait();
    }
}
