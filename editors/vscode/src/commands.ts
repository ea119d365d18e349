// The commands.

import * as vscode from 'vscode';
import type { Location } from 'vscode-languageclient/node';
import { pickCase } from './cases';
import { type Hiera, isHieraDocument, NotSupported } from './hiera';
import { missingFileOf } from './hierarchy_view';
import type { Nodes } from './nodes';
import type { Previews } from './previews';
import { type Before, type ChangesQuestion, Method, type Question } from './protocol';
import { questionOf } from './questions';

export interface Parts {
  hiera: Hiera;
  nodes: Nodes;
  previews: Previews;
  restart: () => Promise<void>;
}

const NOTHING_HERE = 'There is no Hiera key here: put the cursor on a key or a %{lookup(…)} of a data file.';

export function registerCommands({ hiera, nodes, previews, restart }: Parts): vscode.Disposable {
  const preview = async (method: string, question: Question | undefined) => {
    if (!question || !(await previews.show(method, question))) {
      void vscode.window.showInformationMessage(NOTHING_HERE);
    }
  };
  const asked = (argument: unknown) => questionOf(argument, previews);
  const ofFile = (): Question | undefined => {
    const document = vscode.window.activeTextEditor?.document;
    return document && isHieraDocument(document) ? { textDocument: { uri: document.uri.toString() } } : undefined;
  };

  const commands: Record<string, (argument?: unknown) => Promise<void>> = {
    'hiera.preview': (argument) => preview(Method.mergedValue, asked(argument)),
    'hiera.explain': (argument) => preview(Method.explain, asked(argument)),
    'hiera.allNodes': (argument) => preview(Method.allNodes, asked(argument)),
    // Only lines of a preview that leave something out lead here.
    'hiera.showAll': async (argument) => {
      if (typeof argument === 'string') {
        await previews.showAll(argument);
      }
    },
    'hiera.previewFile': () => {
      const question = ofFile();
      return preview(Method.mergedValue, question && { ...question, scope: 'file' });
    },
    'hiera.previewNode': () => preview(Method.mergedValue, { ...ofFile(), scope: 'node' }),
    'hiera.lookup': async () => {
      const key = await vscode.window.showInputBox({
        title: 'Look up a key',
        prompt: 'As in a lookup: profile::base::packages, or a::b.c.0',
      });
      if (key?.trim()) {
        await preview(Method.mergedValue, { ...ofFile(), key: key.trim() });
      }
    },
    'hiera.compare': async (argument) => {
      // Without a key at the cursor, everything that the nodes get is compared.
      const question = asked(argument) ?? { scope: 'node' as const };
      // "Any node" is compared with as if it were one: the question names none.
      const left = question.node ?? nodes.active?.name;
      const other = await nodes.pick(`Compare ${left ?? 'the active node'} with`, left);
      if (other && !(await previews.showComparison(question, { node: other.name }))) {
        await previews.showComparison({ ...ofFile(), scope: 'node' }, { node: other.name });
      }
    },
    'hiera.compareSaved': async () => {
      const question = ofFile();
      if (!question || !(await previews.showComparison({ ...question, scope: 'node' }, { saved: true }))) {
        void vscode.window.showInformationMessage('Open a data file of a Hiera environment first.');
      }
    },
    'hiera.changes': async () => {
      await showChanges(previews, ofFile());
    },
    'hiera.changesSince': async () => {
      const question = ofFile();
      const before = await chooseBefore();
      if (before) {
        await showChanges(previews, question, before);
      }
    },
    'hiera.selectNode': (argument) =>
      nodes.select(typeof argument === 'string' || argument === null ? argument : undefined),
    'hiera.pickCase': async (argument) => {
      const question = asked(argument);
      if (!question || !(await pickCase(hiera, nodes, question))) {
        void vscode.window.showInformationMessage(NOTHING_HERE);
      }
    },
    'hiera.forgetAssumed': () => nodes.assume({}),
    'hiera.levelUp': () => jump(hiera, Method.levelUp, 'No higher level has this key.'),
    'hiera.levelDown': () => jump(hiera, Method.levelDown, 'No lower level has this key.'),
    'hiera.createFile': async (row) => {
      const uri = missingFileOf(row);
      if (uri) {
        await vscode.window.showTextDocument(uri.with({ scheme: 'untitled' }));
      }
    },
    'hiera.restart': restart,
    'hiera.showLog': () => Promise.resolve(hiera.log.show()),
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, (argument?: unknown) => complaining(hiera, () => run(argument))),
  );
  return vscode.Disposable.from(...registered);
}

/** Shows which nodes the edits of an environment change. */
async function showChanges(previews: Previews, question: Question | undefined, before?: Before): Promise<void> {
  const asked: ChangesQuestion = { ...question, documentOnly: true, ...(before && { with: before }) };
  if (!(await previews.show(Method.changes, asked))) {
    void vscode.window.showInformationMessage('There is no Hiera environment here: open one of its data files.');
  }
}

/** Lets the user say what edits are compared with. */
async function chooseBefore(): Promise<Before | undefined> {
  const saved = { label: 'The saved files', description: 'your unsaved edits' };
  const head = { label: 'HEAD', description: 'the last commit' };
  const other = { label: 'A revision…', description: 'a commit, branch or tag' };
  const choice = await vscode.window.showQuickPick([saved, head, other], {
    title: 'What your edits change, compared with',
  });
  if (choice === saved) {
    return { saved: true };
  }
  const revision =
    choice === other
      ? await vscode.window.showInputBox({
          title: 'Compare with a revision',
          prompt: 'A commit, branch or tag: origin/main, v1.0, HEAD~3',
        })
      : choice?.label;
  return revision?.trim() ? { revision: revision.trim() } : undefined;
}

/** Goes to the same key in another level. */
async function jump(hiera: Hiera, method: string, none: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isHieraDocument(editor.document)) {
    void vscode.window.showInformationMessage(NOTHING_HERE);
    return;
  }
  const { line, character } = editor.selection.active;
  const place = await hiera.ask<Location | null>(method, {
    textDocument: { uri: editor.document.uri.toString() },
    position: { line, character },
  });
  if (!place) {
    vscode.window.setStatusBarMessage(`$(info) ${none}`, 5000);
    return;
  }
  const { uri, range } = hiera.location(place);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(range.start, range.start) });
}

/** Says what went wrong, rather than leaving it to the log. Does not wait for the user to read it. */
async function complaining(hiera: Hiera, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    hiera.log.error(message);
    const shown =
      error instanceof NotSupported
        ? vscode.window.showWarningMessage(message, 'Show Log')
        : vscode.window.showErrorMessage(`Hiera: ${message}`, 'Show Log');
    void shown.then((choice) => choice && hiera.log.show());
  }
}
