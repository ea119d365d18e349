// What the user asks about: the key at the cursor, or what a lens or a view hands over.

import * as vscode from 'vscode';
import { isHieraDocument } from './hiera';
import type { Previews } from './previews';
import { PREVIEW_SCHEME, type Question } from './protocol';

/** The question of a command: its argument, else the cursor's. `undefined` if there is nothing to ask about. */
export function questionOf(argument: unknown, previews: Previews): Question | undefined {
  if (isQuestion(argument)) {
    return argument;
  }
  const editor = vscode.window.activeTextEditor;
  if (editor && (!(argument instanceof vscode.Uri) || sameDocument(editor, argument))) {
    return questionAt(editor.document, editor.selection.active, previews);
  }
  return undefined;
}

/** The question about a place in a document. */
export function questionAt(
  document: vscode.TextDocument,
  position: vscode.Position,
  previews: Previews,
): Question | undefined {
  if (document.uri.scheme === PREVIEW_SCHEME) {
    return previews.questionOf(document.uri);
  }
  if (!isHieraDocument(document)) {
    return undefined;
  }
  return {
    textDocument: { uri: document.uri.toString() },
    position: { line: position.line, character: position.character },
  };
}

/** Buttons in an editor's title hand over its URI; lenses and views a question. */
function isQuestion(argument: unknown): argument is Question {
  return (
    typeof argument === 'object' &&
    argument !== null &&
    !(argument instanceof vscode.Uri) &&
    ('key' in argument || 'textDocument' in argument)
  );
}

function sameDocument(editor: vscode.TextEditor, uri: vscode.Uri): boolean {
  return editor.document.uri.toString() === uri.toString();
}
