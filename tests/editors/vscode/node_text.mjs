// What the status bar says of a node.

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT, Suite } from './lib.mjs';

const extension = path.join(ROOT, 'editors/vscode/');
const require = createRequire(extension);
const bundle = path.join(mkdtempSync(path.join(tmpdir(), 'hiera-ls-')), 'node_text.cjs');
require('esbuild').buildSync({
  entryPoints: [path.join(extension, 'src/node_text.ts')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: bundle,
});
const { partsOf, textOf } = require(bundle);

const suite = new Suite();
const WAYS = 'any node where facts.os.name is Debian, or where facts.os.family is Debian';
const LONG = 'any node where location is common and role is compute and variant is shpc, or where role is compute-shpc';

await suite.test('what is known, what is assumed and what is open', () => {
  const said = (name, assumed = [], open = []) => textOf({ name, assumed, open });
  const site = { name: 'site', value: '' };
  assert.equal(said('web01'), 'web01');
  assert.equal(said('any node', [], ['a', 'b']), 'any node · 2 facts open');
  assert.equal(said('any node where facts.role is web', [site], ['a']), 'any node · role is web and site is empty · 1 fact open');
  assert.equal(said(WAYS), 'any node · os.name is Debian, or os.family is Debian');
});
await suite.test('a text that is too long leaves out what the path says', () => {
  assert.equal(textOf({ name: LONG, assumed: [], open: ['a'] }), 'any node · 1 fact open');
  const name = 'a'.repeat(70);
  assert.equal(textOf({ name, assumed: [], open: [] }), name);
});
await suite.test('each way to a file has its conditions', () => {
  assert.deepEqual(partsOf({ name: LONG }).ways, [
    ['location is common', 'role is compute', 'variant is shpc'],
    ['role is compute-shpc'],
  ]);
});
suite.finish();
