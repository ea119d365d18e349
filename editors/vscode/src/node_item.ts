// The item in the status bar: which node the values are for, and how many facts are open.

import * as vscode from 'vscode';
import type { Hiera } from './hiera';
import { type Nodes, shortName } from './nodes';
import type { ActiveNode, Fact } from './protocol';

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

/** Longer texts would be cut off where windows are narrow. */
const MAX_CHARACTERS = 60;

/** `any node · variant is alice · 2 facts open`. What does not fit is in the tooltip. */
export function textOf(node: ActiveNode): string {
  const open = node.open?.length ?? 0;
  const openWords = open === 0 ? undefined : `${open} ${open === 1 ? 'fact' : 'facts'} open`;
  const line = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' · ');
  const { name, conditions } = partsOf(node);
  const assumed = (node.assumed ?? []).map(inWords);
  const all = [...conditions, ...assumed.filter((it) => !conditions.includes(it))];
  const short = (words: string[]) => words.map(shortName).join(' and ');
  const whole = line(name, short(all), openWords);
  if (whole.length <= MAX_CHARACTERS || assumed.length === 0) {
    return whole;
  }
  const withoutPath = line(name, short(assumed), openWords);
  const count = `${assumed.length} ${assumed.length === 1 ? 'fact' : 'facts'} assumed`;
  return withoutPath.length <= MAX_CHARACTERS ? withoutPath : line(name, count, openWords);
}

const ANY_NODE = 'any node where ';

/** What a node is called, and what is known of any node that is meant. */
function partsOf({ name }: ActiveNode): { name: string; conditions: string[] } {
  return name.startsWith(ANY_NODE)
    ? { name: 'any node', conditions: name.slice(ANY_NODE.length).split(' and ') }
    : { name, conditions: [] };
}

function inWords({ name, value }: Fact): string {
  return `${name} is ${value === '' ? 'empty' : value}`;
}

function tooltipOf(node: ActiveNode): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const line = (text: string) => tooltip.appendMarkdown(`${text}\n\n`);
  const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;
  const list = (texts: string[]) => line(texts.map((it) => `- ${code(it)}`).join('\n'));
  const { name, conditions } = partsOf(node);
  line(
    name === 'any node' ? 'Values are for any node that reads this file.' : `Values are for the node ${code(name)}.`,
  );
  const assumed = (node.assumed ?? []).map(inWords);
  const proved = conditions.filter((it) => !assumed.includes(it));
  if (proved.length > 0) {
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
