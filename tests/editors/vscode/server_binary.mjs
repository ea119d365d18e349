// Finding the server: the setting, the extension, PATH; and the message if there is none.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT, Suite } from './lib.mjs';

const extension = path.join(ROOT, 'editors/vscode/');
const require = createRequire(extension);
const work = mkdtempSync(path.join(tmpdir(), 'hiera-ls-'));
const bundle = path.join(work, 'server_binary.cjs');
require('esbuild').buildSync({
  entryPoints: [path.join(extension, 'src/server_binary.ts')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: bundle,
});
const { findServer, NoServer } = require(bundle);
const server = process.env.HIERA_LS;

/** A program in a folder of its own. */
function program(name, text) {
  const folder = mkdtempSync(path.join(work, 'bin-'));
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

function places(changes) {
  return { setting: undefined, folder: work, extension: work, searchPath: '', platform: process.platform, ...changes };
}

/** What is said if no server is found. */
async function problem(changes) {
  const error = await findServer(places(changes)).then(
    (found) => assert.fail(`found ${found.command}`),
    (error) => error,
  );
  assert(error instanceof NoServer, String(error));
  return error.message;
}

const bundled = path.join(work, 'extension');
mkdirSync(path.join(bundled, 'server'), { recursive: true });
symlinkSync(server, path.join(bundled, 'server/hiera-ls'));
const inPath = program('hiera-ls', 'echo hiera-ls 9.9.9');

const suite = new Suite();
await suite.test('the bundled server is found, with its version', async () => {
  const found = await findServer(places({ extension: bundled, searchPath: path.dirname(inPath) }));
  assert.equal(found.from, 'extension');
  assert.match(found.version, /^hiera-ls \d+\.\d+\.\d+/);
});
await suite.test('a setting wins over it', async () => {
  const found = await findServer(places({ setting: inPath, extension: bundled }));
  assert.deepEqual(found, { command: inPath, version: 'hiera-ls 9.9.9', from: 'setting' });
});
await suite.test('a setting may be relative to the workspace', async () => {
  const setting = path.relative(work, inPath);
  assert.equal((await findServer(places({ setting }))).command, inPath);
  assert.equal((await findServer(places({ setting: `\${workspaceFolder}/${setting}` }))).command, inPath);
});
await suite.test('PATH is the last resort', async () => {
  const searchPath = ['/nowhere', path.dirname(inPath)].join(':');
  assert.equal((await findServer(places({ searchPath }))).from, 'PATH');
});
await suite.test('relative directories of PATH are passed over', async () => {
  const before = process.cwd();
  process.chdir(path.dirname(inPath));
  try {
    assert.match(await problem({ searchPath: '.:' }), /hiera-ls was not found/);
  } finally {
    process.chdir(before);
  }
});
await suite.test('a wrong setting is not passed over in silence', async () => {
  const message = await problem({ setting: '/nowhere/hiera-ls', extension: bundled });
  assert.match(message, /hiera\.server\.path.*does not run.*\/nowhere\/hiera-ls.*ENOENT/s);
});
await suite.test('a program that fails is shown with what it says', async () => {
  assert.match(await problem({ setting: program('broken', 'echo no such library >&2; exit 127') }), /no such library/);
});
await suite.test('another program is told apart', async () => {
  assert.match(await problem({ setting: program('other', 'echo yaml-language-server 1.0') }), /is not hiera-ls.*yaml-language-server/);
});
await suite.test('nothing at all is an error that says what to do', async () => {
  assert.match(await problem({}), /cargo install hiera-ls.*hiera\.server\.path/);
});
suite.finish();
