// Which node answers are for: choosing a node or a case, and knowing what the active editor is shown for.

import * as vscode from 'vscode';
import { type Hiera, isHieraDocument, isRefused } from './hiera';
import { shortName } from './node_text';
import { type ActiveNode, Method, type NodeItem } from './protocol';

/** A node to choose, or (`undefined`) any node that reads a file. */
interface NodePick extends vscode.QuickPickItem {
  node: NodeItem | undefined;
}

export class Nodes implements vscode.Disposable {
  private current: ActiveNode | undefined;
  /** The user's choice, which a server that starts does not know; `undefined` if there was none. */
  private chosen: string | null | undefined;
  /** What the user assumes, by variable. */
  private wanted: Record<string, string> = {};
  /** The document that was asked about last: beside a preview, it is still the one that is meant. */
  private document: string | undefined;
  /** Counts the questions, and says which one was answered last: an older answer that comes later does not count. */
  private asked = 0;
  private answered = 0;
  private readonly changed = new vscode.EventEmitter<ActiveNode | undefined>();
  private readonly subscriptions: vscode.Disposable[];

  /** The active editor is shown for another node. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly hiera: Hiera) {
    this.subscriptions = [
      this.changed,
      hiera.onDidStart(() => void this.restore()),
      hiera.onDidChangeNode(() => void this.reload()),
      vscode.window.onDidChangeActiveTextEditor(() => void this.reload()),
      // Fact sets may have come or gone.
      hiera.onDidChange(() => void this.reload()),
    ];
  }

  /** The node that the active editor is shown for, if any is known; without such an editor, the last one stays. */
  get active(): ActiveNode | undefined {
    return this.current;
  }

  async all(): Promise<NodeItem[]> {
    return this.hiera.ask<NodeItem[]>(Method.nodes);
  }

  /** Makes a node the active one, or (`null`) any node that reads a file; without a name, the user chooses. */
  async select(name?: string | null): Promise<void> {
    if (name !== undefined) {
      return this.choose(name);
    }
    const nodes = await this.some();
    if (nodes.length > 0) {
      const picked = await show(
        [this.anyNode(), ...nodes.map((node) => this.pickOf(node))],
        'Show the values of which node?',
      );
      if (picked) {
        await this.choose(picked.node?.name ?? null);
      }
    }
  }

  /** What is assumed about variables that are not known, by name. */
  get assumed(): Record<string, string> {
    return Object.fromEntries((this.current?.assumed ?? []).map(({ name, value }) => [name, value]));
  }

  /** Makes all answers hold for nodes where these variables have these texts; with none, nothing is assumed any more. */
  async assume(variables: Record<string, string>): Promise<void> {
    await this.hiera.ask<ActiveNode | null>(Method.assume, { variables });
    this.wanted = variables;
    await this.reload();
  }

  /** Lets the user choose a node other than `except`; `undefined` if nothing is chosen. */
  async pick(title: string, except?: string): Promise<NodeItem | undefined> {
    const nodes = await this.some(except);
    return nodes.length === 0
      ? undefined
      : (
          await show(
            nodes.map((node) => this.pickOf(node)),
            title,
          )
        )?.node;
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** All nodes but `except`; tells the user if there are none. */
  private async some(except?: string): Promise<NodeItem[]> {
    const nodes = (await this.all()).filter((node) => node.name !== except);
    if (nodes.length === 0) {
      const what = except === undefined ? 'No node is known' : 'There is no other node';
      void vscode.window.showInformationMessage(
        `${what}: put fact sets below .hiera-ls/facts or spec/factsets, or name their files in the setting hiera.facts.`,
      );
    }
    return nodes;
  }

  private async choose(name: string | null): Promise<void> {
    await this.hiera.ask<ActiveNode | null>(Method.selectNode, { name });
    this.chosen = name;
    await this.reload();
  }

  /** Tells a server that has started what the user chose and assumed before. */
  private async restore(): Promise<void> {
    try {
      if (this.chosen !== undefined) {
        await this.hiera.ask<ActiveNode | null>(Method.selectNode, { name: this.chosen });
      }
      if (Object.keys(this.wanted).length > 0) {
        await this.hiera.ask<ActiveNode | null>(Method.assume, { variables: this.wanted });
      }
    } catch (error) {
      if (isRefused(error)) {
        this.chosen = undefined;
        this.wanted = {};
        void vscode.window.showWarningMessage(`The node of before can no longer be shown: ${error.message}`);
      } else {
        this.hiera.log.debug(`nodes: ${String(error)}`);
      }
    }
    await this.reload();
  }

  private async reload(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document && isHieraDocument(document)) {
      this.document = document.uri.toString();
    }
    if (this.document === undefined) {
      return;
    }
    this.asked += 1;
    const { asked } = this;
    try {
      const textDocument = { uri: this.document };
      const node = await this.hiera.ask<ActiveNode | null>(Method.nodeOf, { textDocument });
      if (asked > this.answered) {
        this.answered = asked;
        this.set(node ?? undefined);
      }
    } catch (error) {
      this.hiera.log.debug(`nodes: ${String(error)}`);
    }
  }

  private set(node: ActiveNode | undefined): void {
    if (JSON.stringify(node) !== JSON.stringify(this.current)) {
      this.current = node;
      this.changed.fire(node);
    }
  }

  private anyNode(): NodePick {
    const mark = this.current && !this.current.chosen ? '$(circle-filled)' : '$(circle-outline)';
    return {
      label: `${mark} any node`,
      detail: 'values are for any node that reads the file, with all cases',
      node: undefined,
    };
  }

  private pickOf(node: NodeItem): NodePick {
    const isChosen = this.current?.chosen === true && this.current.name === node.name;
    const facts = (node.facts ?? []).map(({ name, value }) => `${shortName(name)}: ${value}`).join('  ·  ');
    return {
      label: `${isChosen ? '$(circle-filled)' : '$(circle-outline)'} ${node.name}`,
      description: `${node.environment} · ${originOf(node)}`,
      detail: facts,
      node,
    };
  }
}

function show(picks: NodePick[], title: string): Thenable<NodePick | undefined> {
  return vscode.window.showQuickPick(picks, { title, matchOnDescription: true, matchOnDetail: true });
}

/** Where a node's facts come from, as people say it. */
export function originOf(node: NodeItem): string {
  const words: Record<string, string> = { name: 'only its name is known', any: 'no single machine' };
  return words[node.origin] ?? vscode.workspace.asRelativePath(vscode.Uri.file(node.origin));
}
