// The item in the status bar: whom the values are for, and how much of it nobody knows.

import * as vscode from 'vscode';
import type { Hiera } from './hiera';
import { type Nodes, shortName } from './nodes';
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

/** `any node · variant is alice · 2 facts open`. */
export function textOf(node: ActiveNode): string {
  const assumed = saidBeside(node);
  const name = node.name.replace(/^any node where /, 'any node · ').replace(/[\w.:]+ is /g, shortName);
  const open = node.open?.length ?? 0;
  const words = open === 0 ? undefined : `${open} ${open === 1 ? 'fact' : 'facts'} open`;
  return [name, ...assumed.map((it) => it.replace(/^\S+/, shortName)), words].filter(Boolean).join(' · ');
}

/** What is assumed and not part of the node's name. */
function saidBeside(node: ActiveNode): string[] {
  const all = (node.assumed ?? []).map(({ name, value }) => `${name} is ${value}`);
  return all.filter((it) => !node.name.includes(it));
}

function tooltipOf(node: ActiveNode): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const line = (text: string) => tooltip.appendMarkdown(`${text}\n\n`);
  const list = (names: string[]) => line(names.map((it) => `- ${it}`).join('\n'));
  const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;
  line(node.chosen ? `Values are for the node ${code(node.name)}.` : `Values are for ${code(node.name)} that reads this file.`);
  const assumed = node.assumed ?? [];
  if (assumed.length > 0) {
    line('Assumed, until you forget it:');
    list(assumed.map(({ name, value }) => `${code(name)} is ${code(value)}`));
  }
  const open = node.open ?? [];
  if (open.length > 0) {
    line('The hierarchy asks for these, and nobody knows them:');
    list(open.map(code));
    line('Where a value depends on them, all cases are shown.');
  }
  line('Click to select a node.');
  return tooltip;
}
