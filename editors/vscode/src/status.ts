// The language status item: which node's values are shown, and how the server is.

import * as vscode from 'vscode';
import { DOCUMENTS, type Hiera } from './hiera';
import { textOf } from './node_text';
import type { Nodes } from './nodes';
import type { ServerStatus } from './protocol';

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('hiera.status', DOCUMENTS);
  private readonly subscriptions: vscode.Disposable[];
  private status: ServerStatus = { health: 'ok', quiescent: false, message: null };
  private problem: string | undefined;

  constructor(
    private readonly hiera: Hiera,
    private readonly nodes: Nodes,
  ) {
    this.item.name = 'Hiera';
    const show = () => this.show();
    this.subscriptions = [
      this.item,
      nodes.onDidChange(show),
      hiera.onDidStart(() => {
        this.problem = undefined;
        this.status = { health: 'ok', quiescent: true, message: null };
        show();
      }),
      hiera.onDidStop(show),
      hiera.onDidChangeStatus((status) => {
        this.status = status;
        show();
      }),
    ];
    show();
  }

  /** The server does not start. */
  fail(problem: string): void {
    this.problem = problem;
    this.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(): void {
    if (this.problem !== undefined || !this.hiera.isRunning) {
      this.item.busy = this.problem === undefined;
      this.item.severity =
        this.problem === undefined ? vscode.LanguageStatusSeverity.Information : vscode.LanguageStatusSeverity.Error;
      this.item.text = this.problem === undefined ? 'Hiera: starting' : 'Hiera: no server';
      this.item.detail = this.problem ?? '';
      this.item.command = { title: 'Show Log', command: 'hiera.showLog' };
      return;
    }
    const node = this.nodes.active;
    this.item.busy = !this.status.quiescent;
    this.item.severity = SEVERITIES[this.status.health];
    this.item.text = node ? `Hiera: ${textOf(node)}` : 'Hiera';
    // Short: what does not fit is cut, and the button with it.
    this.item.detail = this.status.message ?? node?.environment ?? '';
    this.item.command = { title: 'Select Node', command: 'hiera.selectNode' };
  }
}

const SEVERITIES: Record<ServerStatus['health'], vscode.LanguageStatusSeverity> = {
  ok: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};
