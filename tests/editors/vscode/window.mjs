// What a user sees and clicks in the window of a real VS Code with the packaged extension.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Suite, Window, launchBrowser, sampleWorkspace, startCodeServer, until } from './lib.mjs';

const [work, extensions] = process.argv.slice(2);
const shots = process.env.HIERA_LS_SHOTS;

const folder = sampleWorkspace(path.join(work, 'window'));
const plain = path.join(work, 'plain');
mkdirSync(plain, { recursive: true });
writeFileSync(path.join(plain, 'plain.yaml'), 'a: "%{b}"\n');

const browser = await launchBrowser();
let page;
const suite = new Suite(async (name) => {
  if (!page || page.isClosed()) {
    return;
  }
  if (shots) {
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: path.join(shots, `${name.replaceAll(/\W+/g, '-')}.png`) });
  }
  await page.keyboard.press('Escape');
});

const COMMON = 'data/common.yaml';
const common = path.join(folder, COMMON);
const KEY = 'profile::base::packages:\n  - curl';

/** The line of a text in common.yaml, counted from 1. */
function lineOf(text) {
  return readFileSync(common, 'utf8').split(text, 1)[0].split('\n').length;
}

async function ordinary() {
  const server = await startCodeServer({ work, extensions, folder });
  const window = await Window.open(browser, server.url);
  page = window.page;

  await suite.test('a data file opens as YAML', async () => {
    await window.openFile(COMMON);
    await window.statusBar('YAML').waitFor();
  });
  await suite.test('a hover shows the merged value', async () => {
    const hover = await window.hover('profile::base::packages', 'goaccess');
    const text = await hover.innerText();
    assert.match(text, /web01\.kittiwake\.example/);
    assert.match(text, /common\.yaml/);
    await page.keyboard.press('Escape');
  });
  await suite.test('tokens are coloured', async () => {
    const colour = (text) => window.word(text).evaluate((it) => getComputedStyle(it).color);
    await window.line('company::contact').waitFor();
    // While the editor redraws its lines, a word has no colour.
    await until('a token in another colour than the text around it', async () => {
      const [token, around] = await Promise.all([colour('lookup'), colour('operations@')]);
      return token && around && token !== around;
    });
  });
  await suite.test('a mistake gets a squiggle, and a line under Problems', async () => {
    await window.goToText(common, 'Kittiwake Ferries\ncompany::domain');
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText(`"%{lokup('company::domain')}"`);
    await page.locator('.squiggly-error').first().waitFor();
    await page.keyboard.press('Control+Shift+M');
    await window.row("Unknown interpolation method 'lokup'", '.markers-panel').waitFor();
    await page.keyboard.press('Control+Shift+M');
    await page.locator('.markers-panel').waitFor({ state: 'hidden' });
    await page.locator('.tab.active[data-resource-name="common.yaml"]').click();
    await window.revert();
    await until('no squiggle', async () => (await page.locator('.squiggly-error').count()) === 0);
  });
  await suite.test('F12 leads from a token to the key', async () => {
    await window.goToText(common, "lookup('company::domain')", 10);
    await page.keyboard.press('F12');
    await window.statusBar(`Ln ${lineOf('company::domain: kittiwake')}, Col`).waitFor();
  });
  await suite.test('suggestions inside of a token', async () => {
    await window.goToText(common, 'company::contact');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText(`x: "%{lookup('company::`);
    await page.keyboard.press('Control+Space');
    await window.row('company::domain', '.suggest-widget.visible').waitFor();
    await window.revert();
  });
  await suite.test('the language status names the node', async () => {
    await window.goToText(common, KEY);
    const status = page.locator('.statusbar-item[id="status.languageStatus"]');
    await status.hover();
    await page.locator('.hover-language-status', { hasText: 'web01.kittiwake.example' }).first().waitFor();
    await page.mouse.move(5, 5);
  });
  await suite.test('the node picker shows facts, and hovers follow the choice', async () => {
    await window.run('Hiera: Select Node');
    const row = window.row('db01.kittiwake.example', '.quick-input-list');
    await row.waitFor();
    assert.match(await row.innerText(), /RedHat|AlmaLinux|Rocky/);
    await row.click();
    await window.hover('profile::base::packages', 'dnf-automatic');
    await page.keyboard.press('Escape');
    await window.run('Hiera: Select Node');
    await window.row('web01.kittiwake.example', '.quick-input-list').click();
    await window.hover('profile::base::packages', 'goaccess');
    await page.keyboard.press('Escape');
  });
  await previews(window);
  await cases(window);
  await page.context().close();
  await server.stop();
}

/** What asks the server for more than LSP has. */
async function previews(window) {
  await suite.test('the button in the title opens a preview beside', async () => {
    await window.goToText(common, KEY, 4);
    await page.locator('.editor-actions a[aria-label*="Preview Merged Value"]').first().click();
    await window.line('- goaccess').waitFor();
    await window.line('nodes/web01.kittiwake.example.yaml:').waitFor();
  });
  await suite.test('the preview follows what is typed', async () => {
    await window.goToText(common, '- curl', 0);
    await page.keyboard.press('End');
    await page.keyboard.type('-nightly');
    await until('the new item twice', async () => (await page.locator('.view-line', { hasText: 'curl-nightly' }).count()) > 1);
    await window.revert();
  });
  await suite.test('the view shows the hierarchy for the key at the cursor', async () => {
    await page.locator('.activitybar .action-label[aria-label*="Hiera"]').first().click();
    await window.goToText(common, KEY, 4);
    const view = '.pane-body';
    await window.row('Per-node data', view).waitFor();
    await page.locator('.pane-body .message', { hasText: 'profile::base::packages' }).first().waitFor();
    await window.row('Per-node data', view).click();
    await page.locator('.tab.active[data-resource-name="web01.kittiwake.example.yaml"]').waitFor();
    await window.statusBar('Ln 10, Col 1').waitFor();
  });
  await suite.test('a click on a lens opens a preview', async () => {
    await window.openFile('data/roles/web.yaml');
    await page.locator('.codelens-decoration a').first().click();
    await window.line('# ').waitFor();
  });
}

/** What depends on variables that are not known. */
async function cases(window) {
  const file = path.join(folder, 'data/roles/database.yaml');
  const BUFFERS = 'profile::database::shared_buffers';
  const item = page.locator('.statusbar-item[id$="hiera.node"]').first();
  const says = (text) => until(`${text} in the status bar`, async () => (await item.innerText()).trim() === text);

  await suite.test('a click on the node in the status bar opens the node picker', async () => {
    await window.openFile('data/roles/database.yaml');
    await says('web01.kittiwake.example');
    await item.click();
    const row = window.row('any node', '.quick-input-list');
    await row.waitFor();
    assert.equal(await row.getAttribute('data-index'), '0', 'it stands first');
    await row.click();
    await says('any node · pp_role is database · 5 facts open');
  });
  await suite.test('the item lists the open facts', async () => {
    await item.hover();
    const tooltip = page.locator('.monaco-hover:visible', { hasText: 'their values are not known' }).first();
    await tooltip.waitFor();
    const text = await tooltip.innerText();
    assert.match(text, /trusted\.extensions\.pp_role is database/);
    assert.match(text, /facts\.os\.release\.major/);
    await page.mouse.move(5, 5);
  });
  await suite.test('a hover shows the cases', async () => {
    await window.goToText(file, BUFFERS);
    const hover = await window.hover('profile::database::shared_buffers', '16GB');
    const text = (await hover.innerText()).replaceAll('\u00a0', ' ');
    assert.match(text, /any node where trusted\.extensions\.pp_role is database/);
    assert.match(text, /4GB/);
    assert.match(text, /16GB if trusted\.certname is db01\.kittiwake\.example/);
    await page.keyboard.press('Escape');
  });
  await suite.test('a case that is picked in the preview holds there', async () => {
    await window.goToText(file, BUFFERS, 4);
    await window.run('Hiera: Preview Merged Value');
    await window.line('# profile::database::shared_buffers: 16GB').waitFor();
    await page.locator('.tab', { hasText: 'shared_buffers' }).first().click();
    await page.locator('.editor-actions a[aria-label*="Pick a Case"]').first().click();
    await window.row('otherwise', '.quick-input-list').waitFor();
    await window.row('trusted.certname is db01.kittiwake.example', '.quick-input-list').click();
    // Of what is known, only what is assumed has room.
    await says('any node · certname is db01.kittiwake.example · 4 facts open');
    await until('no cases', async () => (await page.locator('.view-line', { hasText: ': 16GB' }).count()) === 1);
  });
  await suite.test('what is assumed is forgotten with the button beside it', async () => {
    await page.locator('.editor-actions a[aria-label*="Forget What Is Assumed"]').first().click();
    await window.line('# profile::database::shared_buffers: 16GB').waitFor();
    await window.openFile('data/roles/database.yaml');
    await says('any node · pp_role is database · 5 facts open');
  });
  await suite.test('"otherwise" cannot be assumed, and says why', async () => {
    await window.goToText(file, BUFFERS, 4);
    await window.run('Hiera: Pick a Case');
    await window.row('otherwise', '.quick-input-list').click();
    await page.locator('.notification-toast', { hasText: '"otherwise" cannot be assumed' }).first().waitFor();
    await says('any node · pp_role is database · 5 facts open');
    await window.run('Notifications: Clear All Notifications');
  });
}

async function restricted() {
  const untouched = sampleWorkspace(path.join(work, 'restricted'));
  // What a stranger's repository might try: a program of its own as the server.
  const program = path.join(untouched, 'program');
  const traces = path.join(work, 'traces-of-a-stranger');
  writeFileSync(program, `#!/bin/sh\ntouch ${traces}\n`, { mode: 0o755 });
  mkdirSync(path.join(untouched, '.vscode'));
  writeFileSync(path.join(untouched, '.vscode/settings.json'), JSON.stringify({ 'hiera.server.path': program }));
  const server = await startCodeServer({ work, extensions, folder: untouched, trust: true, settings: { 'security.workspace.trust.startupPrompt': 'never' } });
  const window = await Window.open(browser, server.url);
  page = window.page;
  await suite.test('in Restricted Mode hovers answer, too', async () => {
    await window.openFile(COMMON);
    await window.statusBar('Restricted Mode').waitFor();
    await window.hover('profile::base::packages', 'goaccess');
    await page.keyboard.press('Escape');
  });
  await suite.test("and the workspace's own server is not run", () => assert(!existsSync(traces)));
  await page.context().close();
  await server.stop();
}

async function elsewhere() {
  const server = await startCodeServer({ work, extensions, folder: plain });
  const window = await Window.open(browser, server.url);
  page = window.page;
  await suite.test('a folder without a hiera.yaml is left alone', async () => {
    await window.openFile('plain.yaml');
    const command = window.row('Hiera: Select Node', '.quick-input-list');
    // VS Code offers similar commands where none is called so.
    await window.ask('F1', '>Hiera: Select Node', window.row('similar commands', '.quick-input-list').or(command));
    assert.equal(await command.count(), 0);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.activitybar .action-label[aria-label*="Hiera"]').count(), 0);
  });
  await page.context().close();
  await server.stop();
}

for (const part of [ordinary, restricted, elsewhere]) {
  try {
    await part();
  } catch (error) {
    await suite.test(`${part.name} runs to its end`, () => {
      throw error;
    });
  }
}
await browser.close();
suite.finish();
