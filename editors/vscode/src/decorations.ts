// How lines of a preview look: what does not count is faint, what fails is red.

import * as vscode from 'vscode';
import type { Previews } from './previews';
import { PREVIEW_SCHEME, type PreviewLineKind } from './protocol';

/** How lines look, by kind; kinds that are not here look like any text. */
const LOOKS: Partial<Record<PreviewLineKind, vscode.DecorationRenderOptions>> = {
  overridden: { opacity: '0.6', fontStyle: 'italic' },
  removed: { opacity: '0.6', textDecoration: 'line-through' },
  case: { fontStyle: 'italic', color: new vscode.ThemeColor('editorInfo.foreground') },
  opaque: { color: new vscode.ThemeColor('editorWarning.foreground') },
  error: { color: new vscode.ThemeColor('editorError.foreground') },
  more: { opacity: '0.75', fontStyle: 'italic' },
  outlier: { isWholeLine: true, backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground') },
};

const ORIGIN: vscode.DecorationRenderOptions = { opacity: '0.75', fontStyle: 'italic' };

export class Decorations implements vscode.Disposable {
  private readonly kinds = new Map<PreviewLineKind, vscode.TextEditorDecorationType>();
  private readonly origin = vscode.window.createTextEditorDecorationType(ORIGIN);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly previews: Previews) {
    for (const [kind, look] of Object.entries(LOOKS)) {
      this.kinds.set(kind as PreviewLineKind, vscode.window.createTextEditorDecorationType(look));
    }
    this.subscriptions = [
      this.origin,
      ...this.kinds.values(),
      vscode.window.onDidChangeVisibleTextEditors(() => this.decorateAll()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === PREVIEW_SCHEME) {
          this.decorateAll();
        }
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private decorateAll(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const preview = this.previews.preview(editor.document.uri);
      // The text arrives after the answer: until then, lines would be the wrong ones.
      if (preview && preview.text === editor.document.getText()) {
        this.decorate(editor, preview.lines);
      }
    }
  }

  private decorate(
    editor: vscode.TextEditor,
    lines: readonly { line: number; kind: PreviewLineKind; origin: { start: number; end: number } | null }[],
  ): void {
    for (const [kind, type] of this.kinds) {
      // Only the value, without the indentation and the origin after it.
      const ranges = lines
        .filter((it) => it.kind === kind)
        .map(({ line, origin }) => {
          const text = editor.document.lineAt(line);
          const end = origin ? text.text.slice(0, origin.start).trimEnd().length : text.text.length;
          return new vscode.Range(line, Math.min(text.firstNonWhitespaceCharacterIndex, end), line, end);
        });
      editor.setDecorations(type, ranges);
    }
    const origins = lines.flatMap(({ line, origin }) =>
      origin ? [new vscode.Range(line, origin.start, line, origin.end)] : [],
    );
    editor.setDecorations(this.origin, origins);
  }
}
