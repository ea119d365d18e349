// Runs suite.cjs in the extension host of a real VS Code, beside the packaged and installed extension.
//
//   node host.mjs WORK EXTENSIONS

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser, sampleWorkspace, startCodeServer } from './lib.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const [work, extensions] = process.argv.slice(2);
const TIMEOUT_MS = 150_000;

const folder = sampleWorkspace(work);
const server = await startCodeServer({ work, extensions, folder, driver: true });
const remote = (file) => `vscode-remote://${server.host}${file}`;
const payload = JSON.stringify([
  ['extensionDevelopmentPath', remote(path.join(here, 'host'))],
  ['extensionTestsPath', remote(path.join(here, 'suite.cjs'))],
  ['skipWelcome', 'true'],
]);

const browser = await launchBrowser();
const page = await browser.newPage();
const ended = new Promise((resolve) => {
  void page.exposeFunction('codeAutomationExit', resolve);
});
await page.exposeFunction('codeAutomationLog', (_type, args) => {
  const line = args.join(' ');
  // VS Code itself says much; only the suite's own words are for the reader.
  if (/^(ok |FAIL |skipped: |\d+ passed)/.test(line)) {
    console.log(line);
  } else {
    appendFileSync(path.join(work, 'host.log'), `${line}\n`);
  }
});
await page.goto(`${server.url}&payload=${encodeURIComponent(payload)}`);
const status = await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve('timeout'), TIMEOUT_MS))]);
if (status === 'timeout') {
  await page.screenshot({ path: path.join(work, 'host-timeout.png') });
  console.log('FAIL the suite did not end in time');
}
await browser.close();
await server.stop();
process.exit(status === 0 ? 0 : 1);
