// Hiera for VS Code: starts the server in workspaces with a hiera.yaml, and shows what it knows.

import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { Decorations } from './decorations';
import { EditedItemInStatusBar } from './edited_item';
import { Hiera } from './hiera';
import { HierarchyView } from './hierarchy_view';
import { NodeItemInStatusBar } from './node_item';
import { Nodes } from './nodes';
import { Previews } from './previews';
import { NoServer } from './server_binary';
import type { Manifest } from './settings';
import { Status } from './status';

/** What other extensions, and the tests, may use. */
export interface Api {
  hiera: Hiera;
  nodes: Nodes;
  previews: Previews;
  hierarchy: HierarchyView;
  nodeItem: NodeItemInStatusBar;
  editedItem: EditedItemInStatusBar;
}

let running: Hiera | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const log = vscode.window.createOutputChannel('Hiera', { log: true });
  const hiera = new Hiera(context.extensionPath, context.extension.packageJSON as Manifest, log);
  running = hiera;
  const nodes = new Nodes(hiera);
  const previews = new Previews(hiera);
  const status = new Status(hiera, nodes);
  const nodeItem = new NodeItemInStatusBar(hiera, nodes);
  const editedItem = new EditedItemInStatusBar(hiera);
  const hierarchy = new HierarchyView(hiera, previews);

  const start = async () => {
    try {
      await hiera.start();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.error(message);
      status.fail(message);
      void complain(message, error instanceof NoServer, log);
    }
  };

  context.subscriptions.push(
    log,
    hiera,
    nodes,
    previews,
    status,
    nodeItem,
    editedItem,
    hierarchy,
    new Decorations(previews),
    registerCommands({ hiera, nodes, previews, restart: start }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void start()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('hiera.server')) {
        void start();
      }
    }),
  );
  await vscode.commands.executeCommand('setContext', 'hiera.active', true);
  await start();
  return { hiera, nodes, previews, hierarchy, nodeItem, editedItem };
}

/** Waits for the server to end. */
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}

async function complain(message: string, isMissing: boolean, log: vscode.LogOutputChannel): Promise<void> {
  const choices = isMissing ? ['Open Settings', 'Show Log'] : ['Show Log'];
  const choice = await vscode.window.showErrorMessage(message, ...choices);
  if (choice === 'Open Settings') {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'hiera.server.path');
  } else if (choice === 'Show Log') {
    log.show();
  }
}
