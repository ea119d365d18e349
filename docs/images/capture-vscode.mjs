// Takes pictures of a window of VS Code; see capture-vscode.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { Window, launchBrowser, sampleWorkspace, startCodeServer, until } from '../../tests/editors/vscode/lib.mjs';

const [work, extensions, output, ...wanted] = process.argv.slice(2);
const KEY = 'profile::base::packages:\n  - curl';
const SIZE = { width: 1100, height: 640 };
const SETTINGS = {
  'breadcrumbs.enabled': false,
  'editor.fontSize': 13,
  'editor.inlayHints.enabled': 'off',
  'editor.renderLineHighlight': 'none',
  'editor.occurrencesHighlight': 'off',
  'editor.scrollbar.vertical': 'hidden',
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
};

const browser = await launchBrowser();

async function session(name, options, body) {
  if (wanted.length > 0 && !wanted.includes(name)) {
    return;
  }
  const folder = sampleWorkspace(path.join(work, name));
  const server = await startCodeServer({ work, extensions, folder, ...options, settings: { ...SETTINGS, ...options.settings } });
  const window = await Window.open(browser, server.url, options.size ?? SIZE);
  const shot = async (picture, clip) => {
    // Until what fades in is there.
    await window.page.waitForTimeout(400);
    await window.page.screenshot({ path: path.join(output, `vscode-${picture}.png`), ...(clip ? { clip } : {}) });
  };
  await window.run('Notifications: Toggle Do Not Disturb Mode');
  await body(window, shot, folder);
  await window.page.context().close();
  await server.stop();
}

await session('ordinary', {}, async (window, shot, folder) => {
  const { page } = window;
  const common = path.join(folder, 'data/common.yaml');
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(common, KEY);
  await page.keyboard.press('Control+Home');
  await window.goToText(common, KEY);
  await page.keyboard.press('Control+Home');
  await window.goToText(common, 'timesync::servers');
  await window.goToText(common, KEY);
  await window.hover('profile::base::packages', 'goaccess');
  await shot('hover');
  await page.keyboard.press('Escape');

  await window.run('Hiera: Select Node');
  await window.row('db01.kittiwake.example', '.quick-input-list').waitFor();
  await shot('nodes', { x: 200, y: 0, width: 700, height: 300 });
  await page.keyboard.press('Escape');

  await window.goToText(common, KEY, 4);
  await window.run('Hiera: Preview Merged Value');
  await window.line('goaccess').waitFor();
  await page.mouse.move(5, 5);
  await shot('preview');
  await window.run('View: Close All Editors');

  await page.keyboard.press('Control+B');
  await window.openFile('data/common.yaml');
  await page.locator('.activitybar .action-label[aria-label*="Hiera"]').first().click();
  await window.row('Per-node data', '.pane-body').waitFor();
  await page.locator('.tab.active').first().click();
  await window.goToText(common, KEY, 4);
  await page.locator('.pane-body .message', { hasText: 'profile::base::packages' }).first().waitFor();
  await page.mouse.move(5, 5);
  await shot('hierarchy');
});

await session('changes', {}, async (window, shot, folder) => {
  const { page } = window;
  const common = path.join(folder, 'data/common.yaml');
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(common, 'company::domain: kittiwake', 'company::domain: '.length);
  await window.run('Hiera: What Changes');
  await window.line('0 answers change').waitFor();
  await page.locator('.tab', { hasText: 'common.yaml' }).first().click();
  await page.keyboard.type('ferries.');
  await window.line('+ ferries.kittiwake.example').waitFor();
  await page.locator('.codelens-decoration', { hasText: 'nodes' }).first().waitFor();
  await page.mouse.move(5, 5);
  await shot('changes');
});

await session('cases', {}, async (window, shot, folder) => {
  const { page } = window;
  const file = path.join(folder, 'data/roles/database.yaml');
  const KEY = 'profile::database::shared_buffers';
  const item = page.locator('.statusbar-item[id$="hiera.node"]').first();
  await window.openFile('data/roles/database.yaml');
  await page.keyboard.press('Control+B');
  await window.run('Hiera: Select Node');
  await window.row('any node', '.quick-input-list').click();
  await window.statusBar('5 facts open').waitFor();
  await window.goToText(file, KEY);
  await window.hover(KEY, '16GB');
  await shot('cases');
  await page.keyboard.press('Escape');

  await item.hover();
  await page.locator('.monaco-hover:visible', { hasText: 'their values are not known' }).first().waitFor();
  await shot('status', { x: 0, y: SIZE.height - 330, width: 620, height: 330 });
  await page.mouse.move(5, 5);

  await window.openFile('data/common.yaml');
  await window.goToText(path.join(folder, 'data/common.yaml'), 'profile::base::sysctl:\n  net', 4);
  await window.run('Hiera: Preview Merged Value');
  await window.line('if trusted.extensions.pp_role is database').waitFor();
  await page.locator('.tab', { hasText: 'sysctl' }).first().click();
  await page.mouse.move(5, 5);
  await shot('preview-cases');
  await window.run('Hiera: Pick a Case');
  await window.row('otherwise', '.quick-input-list').waitFor();
  await shot('pick-case', { x: 200, y: 0, width: 700, height: 220 });
  await window.row('pp_role is database', '.quick-input-list').click();
  await window.statusBar('5 facts open').waitFor();
  await until('no cases', async () => (await page.locator('.view-line', { hasText: 'if trusted' }).count()) === 0);
  await page.mouse.move(5, 5);
  await shot('assumed');
});

/** The moving picture: pictures of moments, each with the seconds that it is shown. */
class Film {
  frames = [];

  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
  }

  async frame(seconds) {
    const file = path.join(this.folder, `frame-${String(this.frames.length).padStart(3, '0')}.png`);
    await this.page.screenshot({ path: file });
    this.frames.push({ file, seconds });
  }

  async type(text) {
    for (const character of text) {
      await this.page.keyboard.type(character);
      // Until the preview has followed.
      await this.page.waitForTimeout(250);
      await this.frame(0.12);
    }
  }

  write(gif) {
    const list = path.join(this.folder, 'frames.txt');
    const lines = this.frames.map(({ file, seconds }) => `file '${file}'\nduration ${seconds}\n`);
    // The last frame is named once more, or its duration does not count.
    writeFileSync(list, `${lines.join('')}file '${this.frames.at(-1).file}'\n`);
    const filter = 'split[a][b];[a]palettegen=max_colors=64:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';
    const made = spawnSync('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'concat', '-safe', '0', '-i', list, '-vf', filter, gif], { stdio: 'inherit' });
    if (made.status !== 0) {
      throw new Error('ffmpeg made no moving picture');
    }
  }
}

await session('typing', { size: { width: 1200, height: 460 } }, async (window, _shot, folder) => {
  const { page } = window;
  const film = new Film(page, work);
  const common = path.join(folder, 'data/common.yaml');
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(common, KEY, 4);
  await window.run('Hiera: Preview Merged Value');
  await window.line('goaccess').waitFor();
  await page.locator('.tab.active').first().click();
  await window.goToText(common, '- vim\n', 5);
  await page.mouse.move(5, 5);
  await page.waitForTimeout(500);
  await film.frame(1.5);
  await page.keyboard.press('Enter');
  await film.type('- strace');
  await film.frame(1.2);
  await page.keyboard.press('Enter');
  await film.type(`- "%{lokup('x')}"`);
  await page.locator('.squiggly-error').first().waitFor();
  await page.waitForTimeout(400);
  await film.frame(2);
  for (let undone = 0; undone < 2; undone += 1) {
    await page.keyboard.press('Control+Shift+K');
    await page.keyboard.press('ArrowUp');
  }
  await page.waitForTimeout(600);
  await film.frame(0.8);
  await window.run('Hiera: Select Node');
  await window.row('db01.kittiwake.example', '.quick-input-list').waitFor();
  await page.waitForTimeout(300);
  await film.frame(1.5);
  await window.row('db01.kittiwake.example', '.quick-input-list').click();
  await page.mouse.move(5, 5);
  await window.line('dnf-automatic').waitFor();
  await page.waitForTimeout(400);
  await film.frame(2.5);
  film.write(path.join(output, 'vscode-typing.gif'));
});

await session('problems', {}, async (window, shot, folder) => {
  const file = path.join(folder, 'data/common.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace("\"metrics.%{lookup('company::domain')}\"", "\"metrics.%{lokup('company::domain')}\"").replace('port: 5432', 'port: 05432\n  tls: yes'));
  await window.openFile('data/common.yaml');
  await window.page.keyboard.press('Control+B');
  await window.page.keyboard.press('Control+Shift+M');
  await window.row('lokup', '.markers-panel').waitFor();
  await window.row('lokup', '.markers-panel').click();
  await window.page.mouse.move(5, 5);
  await shot('problems');
});

await session('types', {}, async (window, shot, folder) => {
  const file = path.join(folder, 'data/roles/web.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('worker_processes: 4', 'worker_processes: many'));
  await window.openFile('data/roles/web.yaml');
  await window.page.keyboard.press('Control+B');
  await window.page.keyboard.press('Control+Shift+M');
  await window.row('worker_processes', '.markers-panel').waitFor();
  await window.row('worker_processes', '.markers-panel').click();
  await window.page.mouse.move(5, 5);
  await shot('types');
});

await session('classes', {}, async (window, shot, folder) => {
  const { page } = window;
  const file = path.join(folder, 'data/roles/kiosk.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^profile::kiosk::start_url:.*\n/m, ''));
  await window.openFile('data/roles/kiosk.yaml');
  await page.keyboard.press('Control+B');
  await window.run('Hiera: Select Node');
  await window.row('kiosk03.kittiwake.example', '.quick-input-list').click();
  await window.statusBar('kiosk03').waitFor();
  await window.run('Hiera: Preview Whole Node');
  await window.line('start_url').waitFor();
  await page.mouse.move(5, 5);
  await shot('classes');
});

const trust = { trust: true, settings: { 'security.workspace.trust.startupPrompt': 'never' } };
await session('restricted', trust, async (window, shot, folder) => {
  await window.openFile('data/common.yaml');
  await window.page.keyboard.press('Control+B');
  await window.statusBar('Restricted Mode').waitFor();
  await window.goToText(path.join(folder, 'data/common.yaml'), KEY);
  await window.hover('profile::base::packages', 'goaccess');
  await shot('restricted');
});

const atAGlance = { 'editor.inlayHints.enabled': 'on', 'editor.codeLens': true };
await session('glance', { settings: atAGlance }, async (window, shot, folder) => {
  const { page } = window;
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(path.join(folder, 'data/common.yaml'), 'profile::base::motd');
  await page.locator('.codelens-decoration', { hasText: 'levels' }).first().waitFor();
  await window.line('kittiwake.example').waitFor();
  await page.mouse.move(5, 5);
  await shot('glance');
});

await session('completion', {}, async (window, shot, folder) => {
  const { page } = window;
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(path.join(folder, 'data/common.yaml'), 'company::contact');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.insertText(`profile::mail::relay: "smtp.%{lookup('company::`);
  await page.keyboard.press('Control+Space');
  await window.row('company::domain', '.suggest-widget.visible').waitFor();
  await page.mouse.move(5, 5);
  await shot('completion');
});

await session('override', {}, async (window, shot, folder) => {
  const { page } = window;
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(path.join(folder, 'data/common.yaml'), 'company::contact', 3);
  // Without a server, the menu would stay empty.
  await page.locator('.codelens-decoration', { hasText: '4 levels' }).first().waitFor();
  await window.run('Refactor...');
  await page.locator('.action-widget', { hasText: 'Override' }).first().waitFor();
  await page.mouse.move(5, 5);
  await shot('override');
});

await session('explain', {}, async (window, shot, folder) => {
  const { page } = window;
  await window.openFile('data/common.yaml');
  await page.keyboard.press('Control+B');
  await window.goToText(path.join(folder, 'data/common.yaml'), 'company::contact', 3);
  await window.run('Hiera: Explain Lookup');
  await window.line('search for company::contact').waitFor();
  await page.mouse.move(5, 5);
  await shot('explain');
});

await browser.close();
