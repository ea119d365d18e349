#!/usr/bin/env node
// Builds the npm packages of a program: one for its system, and `hiera-ls`, which chooses the one for the machine.
//
//     release/npm PROGRAM TARGET DIRECTORY
//
// Prints the paths of both. The package `hiera-ls` is the same for all systems. Needs Node and npm.
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

// What Node calls the systems. Programs for Linux are static, so that every libc will do.
const SYSTEMS = {
  "x86_64-unknown-linux-gnu": ["linux", "x64"],
  "x86_64-unknown-linux-musl": ["linux", "x64"],
  "aarch64-unknown-linux-gnu": ["linux", "arm64"],
  "aarch64-unknown-linux-musl": ["linux", "arm64"],
  "x86_64-apple-darwin": ["darwin", "x64"],
  "aarch64-apple-darwin": ["darwin", "arm64"],
  "x86_64-pc-windows-msvc": ["win32", "x64"],
  "aarch64-pc-windows-msvc": ["win32", "arm64"],
};

const START = `#!/usr/bin/env node
// Starts the program of the package for this system.
const { spawnSync } = require("node:child_process");

const name = \`hiera-ls-\${process.platform}-\${process.arch}\`;
const file = process.platform === "win32" ? "hiera-ls.exe" : "hiera-ls";
let program;
try {
  program = require.resolve(\`\${name}/\${file}\`);
} catch {
  console.error(\`hiera-ls: the package \${name} is missing. Install without --omit=optional, or there is none for this system.\`);
  process.exit(2);
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(\`hiera-ls: \${program}: \${ended.error.message}\`);
  process.exit(2);
}
if (ended.signal) process.kill(process.pid, ended.signal);
process.exit(ended.status ?? 2);
`;

const README = `# hiera-ls

Language server and command line for Puppet's Hiera 5 data: which value does a node get, and why?

    npx hiera-ls lookup ntp::servers --node web01.example.com --why
    npx hiera-ls check
`;

const [program, target, directory] = process.argv.slice(2);
const system = SYSTEMS[target];
if (!system) {
  console.error(`no npm package is made for ${target}`);
  process.exit(1);
}
const cargo = fs.readFileSync(path.join(ROOT, "Cargo.toml"), "utf8");
const field = (name) => cargo.match(new RegExp(`^${name} = "(.*)"$`, "m"))?.[1];
const version = field("version");
const common = {
  version,
  description: field("description"),
  license: `(${field("license")})`,
  ...(field("repository") ? { repository: field("repository") } : {}),
};

// pack NAME MANIFEST FILES: files are [name, content, mode].
function pack(name, manifest, files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hiera-ls-npm-"));
  const licences = ["LICENSE-APACHE", "LICENSE-MIT"].map((it) => [it, fs.readFileSync(path.join(ROOT, it)), 0o644]);
  const json = [["package.json", `${JSON.stringify({ name, ...common, ...manifest }, null, 2)}\n`, 0o644]];
  for (const [file, content, mode] of [...licences, ...json, ...files]) {
    fs.writeFileSync(path.join(folder, file), content, { mode });
  }
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const options = ["pack", "--silent", "--offline", "--pack-destination", path.resolve(directory)];
  const packed = execFileSync(npm, options, { cwd: folder, encoding: "utf8" }).trim();
  fs.rmSync(folder, { recursive: true });
  console.log(path.join(path.resolve(directory), packed));
}

const file = target.includes("windows") ? "hiera-ls.exe" : "hiera-ls";
const [platform, cpu] = system;
const names = [...new Set(Object.values(SYSTEMS).map((it) => `hiera-ls-${it.join("-")}`))];
pack(`hiera-ls-${platform}-${cpu}`, { os: [platform], cpu: [cpu], preferUnplugged: true }, [
  [file, fs.readFileSync(program), 0o755],
]);
pack(
  "hiera-ls",
  {
    keywords: ["puppet", "openvox", "hiera", "lsp"],
    bin: { "hiera-ls": "start.js" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(names.map((name) => [name, version])),
  },
  [
    ["start.js", START, 0o755],
    ["README.md", README, 0o644],
  ],
);
