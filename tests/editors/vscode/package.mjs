// What is in the package: all that it needs, and nothing else.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Suite } from './lib.mjs';

const [vsix, extensions] = process.argv.slice(2);
const installed = path.join(extensions, readdirSync(extensions).find((it) => it.startsWith('hiera-ls.hiera-ls')));
const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));

/** What a package may hold. Anything else is there by mistake. */
const ALLOWED = [
  /^package\.json$/,
  /^(readme|changelog)\.md$/i,
  /^LICENSE-(MIT|APACHE)$/,
  /^\.vsixmanifest$/,
  /^dist\/extension\.js$/,
  /^media\/(icon\.png|hierarchy\.svg)$/,
  /^schemas\/hiera-ls\.schema\.json$/,
  /^server\/hiera-ls$/,
  /^syntaxes\/hiera-interpolation\.tmLanguage\.json$/,
  /^walkthrough\/[a-z]+\.(md|png)$/,
];

const MAX_BYTES = 20_000_000;

function files(folder, prefix = '') {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(path.join(folder, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

const suite = new Suite();
await suite.test('nothing is in the package that does not belong there', () => {
  const strange = files(installed).filter((file) => !ALLOWED.some((it) => it.test(file)));
  assert.deepEqual(strange, []);
});
await suite.test('everything that the manifest names is in it', () => {
  const { contributes, main, icon } = manifest;
  const named = [
    main,
    icon,
    ...contributes.grammars.map((it) => it.path),
    ...contributes.yamlValidation.map((it) => it.url),
    ...contributes.viewsContainers.activitybar.map((it) => it.icon),
    ...contributes.walkthroughs.flatMap((it) => it.steps.map((step) => step.media.markdown ?? step.media.image)),
  ];
  for (const file of named) {
    assert(statSync(path.join(installed, file)).isFile(), file);
  }
});
await suite.test('its page and its walkthrough have their pictures', () => {
  const pictures = (file) => [...readFileSync(path.join(installed, file), 'utf8').matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map((it) => it[1]);
  const page = readdirSync(installed).find((it) => /^readme\.md$/i.test(it));
  // VS Code shows none from other places.
  assert.deepEqual(pictures(page).filter((it) => !it.startsWith('https:')), []);
  assert.equal(pictures(page).length > 0, Boolean(manifest.repository));
  for (const { media } of manifest.contributes.walkthroughs.flatMap((it) => it.steps)) {
    assert(pictures(media.markdown).length > 0, media.markdown);
    for (const picture of pictures(media.markdown)) {
      assert(statSync(path.join(installed, path.dirname(media.markdown), picture)).isFile(), picture);
    }
  }
});
await suite.test('the server in it can be run', () => {
  const said = execFileSync(path.join(installed, 'server/hiera-ls'), ['--version'], { encoding: 'utf8' });
  assert.match(said, /^hiera-ls \d+\.\d+\.\d+/);
  assert.equal(said.trim(), `hiera-ls ${manifest.version}`, 'the extension has the version of the server');
});
await suite.test('it wakes up for nothing but a hiera.yaml', () => {
  assert.deepEqual(manifest.activationEvents, ['workspaceContains:hiera.yaml', 'workspaceContains:**/hiera.yaml']);
});
await suite.test('it claims no new language', () => {
  assert.deepEqual(manifest.contributes.languages.map((it) => it.id), ['yaml']);
});
await suite.test('it is small', () => {
  const { size } = statSync(vsix);
  console.log(`the package has ${size} bytes`);
  // A debug build is for trying out only.
  assert(size < MAX_BYTES || process.env.HIERA_LS.includes('/debug/'), `${size} bytes`);
});
suite.finish();
