// The item in the status bar: which node the values are for, and how many facts are open.

import * as vscode from 'vscode';
import type { Hiera } from './hiera';
import { inWords, partsOf, textOf } from './node_text';
import type { Nodes } from './nodes';
import type { ActiveNode } from './protocol';

export class NodeItemInStatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('hiera.node', vscode.StatusBarAlignment.Left, 40);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly hiera: Hiera,
    private readonly nodes: Nodes,
  ) {
    this.item.name = 'Hiera Node';
    this.item.command = 'hiera.selectNode';
    const show = () => this.show();
    this.subscriptions = [this.item, nodes.onDidChange(show), hiera.onDidStart(show), hiera.onDidStop(show)];
  }

  /** What the item says; undefined while it is hidden. */
  get text(): string | undefined {
    return this.hiera.isRunning && this.nodes.active ? this.item.text : undefined;
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(): void {
    const node = this.nodes.active;
    if (!node || !this.hiera.isRunning) {
      this.item.hide();
      void vscode.commands.executeCommand('setContext', 'hiera.assuming', false);
      return;
    }
    this.item.text = `$(server-environment) ${textOf(node)}`;
    this.item.tooltip = tooltipOf(node);
    this.item.accessibilityInformation = { label: `Hiera: ${textOf(node)}` };
    this.item.show();
    void vscode.commands.executeCommand('setContext', 'hiera.assuming', (node.assumed ?? []).length > 0);
  }
}

function tooltipOf(node: ActiveNode): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const line = (text: string) => tooltip.appendMarkdown(`${text}\n\n`);
  const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;
  const list = (texts: string[]) => line(texts.map((it) => `- ${code(it)}`).join('\n'));
  const { name, ways } = partsOf(node);
  line(
    name === 'any node' ? 'Values are for any node that reads this file.' : `Values are for the node ${code(name)}.`,
  );
  const assumed = (node.assumed ?? []).map(inWords);
  const proved = (ways[0] ?? []).filter((it) => !assumed.includes(it));
  if (ways.length > 1) {
    line("The file's path says one of these:");
    list(ways.map((it) => it.join(' and ')));
  } else if (proved.length > 0) {
    line("The file's path says:");
    list(proved);
  }
  if (assumed.length > 0) {
    line('Assumed, until you forget it:');
    list(assumed);
  }
  const open = node.open ?? [];
  if (open.length > 0) {
    line('The hierarchy uses these facts, but their values are not known:');
    list(open);
    line('Where a value depends on them, all cases are shown.');
  }
  line('Click to select a node.');
  return tooltip;
}
