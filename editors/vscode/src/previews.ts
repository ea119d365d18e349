// Read-only documents with the server's answers, kept up to date while they are shown.

import * as vscode from 'vscode';
import { type Hiera, isRefused } from './hiera';
import { type ChangesQuestion, type Comparison, Method, PREVIEW_SCHEME, type Preview, type Question } from './protocol';

/** A question to be asked again, and which document of the answer is meant. */
interface Shown {
  method: string;
  question: object;
  /** What a command asks that is run in the document. */
  about: Question;
  pick: (answer: unknown) => Preview | null;
  preview: Preview;
}

export class Previews
  implements
    vscode.TextDocumentContentProvider,
    vscode.DefinitionProvider,
    vscode.DocumentLinkProvider,
    vscode.Disposable
{
  private readonly shown = new Map<string, Shown>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: vscode.Disposable[];
  private refreshing: Promise<void> | undefined;
  private isStale = false;

  readonly onDidChange = this.changed.event;

  constructor(private readonly hiera: Hiera) {
    const documents = { scheme: PREVIEW_SCHEME };
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(PREVIEW_SCHEME, this),
      vscode.languages.registerDefinitionProvider(documents, this),
      vscode.languages.registerDocumentLinkProvider(documents, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
      hiera.onDidChange(() => this.refresh()),
      hiera.onDidChangeNode(() => this.refresh()),
      hiera.onDidStart(() => this.refresh()),
    ];
  }

  /** Shows the answer to a question beside the editor; the cursor stays where it is. `false` if there is no answer. */
  async show(method: string, question: Question | ChangesQuestion): Promise<boolean> {
    const preview = await this.hiera.ask<Preview | null>(method, question);
    if (!preview) {
      return false;
    }
    const uri = this.remember(method, question, (answer) => answer as Preview | null, preview);
    const document = await this.open(uri, preview);
    await vscode.window.showTextDocument(document, {
      viewColumn: columnOf(uri) ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
    return true;
  }

  /** Shows a document again, with nothing left out. `false` if it is not shown. */
  async showAll(uri: string): Promise<boolean> {
    const shown = this.shown.get(uri);
    return shown !== undefined && (await this.show(shown.method, { ...shown.question, full: true }));
  }

  /** Shows two sides with their differences. `false` if there is no answer. */
  async showComparison(question: Question, other: { node: string } | { saved: true }): Promise<boolean> {
    const asked = { ...question, with: other };
    const comparison = await this.hiera.ask<Comparison | null>(Method.compare, asked);
    if (!comparison) {
      return false;
    }
    const sides = [];
    for (const side of ['left', 'right'] as const) {
      const pick = (answer: unknown) => (answer as Comparison | null)?.[side] ?? null;
      const uri = this.remember(Method.compare, asked, pick, comparison[side]);
      await this.open(uri, comparison[side]);
      sides.push(uri);
    }
    const [left, right] = sides;
    await vscode.commands.executeCommand('vscode.diff', left, right, titleOf(comparison), { preview: true });
    if (!comparison.differs) {
      vscode.window.setStatusBarMessage('$(check) Hiera: both sides are the same', 5000);
    }
    return true;
  }

  /** What is shown under the URI. */
  preview(uri: vscode.Uri): Preview | undefined {
    return this.shown.get(uri.toString())?.preview;
  }

  /** What a command asks that is run in a preview. */
  questionOf(uri: vscode.Uri): Question | undefined {
    return this.shown.get(uri.toString())?.about;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const shown = this.shown.get(uri.toString());
    if (shown) {
      return shown.preview.text;
    }
    // A tab of an earlier session: the server knows what its URI asks.
    if (this.hiera.supports(Method.textDocumentContent)) {
      const answer = await this.hiera.ask<{ text: string }>(Method.textDocumentContent, { uri: uri.toString() });
      return answer.text;
    }
    return '# This preview is from an earlier session. Ask for it again.\n';
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location | undefined {
    const line = this.preview(document.uri)?.lines.find((it) => it.line === position.line);
    return line?.location ? this.hiera.location(line.location) : undefined;
  }

  /** The comments that name origins lead there, and a line that leaves something out to all of it. */
  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const links: vscode.DocumentLink[] = [];
    for (const line of this.preview(document.uri)?.lines ?? []) {
      if (line.kind === 'more' && line.line < document.lineCount) {
        const text = document.lineAt(line.line);
        const start = Math.max(text.text.search(/[^\s#]/), 0);
        const link = new vscode.DocumentLink(
          new vscode.Range(line.line, start, line.line, text.text.length),
          vscode.Uri.parse(`command:hiera.showAll?${encodeURIComponent(JSON.stringify([document.uri.toString()]))}`),
        );
        link.tooltip = 'Show all';
        links.push(link);
      }
      if (line.origin && line.location && line.line < document.lineCount) {
        const { uri, range } = this.hiera.location(line.location);
        const target = uri.with({ fragment: `L${range.start.line + 1},${range.start.character + 1}` });
        const link = new vscode.DocumentLink(
          new vscode.Range(line.line, line.origin.start, line.line, line.origin.end),
          target,
        );
        link.tooltip = 'Open where this comes from';
        links.push(link);
      }
    }
    return links;
  }

  /** Asks again for everything that is shown. While an answer is awaited, at most one more round is due. */
  refresh(): void {
    if (this.refreshing) {
      this.isStale = true;
      return;
    }
    this.refreshing = this.askAgain().finally(() => {
      this.refreshing = undefined;
      if (this.isStale) {
        this.isStale = false;
        this.refresh();
      }
    });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async askAgain(): Promise<void> {
    const answers = new Map<string, Promise<unknown>>();
    for (const [uri, shown] of [...this.shown]) {
      // The two sides of a comparison are one answer.
      const id = JSON.stringify([shown.method, shown.question]);
      try {
        const answer = answers.get(id) ?? this.hiera.ask(shown.method, shown.question);
        answers.set(id, answer);
        const preview = shown.pick(await answer);
        this.update(uri, shown, preview ?? emptied(shown.preview, 'There is nothing to show any more.'));
      } catch (error) {
        if (isRefused(error)) {
          this.update(uri, shown, emptied(shown.preview, error.message));
        } else {
          this.hiera.log.debug(`${shown.method}: ${String(error)}`);
        }
      }
    }
  }

  private update(uri: string, shown: Shown, preview: Preview): void {
    if (JSON.stringify(preview) !== JSON.stringify(shown.preview)) {
      shown.preview = preview;
      this.changed.fire(vscode.Uri.parse(uri));
    }
  }

  /** Remembers the question with the key that the server understood: the cursor will be elsewhere. */
  private remember(method: string, question: Question, pick: Shown['pick'], preview: Preview): vscode.Uri {
    const uri = vscode.Uri.parse(preview.uri);
    const { position, ...rest } = question;
    const settled = preview.key === null && position ? { ...rest, position } : rest;
    const keyed = preview.key === null ? settled : { ...settled, key: preview.key };
    const about: Question = {};
    if (question.textDocument) {
      about.textDocument = question.textDocument;
    }
    if (preview.key !== null) {
      about.key = preview.key;
    }
    this.shown.set(uri.toString(), { method, question: keyed, about, pick, preview });
    this.changed.fire(uri);
    return uri;
  }

  private async open(uri: vscode.Uri, preview: Preview): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uri);
    return document.languageId === preview.languageId
      ? document
      : vscode.languages.setTextDocumentLanguage(document, preview.languageId);
  }
}

/** A document that says why there is no answer any more. The question stays: the answer may come back. */
function emptied(preview: Preview, why: string): Preview {
  return { ...preview, text: `# ${why}\n`, lines: [] };
}

/** What is compared, said once: `profile::base::packages: web01.example.com ↔ db01.example.com`. */
function titleOf({ left, right }: Comparison): string {
  const [subject, ...leftSide] = left.title.split(' · ');
  const [sameSubject, ...rightSide] = right.title.split(' · ');
  return subject === sameSubject && leftSide.length > 0 && rightSide.length > 0
    ? `${subject}: ${leftSide.join(' · ')} ↔ ${rightSide.join(' · ')}`
    : `${left.title} ↔ ${right.title}`;
}

/** The column that shows the document already. */
function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const isShown = (tab: vscode.Tab) =>
    tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
  return vscode.window.tabGroups.all.find((group) => group.tabs.some(isShown))?.viewColumn;
}
