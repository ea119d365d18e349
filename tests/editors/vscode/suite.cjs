// Runs inside the extension host: what the installed extension does, through VS Code's own interfaces.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const vscode = require('vscode');

const PATIENCE_MS = 20_000;

let passed = 0;
let failed = 0;

async function test(name, body) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('took too long')), 2 * PATIENCE_MS);
  });
  try {
    await Promise.race([body(), timeout]);
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${String(error?.stack ?? error).slice(0, 1500)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks until the answer is truthy. */
async function until(what, ask) {
  const end = Date.now() + PATIENCE_MS;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) {
        return answer;
      }
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(`waited too long for ${what}; the last was ${String(last)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const root = vscode.workspace.workspaceFolders[0].uri;
const uriOf = (file) => vscode.Uri.joinPath(root, file);
const run = (command, ...args) => vscode.commands.executeCommand(command, ...args);

async function open(file) {
  const document = await vscode.workspace.openTextDocument(uriOf(file));
  const editor = await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
  return { document, editor, uri: document.uri };
}

/** The place of a text in a document, some characters into it. */
function placeOf(document, text, within = 1) {
  const at = document.getText().indexOf(text);
  assert.notEqual(at, -1, `no ${text} in ${document.uri.path}`);
  return document.positionAt(at + within);
}

async function putCursor(file, text, within) {
  const { document, editor } = await open(file);
  const place = placeOf(document, text, within);
  editor.selection = new vscode.Selection(place, place);
  return { document, editor, place };
}

async function hover(file, text, within) {
  const { document, uri } = await open(file);
  const hovers = await run('vscode.executeHoverProvider', uri, placeOf(document, text, within));
  return hovers.flatMap((it) => it.contents.map((content) => content.value ?? content)).join('\n');
}

async function edit(document, change) {
  const edit = new vscode.WorkspaceEdit();
  change(edit, document.uri);
  assert(await vscode.workspace.applyEdit(edit));
}

/** Replaces a text for as long as `body` runs. */
async function withEdit(file, from, to, body) {
  const { document } = await open(file);
  const before = document.getText();
  const at = before.indexOf(from);
  assert.notEqual(at, -1, `no ${from} in ${file}`);
  const range = new vscode.Range(document.positionAt(at), document.positionAt(at + from.length));
  await edit(document, (it, uri) => it.replace(uri, range, to));
  try {
    return await body(document);
  } finally {
    await vscode.window.showTextDocument(document);
    await run('workbench.action.files.revert');
    assert.equal(document.getText(), before);
  }
}

const codes = (uri) =>
  vscode.languages.getDiagnostics(uri).map((it) => (typeof it.code === 'object' ? it.code.value : it.code));

const isPreview = (document) => document.uri.scheme === 'hiera-ls' && !document.isClosed;

/** The preview that a command opens. */
async function previewOf(command, holds, ...args) {
  await run('workbench.action.closeEditorsInOtherGroups');
  await run(command, ...args);
  return until(`a preview with ${holds}`, () => {
    const shown = vscode.window.visibleTextEditors.map((it) => it.document).filter(isPreview);
    return shown.find((it) => it.getText().includes(holds));
  });
}

const WEB_PP = 'site-modules/profile/manifests/web.pp';
const COMMON = 'data/common.yaml';
const WEB01 = 'data/nodes/web01.kittiwake.example.yaml';
const WEB = 'data/roles/web.yaml';

async function suite() {
  const extension = vscode.extensions.getExtension('hiera-ls.hiera-ls');
  let api;

  await test('the extension is active where there is a hiera.yaml', async () => {
    assert(extension, 'the package is installed');
    await until('the activation', () => extension.isActive);
    api = extension.exports;
    await until('the server', () => api.hiera.isRunning);
  });
  await test('it runs the server that it brings along', () => {
    assert.equal(api.hiera.server.from, 'extension');
    assert(api.hiera.server.command.startsWith(extension.extensionPath));
  });
  await test('it claims no language', async () => {
    assert.equal((await open(COMMON)).document.languageId, 'yaml');
    assert(!(await vscode.languages.getLanguages()).some((it) => it.includes('hiera')));
  });
  await test('a hover shows the value of the active node', async () => {
    await until('the hover', async () => (await hover(COMMON, 'company::contact')).includes('operations@kittiwake.example'));
  });
  await test('a hover shows a merged value and where it comes from', async () => {
    const text = await hover(WEB01, 'profile::base::packages');
    for (const part of ['goaccess', 'apache2', 'unattended-upgrades', 'common.yaml', 'web01.kittiwake.example']) {
      assert(text.includes(part), `${part} in ${text}`);
    }
  });
  await test('a hover on a token shows what it finds', async () => {
    assert((await hover(COMMON, "lookup('company::domain')", 10)).includes('kittiwake.example'));
  });
  await test('a hover in JSON', async () => {
    assert((await hover('data/harbours/bergen.json', 'harbour::name')).includes('Bergen'));
  });
  await test('a hover sees what is not saved', () =>
    withEdit(COMMON, 'company::domain: kittiwake', 'company::domain: puffin', () =>
      until('the new value', async () => (await hover(WEB, 'profile::web::vhosts')).includes('booking.puffin.example')),
    ));
  await test('the sample has no problems', async () => {
    const { uri } = await open(COMMON);
    await until('no problems', () => codes(uri).length === 0);
  });
  await test('a misspelt function is a problem, until it is mended', async () => {
    await withEdit(COMMON, 'company::name: Kittiwake', "company::name: \"%{lokup('x')}\" #", (document) =>
      until('the problem', () => codes(document.uri).includes('unknown-function')),
    );
    await until('no problems', () => codes(uriOf(COMMON)).length === 0);
  });
  await test('severities are settings', async () => {
    const settings = vscode.workspace.getConfiguration('hiera');
    await settings.update('diagnostics.severity', { 'unknown-function': 'off' }, vscode.ConfigurationTarget.Workspace);
    try {
      await withEdit(COMMON, 'company::name: Kittiwake', "company::name: \"%{lokup('x')}\" # %{", async (document) => {
        await edit(document, (it, uri) => it.insert(uri, new vscode.Position(document.lineCount, 0), "\nb: \"%{alias('x') }y\"\n"));
        await until('another problem', () => codes(document.uri).length > 0);
        assert(!codes(document.uri).includes('unknown-function'));
      });
    } finally {
      await settings.update('diagnostics.severity', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });
  await test('a definition leads through a token to another file', async () => {
    const { document, uri } = await open(WEB);
    const place = placeOf(document, "alias('profile::booking::listen_port')", 10);
    const [first] = await run('vscode.executeDefinitionProvider', uri, place);
    assert((first.targetUri ?? first.uri).path.endsWith(COMMON));
  });
  await test('completion knows keys inside of a token', async () => {
    await withEdit(COMMON, "lookup('company::name')", "lookup('company::d", async (document) => {
      const place = placeOf(document, "lookup('company::d", "lookup('company::d".length);
      const { items } = await run('vscode.executeCompletionItemProvider', document.uri, place);
      assert(items.some((it) => (it.label.label ?? it.label).includes('company::domain')));
    });
  });
  await test('a misspelt parameter is a problem, its fix mends it, and the class shows the value', async () => {
    await withEdit(WEB, 'worker_processes: 4', 'worker_proceses: 6', async (document) => {
      const mine = () =>
        vscode.languages.getDiagnostics(document.uri).find((it) => (it.code?.value ?? it.code) === 'unknown-parameter');
      const problem = await until('the problem', mine);
      assert.equal(document.getText(problem.range), 'profile::web::worker_proceses');
      const fix = await until('the fix', async () => {
        const actions = await run('vscode.executeCodeActionProvider', document.uri, problem.range);
        return actions.find((it) => it.title === 'Write `profile::web::worker_processes`');
      });
      assert(await vscode.workspace.applyEdit(fix.edit));
      assert(document.getText().includes('profile::web::worker_processes: 6'));
      await until('no problem', () => mine() === undefined);
      const text = await until('the value', async () => {
        const shown = await hover(WEB_PP, '$worker_processes', 3);
        return shown.includes('\n6\n') && shown;
      });
      assert(text.includes('profile::web::worker_processes'), text);
    });
  });
  await test('manifests keep the language that another extension gives them', async () => {
    const { document, uri } = await open(WEB_PP);
    assert.equal(document.languageId, 'puppet');
    const symbols = await run('vscode.executeDocumentSymbolProvider', uri);
    assert.equal(symbols?.length ?? 0, 0);
    const [first] = await run('vscode.executeDefinitionProvider', uri, placeOf(document, '$worker_processes', 3));
    assert((first.targetUri ?? first.uri).path.endsWith(WEB));
    const lenses = await until('the lenses', async () => {
      const found = await run('vscode.executeCodeLensProvider', uri, 100);
      return found.length > 0 && found.every((it) => it.command) && found;
    });
    assert(lenses.some((it) => it.command.title.includes('set in')), JSON.stringify(lenses));
  });
  await test('a renamed parameter takes its key along', async () => {
    const { document } = await open(WEB_PP);
    const place = placeOf(document, '$worker_processes', 3);
    const change = await run('vscode.executeDocumentRenameProvider', document.uri, place, 'workers');
    const changed = change.entries().map(([uri]) => vscode.workspace.asRelativePath(uri)).sort();
    assert.deepEqual(changed, [WEB, WEB_PP]);
  });
  await test('the outline lists keys', async () => {
    const { uri } = await open(COMMON);
    const symbols = await run('vscode.executeDocumentSymbolProvider', uri);
    assert(symbols.some((it) => it.name === 'profile::base::packages'));
  });

  await test('nodes are listed with the facts that the hierarchy uses', async () => {
    const nodes = await api.nodes.all();
    assert.deepEqual(nodes.map((it) => it.name).sort(), [
      'db01.kittiwake.example',
      'kiosk03.kittiwake.example',
      'web01.kittiwake.example',
    ]);
    const web01 = nodes.find((it) => it.name.startsWith('web01'));
    assert.deepEqual(web01.facts.find((it) => it.name === 'trusted.extensions.pp_role')?.value, 'web');
  });
  await test('the active node is known', () =>
    until('web01', () => api.nodes.active?.name === 'web01.kittiwake.example'));
  await test('after another node is chosen, hovers answer for it', async () => {
    await run('hiera.selectNode', 'db01.kittiwake.example');
    assert.equal(api.nodes.active.name, 'db01.kittiwake.example');
    assert((await hover(COMMON, 'profile::base::packages:')).includes('dnf-automatic'));
  });
  await test('an unknown node is an error that lists those there are', async () => {
    await assert.rejects(api.nodes.select('nobody'), /no node has the name nobody.*web01/);
    await run('hiera.selectNode', 'web01.kittiwake.example');
  });

  await test('the server of the package answers all that the extension asks', () => {
    const asked = ['mergedValue', 'explain', 'cases', 'assume', 'compare', 'allNodes', 'hierarchy', 'levelUp', 'levelDown'];
    assert.deepEqual(asked.filter((it) => !api.hiera.supports(`hiera/${it}`)), []);
  });
  await previews(api);
  await cases(api);

  await test('a question that the server does not know is answered in words', () =>
    assert.rejects(api.hiera.ask('hiera/nothing'), /hiera-ls .* does not know hiera\/nothing: a newer one is needed/));
  await test('a restart', async () => {
    await run('hiera.restart');
    await until('the server', () => api.hiera.isRunning);
    await until('a hover', async () => (await hover(COMMON, 'company::contact')).includes('operations@kittiwake.example'));
  });
  await test('restarts that overlap leave one server', async () => {
    await Promise.all([run('hiera.restart'), run('hiera.restart'), run('hiera.restart')]);
    await until('the server', () => api.hiera.isRunning);
    const { command } = api.hiera.server;
    await until('one process', () => execFileSync('pgrep', ['-fc', `^${command} server`], { encoding: 'utf8' }).trim() === '1');
  });
  await test('a restart keeps the chosen node and what is assumed', async () => {
    const { uri } = await open(COMMON);
    const assumed = { 'trusted.extensions.pp_zone': 'north' };
    await run('hiera.selectNode', 'db01.kittiwake.example');
    await api.nodes.assume(assumed);
    const nodeOf = () => api.hiera.ask('hiera/nodeOf', { textDocument: { uri: uri.toString() } });
    const before = await nodeOf();
    await run('hiera.restart');
    await until('the same node', async () => JSON.stringify(await nodeOf()) === JSON.stringify(before));
    assert.equal(before.name, 'db01.kittiwake.example');
    assert.deepEqual(api.nodes.assumed, assumed);
    await api.nodes.assume({});
    await run('hiera.selectNode', 'web01.kittiwake.example');
  });
  await test('a wrong path of the server is not passed over, and mended without a reload', async () => {
    const settings = vscode.workspace.getConfiguration('hiera.server');
    await settings.update('path', '/nowhere/hiera-ls', vscode.ConfigurationTarget.Global);
    await until('no server', () => !api.hiera.isRunning);
    await settings.update('path', undefined, vscode.ConfigurationTarget.Global);
    await until('the server', () => api.hiera.isRunning);
  });
}

/** What asks the server for more than LSP has. */
async function previews(api) {
  await test('a preview shows the merged value beside the editor, with origins', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const document = await previewOf('hiera.preview', 'goaccess');
    assert.equal(document.languageId, 'yaml');
    assert.match(document.getText(), /goaccess.*nodes\/web01\.kittiwake\.example\.yaml:\d+/);
    assert(vscode.window.activeTextEditor.document.uri.path.endsWith(COMMON), 'the cursor stays where it was');
    assert(vscode.window.visibleTextEditors.find((it) => it.document === document).viewColumn > 1);
  });
  await test('a preview follows what is typed', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const document = await previewOf('hiera.preview', 'htop');
    await withEdit(COMMON, '- htop', '- btop', () => until('btop', () => document.getText().includes('btop')));
    await until('htop again', () => document.getText().includes('htop'));
  });
  await test('a preview follows the active node', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const document = await previewOf('hiera.preview', 'goaccess');
    await run('hiera.selectNode', 'db01.kittiwake.example');
    await until("db01's packages", () => document.getText().includes('dnf-automatic'));
    await run('hiera.selectNode', 'web01.kittiwake.example');
    await until("web01's packages", () => document.getText().includes('goaccess'));
  });
  await test('a preview says that its node is gone, until it is back', async () => {
    const facts = uriOf('.hiera-ls/facts/kiosk03.kittiwake.example.json');
    const content = await vscode.workspace.fs.readFile(facts);
    const question = { textDocument: { uri: uriOf(COMMON).toString() }, key: 'company::domain', node: 'kiosk03.kittiwake.example' };
    assert(await api.previews.show('hiera/mergedValue', question));
    const shown = (text) => vscode.workspace.textDocuments.filter(isPreview).some((it) => it.getText().includes(text));
    await until('the value', () => shown('for node kiosk03'));
    await vscode.workspace.fs.delete(facts);
    await until('the reason', () => shown('# no node has the name kiosk03'));
    await vscode.workspace.fs.writeFile(facts, content);
    await until('the value again', () => shown('for node kiosk03'));
  });
  await test('a line of a preview leads to its source', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const document = await previewOf('hiera.preview', 'goaccess');
    const place = placeOf(document, 'goaccess');
    const [definition] = await run('vscode.executeDefinitionProvider', document.uri, place);
    assert((definition.targetUri ?? definition.uri).path.endsWith(WEB01));
    const links = await run('vscode.executeLinkProvider', document.uri);
    const link = links.find((it) => it.range.start.line === place.line);
    assert(link.target.path.endsWith(WEB01) && /^L\d+/.test(link.target.fragment), String(link?.target));
  });
  await test('a preview of a whole node', async () => {
    await open(COMMON);
    const document = await previewOf('hiera.previewNode', 'profile::web::vhosts');
    assert(document.getText().includes('company::contact'));
  });
  await test('a preview of all keys of a file', async () => {
    await open(WEB);
    const document = await previewOf('hiera.previewFile', 'profile::web::vhosts');
    assert(!document.getText().includes('company::contact'));
  });
  await test('an explanation', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const document = await previewOf('hiera.explain', 'Per-role data');
    assert(document.getText().includes('goaccess'));
    const [, answer, origin] = document.getText().split('\n');
    assert.match(answer, /^the value: /);
    assert.match(origin, /^ {2}data\/.*:\d+ · level/);
  });
  await test('an explanation with nothing left out', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const short = await previewOf('hiera.explain', 'Per-role data');
    assert(await api.previews.showAll(short.uri.toString()));
    const full = vscode.workspace.textDocuments.find((it) => it.uri.toString().includes('full'));
    assert(full && full.getText().split('\n').length >= short.getText().split('\n').length);
  });
  await test('one key on all nodes', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const document = await previewOf('hiera.allNodes', 'kiosk03.kittiwake.example');
    assert(document.getText().includes('db01.kittiwake.example'));
  });
  await test('two nodes compared in a diff editor', async () => {
    await run('workbench.action.closeAllEditors');
    await open(COMMON);
    const question = { textDocument: { uri: uriOf(COMMON).toString() }, key: 'profile::base::packages' };
    assert(await api.previews.showComparison(question, { node: 'db01.kittiwake.example' }));
    const input = await until('a diff', () => {
      const it = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return it instanceof vscode.TabInputTextDiff && it;
    });
    const { label } = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.equal(label, 'profile::base::packages: web01.kittiwake.example ↔ db01.kittiwake.example');
    const text = async (uri) => (await vscode.workspace.openTextDocument(uri)).getText();
    assert((await text(input.original)).includes('goaccess'));
    assert((await text(input.modified)).includes('dnf-automatic'));
  });
  await test('unsaved changes compared with what is saved', async () => {
    await run('workbench.action.closeAllEditors');
    await withEdit(COMMON, '- htop', '- btop', async () => {
      await run('hiera.compareSaved');
      const input = await until('a diff', () => {
        const it = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        return it instanceof vscode.TabInputTextDiff && it;
      });
      const text = async (uri) => (await vscode.workspace.openTextDocument(uri)).getText();
      assert((await text(input.original)).includes('htop'));
      assert((await text(input.modified)).includes('btop'));
    });
  });
  await test('what edits change, as it is typed', async () => {
    await run('workbench.action.closeAllEditors');
    await putCursor(COMMON, 'company::domain: ', 3);
    const shown = await previewOf('hiera.changes', '0 answers change');
    assert.equal(shown.languageId, 'diff');
    await withEdit(COMMON, 'company::domain: kittiwake', 'company::domain: ferries', async (document) => {
      const text = await until('the view follows', () => shown.getText().includes('+ ferries.example') && shown.getText());
      assert.match(text, /^3 of 3 nodes change/);
      assert(text.includes('because of data/common.yaml:'), text);
      const lens = await until('a lens', async () => {
        const all = await run('vscode.executeCodeLensProvider', document.uri, 50);
        return all.find((it) => it.command.command === 'hiera.changes');
      });
      assert.match(lens.command.title, /^changes 3 of 3 nodes/);
      const item = await until('the status bar says it', () => api.editedItem.text);
      assert.equal(item, lens.command.title);
      await vscode.workspace.getConfiguration('hiera').update('statusBar.changes', false, vscode.ConfigurationTarget.Global);
      await until('unless the user does not want it', () => api.editedItem.text === undefined);
      await vscode.workspace.getConfiguration('hiera').update('statusBar.changes', undefined, vscode.ConfigurationTarget.Global);
      await until('it is there again', () => api.editedItem.text === item);
      const place = placeOf(document, 'company::domain: ');
      const actions = await run('vscode.executeCodeActionProvider', document.uri, new vscode.Range(place, place));
      const action = actions.find((it) => it.title === 'Show which nodes change');
      assert.equal(action.command.command, 'hiera.changes');
      const definitions = await run('vscode.executeDefinitionProvider', shown.uri, placeOf(shown, '+ ferries'));
      assert(definitions[0].uri.path.endsWith(COMMON));
    });
    await until('and when it is taken back', () => shown.getText().startsWith('0 answers change'));
    await until('the status bar says no more of it', () => api.editedItem.text === undefined);
  });
  await test('an unknown revision is said', async () => {
    const { uri } = await open(COMMON);
    const question = { textDocument: { uri: uri.toString() }, with: { revision: 'nowhere' } };
    await assert.rejects(api.previews.show('hiera/changes', question), /nowhere is not a commit|is not in a Git repository/);
  });
  await test('lenses carry commands of the extension', async () => {
    const { uri } = await open(WEB01);
    const lenses = await until('lenses', async () => {
      const all = await run('vscode.executeCodeLensProvider', uri, 50);
      return all.length > 0 && all;
    });
    const lens = lenses.find((it) => it.command?.command === 'hiera.preview');
    assert(lens, JSON.stringify(lenses.map((it) => it.command)));
    await previewOf(lens.command.command, '# ', ...lens.command.arguments);
  });

  await test('the view shows the levels in order, with their files and who has the key', async () => {
    await run('hiera.hierarchy.focus');
    await putCursor(COMMON, 'profile::base::packages:', 3);
    const hierarchy = await until('the hierarchy', () => {
      const { current } = api.hierarchy;
      return current?.key === 'profile::base::packages' && current;
    });
    assert.equal(hierarchy.node, 'web01.kittiwake.example');
    assert.equal(hierarchy.merge, 'unique');
    const { levels } = hierarchy.layers.find((it) => it.kind === 'environment');
    assert.deepEqual(levels.map((it) => it.name), [
      'Per-node data',
      'Per-role data',
      'Harbours',
      'Operating systems',
      'Common data',
    ]);
    const parts = levels.flatMap((it) => it.files).map((it) => [it.exists, it.key?.part ?? null]);
    assert.deepEqual(parts.map(([exists]) => exists), [true, true, true, true, true, true]);
    assert(parts.filter(([, part]) => part !== null).length >= 4, JSON.stringify(parts));
  });
  await test('a click on a level opens the key there', async () => {
    const rows = api.hierarchy.getChildren().flatMap((it) => api.hierarchy.getChildren(it));
    const { command, description } = api.hierarchy.getTreeItem(rows[0]);
    assert.equal(description, 'nodes/web01.kittiwake.example.yaml', 'paths are shown below the datadir');
    await run(command.command, ...command.arguments);
    const editor = await until('the file', () => {
      const it = vscode.window.activeTextEditor;
      return it?.document.uri.path.endsWith(WEB01) && it;
    });
    const line = editor.document.lineAt(editor.selection.active.line).text;
    assert(line.startsWith('profile::base::packages'), line);
  });
  await test('level up and level down', async () => {
    await putCursor(COMMON, 'profile::base::packages:', 3);
    await run('hiera.levelUp');
    const at = () => vscode.workspace.asRelativePath(vscode.window.activeTextEditor.document.uri);
    assert.equal(at(), 'data/os/Debian.yaml');
    await run('hiera.levelUp');
    assert.equal(at(), WEB);
    await run('hiera.levelDown');
    await run('hiera.levelDown');
    assert.equal(at(), COMMON);
  });
}

/** What depends on variables that are not known. */
async function cases(api) {
  const DATABASE = 'data/roles/database.yaml';
  const BUFFERS = 'profile::database::shared_buffers';
  const text = () => api.nodeItem.text?.replace('$(server-environment) ', '');

  await test('with no node chosen, a file is shown for any node that reads it', async () => {
    await open(DATABASE);
    await run('hiera.selectNode', null);
    await until('what the path says', () => text() === 'any node · pp_role is database · 5 facts open');
    assert.equal(api.nodes.active.chosen, false);
    assert.deepEqual(api.nodes.active.open, [
      'trusted.certname',
      'harbour',
      'facts.os.name',
      'facts.os.release.major',
      'facts.os.family',
    ]);
    await open(COMMON);
    await until('another file', () => text() === 'any node · 6 facts open');
  });
  await test('a hover lists the cases', async () => {
    const shown = await hover(DATABASE, BUFFERS);
    for (const part of ['any node where', '4GB', '`16GB` if trusted.certname is db01.kittiwake.example']) {
      assert(shown.includes(part), `${part} in ${shown}`);
    }
  });
  await test('a preview has a line for each case, and the hierarchy marks what counts for some nodes only', async () => {
    await run('hiera.hierarchy.focus');
    await putCursor(DATABASE, BUFFERS, 3);
    const document = await previewOf('hiera.preview', 'if trusted.certname is db01');
    const { lines } = api.previews.preview(document.uri);
    const line = lines.find((it) => it.kind === 'case');
    assert.match(document.lineAt(line.line).text, /# profile::database::shared_buffers: 16GB/);
    const hierarchy = await until('the hierarchy', () => api.hierarchy.current?.key === BUFFERS && api.hierarchy.current);
    const files = hierarchy.layers.flatMap((layer) => layer.levels.flatMap((level) => level.files));
    assert.deepEqual(
      files.filter((it) => it.key).map((it) => [it.label, it.key.part]),
      [
        ['data/nodes/db01.kittiwake.example.yaml', 'open'],
        [DATABASE, 'open'],
      ],
    );
    const rows = api.hierarchy.getChildren().flatMap((it) => api.hierarchy.getChildren(it));
    const items = rows.flatMap((it) => [it, ...api.hierarchy.getChildren(it)]).map((it) => api.hierarchy.getTreeItem(it));
    const open = items.find((it) => String(it.description).includes('for some nodes'));
    const byFacts = items.filter((it) => String(it.accessibilityInformation?.label).includes('depends on open facts'));
    assert(byFacts.length > 0 && byFacts.every((it) => it.contextValue !== 'missing'), 'no file can be made of an open path');
    assert(open, JSON.stringify(items.map((it) => it.description)));
  });
  await test('what is assumed changes hovers, previews and the status bar, until it is forgotten', async () => {
    await putCursor(DATABASE, BUFFERS, 3);
    const document = await previewOf('hiera.preview', 'if trusted.certname is db01');
    const [first, last] = await api.hiera.ask('hiera/cases', { textDocument: { uri: uriOf(DATABASE).toString() }, key: BUFFERS });
    assert.deepEqual(first, {
      when: 'trusted.certname is db01.kittiwake.example',
      variables: { 'trusted.certname': 'db01.kittiwake.example' },
      canBeAssumed: true,
      value: '"16GB"',
    });
    assert.deepEqual(last, { when: 'otherwise', variables: {}, canBeAssumed: false, value: '"4GB"' });
    await api.nodes.assume(first.variables);
    await until('the other value', () => /^profile::database::shared_buffers: 16GB/m.test(document.getText()));
    const shown = await hover(DATABASE, BUFFERS);
    assert(shown.includes('16GB') && !shown.includes(' if '), shown);
    assert.deepEqual(api.nodes.assumed, first.variables);
    await open(COMMON);
    await until('the status bar', () => text() === 'any node · certname is db01.kittiwake.example · 5 facts open');
    await run('hiera.forgetAssumed');
    await until('the cases again', () => document.getText().includes('if trusted.certname is db01'));
    await until('the status bar', () => text() === 'any node · 6 facts open');
  });
  await test('a chosen node counts again', async () => {
    await run('hiera.selectNode', 'web01.kittiwake.example');
    await until('web01', () => text() === 'web01.kittiwake.example');
  });
}

exports.run = async () => {
  await suite();
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) {
    throw new Error(`${failed} tests failed`);
  }
};
