// Starting code-server and a browser, and what a person does in the window.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The project's root. */
export const ROOT = path.resolve(here, '../../..');

const { chromium } = createRequire(path.join(ROOT, 'editors/vscode/'))('playwright-core');

/** How long anything may take that a person waits for. */
export const PATIENCE_MS = 20_000;

/** How long a window may take until it is there. */
const START_MS = 60_000;

const BROWSER_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const USER_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Dark Modern',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.editor.empty.hint': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'security.workspace.trust.enabled': false,
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'editor.accessibilitySupport': 'off',
  // What is typed is what is there.
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoSurround': 'never',
  'editor.stickyScroll.enabled': false,
  'editor.fontFamily': 'DejaVu Sans Mono',
  'editor.hover.delay': 100,
  'editor.minimap.enabled': false,
  // On the web, files are saved while one types, unless one says no.
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  'git.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
  'window.restoreWindows': 'none',
};

export function launchBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: BROWSER_ARGUMENTS });
}

/** A copy of the sample repository that a suite may change. */
export function sampleWorkspace(work) {
  const workspace = path.join(work, 'control-repo');
  cpSync(path.join(ROOT, 'examples/control-repo'), workspace, { recursive: true });
  return workspace;
}

/**
 * Starts VS Code's server for a folder, with settings of its own, and waits until it answers.
 *
 * @param {{work: string, extensions: string, folder: string, settings?: object, trust?: boolean, driver?: boolean}} options
 */
export async function startCodeServer({ work, extensions, folder, settings = {}, trust = false, driver = false }) {
  const port = await freePort();
  const data = path.join(work, `user-data-${port}`);
  mkdirSync(path.join(data, 'User'), { recursive: true });
  const all = { ...USER_SETTINGS, 'security.workspace.trust.enabled': trust, ...settings };
  writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(all));
  const options = [
    ['--config', '/dev/null', '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    ['--user-data-dir', data, '--extensions-dir', extensions],
    ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    // Else the extension host of a closed window, and its server, live on for hours.
    ['--reconnection-grace-time', '1'],
    trust ? [] : ['--disable-workspace-trust'],
    driver ? ['--vscode-option', 'enable-smoke-test-driver'] : [],
  ].flat();
  const entry = path.join(process.env.CODE_SERVER, 'out/node/entry.js');
  const child = spawn(process.execPath, [entry, ...options, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}' },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => (log += text));
  }
  await until(`code-server on port ${port}`, async () => {
    if (child.exitCode !== null) {
      throw new Error(`code-server ended: ${log.slice(-2000)}`);
    }
    return fetch(`http://127.0.0.1:${port}/healthz`).then((it) => it.ok, () => false);
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  };
  return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/?folder=${folder}`, data, stop };
}

/** Asks until the answer is truthy. */
export async function until(what, ask) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer) {
      return answer;
    }
    if (Date.now() > end) {
      throw new Error(`waited too long for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What a person does in a window of VS Code. */
export class Window {
  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  static async open(browser, url, size = { width: 1280, height: 800 }) {
    const context = await browser.newContext({ viewport: size });
    const window = new Window(await context.newPage());
    await window.page.goto(url, { timeout: START_MS });
    await window.page.waitForSelector('.monaco-workbench .explorer-folders-view .monaco-list-row', { timeout: START_MS });
    return window;
  }

  /** Opens a file by its path below the folder. */
  async openFile(file) {
    const name = file.split('/').at(-1);
    await this.ask('Control+P', file, this.page.locator('.quick-input-list [data-index="0"]', { hasText: name }));
    await this.page.keyboard.press('Enter');
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor();
    await this.page.locator('.editor-instance .view-line').first().waitFor();
  }

  /** Runs a command by its title. */
  async run(title) {
    const row = this.row(title, '.quick-input-list');
    await this.ask('F1', `>${title}`, row);
    await row.click();
  }

  /** Puts the cursor at a line and a column, both counted from 1. */
  async goTo(line, column) {
    await this.ask('Control+G', `:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.statusBar(`Ln ${line}, Col ${column}`).waitFor();
  }

  /** Puts the cursor into the first place of a text in a file on disk, some characters into it. */
  async goToText(file, text, within = 0) {
    const before = readFileSync(file, 'utf8').split(text, 1)[0].split('\n');
    await this.goTo(before.length, before.at(-1).length + 1 + within);
  }

  /** Takes back what was typed. */
  async revert() {
    await this.page.keyboard.press('Escape');
    await this.run('File: Revert File');
    await until('the file as it is on disk', async () => (await this.page.locator('.tab.dirty').count()) === 0);
  }

  /** Rests the pointer on a text of the editor and gives the hover. */
  async hover(text, holds) {
    const popup = this.page.locator('.monaco-hover:visible', { hasText: holds });
    // The server says nothing about a file that it has not read yet: then the pointer has to move again.
    await until(`a hover over ${text} that says ${holds}`, async () => {
      await this.page.mouse.move(5, 5);
      await this.word(text).hover();
      return popup.first().waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
    return popup.first();
  }

  /** A word as the editor shows it. */
  word(text) {
    return this.page.locator('.view-line span span', { hasText: text }).first();
  }

  /** A line of an editor that holds the text. */
  line(text) {
    return this.page.locator('.view-line', { hasText: text }).first();
  }

  statusBar(text) {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  /** A row of a list or tree that holds the text. */
  row(text, within = '') {
    return this.page.locator(`${within} .monaco-list-row`.trim(), { hasText: text }).first();
  }

  tab(name) {
    return this.page.locator('.tab', { hasText: name }).first();
  }

  /**
   * Opens the box above the editor with a key and fills it in, until it offers what is wanted.
   *
   * The window may still be busy with what was done before, and then loses the key, or clears what was written.
   */
  async ask(key, text, wanted) {
    const box = this.page.locator('.quick-input-widget input:visible').first();
    await until(`${text} in the box above the editor`, async () => {
      await this.page.keyboard.press(key);
      const offered = box.fill(text, { timeout: 3000 }).then(() => (wanted ?? box).waitFor({ timeout: 3000 }));
      const there = await offered.then(() => box.inputValue({ timeout: 3000 })).then((value) => value === text, () => false);
      if (!there) {
        await this.page.keyboard.press('Escape');
      }
      return there;
    });
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Counts what passes and fails; a failure does not end a suite. */
export class Suite {
  passed = 0;
  failed = 0;

  constructor(onFailure = async () => {}) {
    this.onFailure = onFailure;
  }

  async test(name, body) {
    const begin = Date.now();
    try {
      await body();
      this.passed += 1;
      console.log(`ok   ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAIL ${name}: ${String(error?.stack ?? error).slice(0, 1500)}`);
      await this.onFailure(name);
    }
  }

  /** Says the sum, and ends the process. */
  finish() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exit(this.failed === 0 && this.passed > 0 ? 0 : 1);
  }
}
