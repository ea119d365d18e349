// The item in the status bar that says what the edit of the key under the cursor changes: "changes 66 of 622 nodes".

import * as vscode from 'vscode';
import { type Hiera, isHieraDocument } from './hiera';
import { type EditedKey, Method } from './protocol';

/** So long nothing may be typed before the server is asked. */
const QUIET_MILLISECONDS = 150;

const SETTING = 'hiera.statusBar.changes';

export class EditedItemInStatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('hiera.edited', vscode.StatusBarAlignment.Left, 39);
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private question: vscode.CancellationTokenSource | undefined;
  /** The document that was asked about last, and its edited keys. */
  private document: string | undefined;
  private edited: readonly EditedKey[] = [];
  private shown: string | undefined;

  constructor(private readonly hiera: Hiera) {
    this.item.name = 'Hiera: What the Edited Key Changes';
    this.item.command = 'hiera.changes';
    const later = () => this.later();
    this.subscriptions = [
      this.item,
      hiera.onDidStart(later),
      hiera.onDidStop(() => this.forget()),
      hiera.onDidChange(later),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.forget();
        this.later();
      }),
      vscode.window.onDidChangeTextEditorSelection(() => this.show()),
      vscode.workspace.onDidChangeTextDocument(later),
      vscode.workspace.onDidSaveTextDocument(later),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTING)) {
          this.forget();
          this.later();
        }
      }),
    ];
  }

  /** What the item says; undefined while it is hidden. */
  get text(): string | undefined {
    return this.shown;
  }

  dispose(): void {
    this.stop();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The data file that is edited, if the user wants to know. */
  private get editor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    const isWanted = vscode.workspace.getConfiguration().get<boolean>(SETTING, true);
    const isAsked = isWanted && this.hiera.supports(Method.editedKeys);
    return isAsked && editor && isHieraDocument(editor.document) ? editor : undefined;
  }

  /** Asks when the user pauses. */
  private later(): void {
    this.stop();
    this.timer = setTimeout(() => void this.ask(), QUIET_MILLISECONDS);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.question?.cancel();
    this.question = undefined;
  }

  private async ask(): Promise<void> {
    const document = this.editor?.document;
    if (!document) {
      return this.forget();
    }
    const question = new vscode.CancellationTokenSource();
    this.question = question;
    const uri = document.uri.toString();
    try {
      const edited = await this.hiera.ask<EditedKey[] | null>(Method.editedKeys, { textDocument: { uri } }, question.token);
      if (this.question === question) {
        [this.document, this.edited] = [uri, edited ?? []];
        this.show();
      }
    } catch (error) {
      // The text was edited meanwhile, and the next question is on its way; or the server is gone.
      this.hiera.log.debug(String(error));
    }
  }

  private forget(): void {
    this.edited = [];
    this.show();
  }

  private show(): void {
    const editor = this.editor;
    const isHere = editor?.document.uri.toString() === this.document;
    const line = editor?.selection.active.line ?? -1;
    const isAround = ({ range }: EditedKey) => range.start.line <= line && line <= range.end.line;
    const edited = isHere ? this.edited.find(isAround) : undefined;
    this.shown = edited?.title;
    if (!edited) {
      return this.item.hide();
    }
    this.item.text = `$(diff) ${edited.title}`;
    this.item.tooltip = `The edit of ${edited.key} ${edited.title}. Click to see the values.`;
    this.item.accessibilityInformation = { label: `Hiera: ${edited.key} ${edited.title}` };
    this.item.show();
  }
}
