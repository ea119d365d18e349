// The sample nodes: choosing one, and knowing which is active.

import * as vscode from 'vscode';
import type { Hiera } from './hiera';
import { Method, type NodeItem } from './protocol';

interface NodePick extends vscode.QuickPickItem {
  node?: NodeItem;
}

export class Nodes implements vscode.Disposable {
  private current: NodeItem | undefined;
  private readonly changed = new vscode.EventEmitter<NodeItem | undefined>();
  private readonly subscriptions: vscode.Disposable[];

  /** The active node is another one. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly hiera: Hiera) {
    this.subscriptions = [
      this.changed,
      hiera.onDidStart(() => void this.reload()),
      hiera.onDidChangeNode((node) => this.set(node ?? undefined)),
      // Fact sets may have come or gone.
      hiera.onDidChange(() => void this.reload()),
    ];
  }

  /** The active node, if any is known. */
  get active(): NodeItem | undefined {
    return this.current;
  }

  async all(): Promise<NodeItem[]> {
    return this.hiera.ask<NodeItem[]>(Method.nodes);
  }

  /** Makes a node the active one; without a name, the user chooses. */
  async select(name?: string): Promise<void> {
    const chosen = name ?? (await this.pick('Show the values of which node?'))?.name;
    if (chosen !== undefined) {
      this.set((await this.hiera.ask<NodeItem | null>(Method.selectNode, { name: chosen })) ?? undefined);
    }
  }

  /** Lets the user choose a node; `undefined` if nothing is chosen. */
  async pick(title: string, except?: string): Promise<NodeItem | undefined> {
    const nodes = (await this.all()).filter((node) => node.name !== except);
    if (nodes.length === 0) {
      const what = except === undefined ? 'No node is known' : 'There is no other node';
      void vscode.window.showInformationMessage(
        `${what}: put fact sets below .hiera-ls/facts or spec/factsets, or name their files in the setting hiera.facts.`,
      );
      return undefined;
    }
    const items = nodes.map((node) => pickOf(node));
    const picked = await vscode.window.showQuickPick<NodePick>(items, { title, matchOnDescription: true, matchOnDetail: true });
    return picked?.node;
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async reload(): Promise<void> {
    try {
      const nodes = await this.all();
      const known = nodes.find((it) => it.active && it.name === this.current?.name);
      this.set(known ?? nodes.find((it) => it.active));
    } catch (error) {
      this.hiera.log.debug(`nodes: ${String(error)}`);
    }
  }

  private set(node: NodeItem | undefined): void {
    if (node?.name !== this.current?.name || node?.environment !== this.current?.environment) {
      this.current = node;
      this.changed.fire(node);
    }
  }
}

/** Where a node's facts come from, as people say it. */
export function originOf(node: NodeItem): string {
  if (node.origin === 'inferred') {
    return 'inferred from the data files';
  }
  return vscode.workspace.asRelativePath(vscode.Uri.file(node.origin));
}

function pickOf(node: NodeItem): NodePick {
  const facts = (node.facts ?? []).map(({ name, value }) => `${shortName(name)}: ${value}`).join('  ·  ');
  return {
    label: `${node.active ? '$(circle-filled)' : '$(circle-outline)'} ${node.name}`,
    description: `${node.environment} · ${originOf(node)}`,
    detail: facts,
    node,
  };
}

/** A variable without where it stands, which goes without saying: `pp_role`, `os.name`. */
function shortName(name: string): string {
  return name.replace(/^(?:::)?(?:trusted\.extensions\.|trusted\.|facts\.)?/, '');
}
