// Renders a comment as merge requests show it, and takes a picture; see capture-comment.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchBrowser } from '../../tests/editors/vscode/lib.mjs';

const [work, output] = process.argv.slice(2);
const { marked } = await import(pathToFileURL(path.join(work, 'node_modules/marked/lib/marked.esm.js')).href);

const body = marked.parse(readFileSync(path.join(work, 'comment.md'), 'utf8'), { gfm: true });
// Each line of a difference in its colour.
const coloured = body.replace(/<code class="language-diff">([\s\S]*?)<\/code>/g, (_, text) => {
  const line = (it) => {
    const kind = { '-': 'deleted', '+': 'added' }[it[0]];
    return kind ? `<span class="${kind}">${it}</span>` : it;
  };
  return `<code>${text.split('\n').map(line).join('\n')}</code>`;
});
const page = `<!doctype html><meta charset="utf-8"><style>
body { font: 14px/1.5 'DejaVu Sans', sans-serif; margin: 16px; color: #1f2328; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; width: 800px; }
.head { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; color: #59636e; border-radius: 6px 6px 0 0; }
.head b { color: #1f2328; }
.body { padding: 4px 16px 12px; }
code { font: 12px 'DejaVu Sans Mono', monospace; background: #818b981f; border-radius: 6px; padding: .2em .4em; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px 16px; line-height: 1.45; }
pre code { background: none; padding: 0; }
.deleted { background: #ffebe9; color: #82071e; display: inline-block; width: 100%; }
.added { background: #dafbe1; color: #116329; display: inline-block; width: 100%; }
</style><div class="comment"><div class="head"><b>github-actions</b> commented</div><div class="body">${coloured}</div></div>`;

const browser = await launchBrowser();
const context = await browser.newContext({ viewport: { width: 840, height: 900 }, deviceScaleFactor: 1 });
const window = await context.newPage();
await window.setContent(page);
// As if the reader had opened the first ones.
await window.evaluate(() => {
  for (const details of [...document.querySelectorAll('details')].slice(0, 2)) {
    details.open = true;
  }
});
await window.locator('.comment').screenshot({ path: output });
await browser.close();
