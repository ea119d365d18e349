// The view with the hierarchy: the levels that the active node's lookups ask, in order, and who has the key at the cursor.

import * as vscode from 'vscode';
import { type Hiera, isHieraDocument } from './hiera';
import type { Previews } from './previews';
import {
  type Hierarchy,
  type HierarchyFile,
  type HierarchyLayer,
  type HierarchyLevel,
  Method,
  type Part,
  type Question,
} from './protocol';
import { questionAt } from './questions';

/** How long the cursor must rest before the view follows it. */
const REST_MS = 120;

type Row =
  | { kind: 'layer'; layer: HierarchyLayer; hierarchy: Hierarchy }
  | { kind: 'level'; level: HierarchyLevel; layer: HierarchyLayer }
  | { kind: 'file'; file: HierarchyFile; level: HierarchyLevel; path: string; isAlone: boolean };

export class HierarchyView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private hierarchy: Hierarchy | undefined;
  private asked: Question | undefined;
  private lastKey: string | undefined;
  private shownAs = '';
  private timer: NodeJS.Timeout | undefined;
  private pending: vscode.CancellationTokenSource | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Row>;
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly hiera: Hiera,
    private readonly previews: Previews,
  ) {
    this.view = vscode.window.createTreeView('hiera.hierarchy', { treeDataProvider: this, showCollapseAll: false });
    const soon = () => this.refreshSoon();
    this.subscriptions = [
      this.changed,
      this.view,
      this.view.onDidChangeVisibility(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) {
          soon();
        }
      }),
      hiera.onDidStart(soon),
      hiera.onDidStop(soon),
      hiera.onDidChange(soon),
      hiera.onDidChangeNode(soon),
    ];
    soon();
  }

  /** What is shown now. */
  get current(): Hierarchy | undefined {
    return this.hierarchy;
  }

  getChildren(row?: Row): Row[] {
    if (!row) {
      const { hierarchy } = this;
      return hierarchy?.layers.map((layer) => ({ kind: 'layer', layer, hierarchy })) ?? [];
    }
    switch (row.kind) {
      case 'layer':
        return row.layer.levels.map((level) => {
          const [file, ...others] = level.files;
          return file && others.length === 0
            ? { kind: 'file', file, level, path: pathBelow(commonDirectory(row.layer), file), isAlone: true }
            : { kind: 'level', level, layer: row.layer };
        });
      case 'level':
        return row.level.files.map((file) => ({
          kind: 'file',
          file,
          level: row.level,
          path: pathBelow(commonDirectory(row.layer), file),
          isAlone: false,
        }));
      case 'file':
        return [];
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case 'layer':
        return layerItem(row.layer, row.hierarchy);
      case 'level':
        return this.levelItem(row.level);
      case 'file':
        return this.fileItem(row);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.pending?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private levelItem(level: HierarchyLevel): vscode.TreeItem {
    const hasFiles = level.files.length > 0;
    const item = new vscode.TreeItem(
      level.name,
      hasFiles ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    item.description = levelWords(level, hasFiles ? '' : 'no files');
    item.iconPath = new vscode.ThemeIcon(level.opaque ? 'question' : 'layers');
    item.tooltip = level.opaque
      ? `${level.function} cannot be evaluated here: the level may have more data than is shown`
      : level.function;
    if (level.location) {
      item.command = openCommand(this.hiera.location(level.location));
    }
    return item;
  }

  private fileItem({ file, level, path, isAlone }: Extract<Row, { kind: 'file' }>): vscode.TreeItem {
    const item = new vscode.TreeItem(isAlone ? level.name : path);
    const behind = file.key ? PARTS[file.key.part].behind : undefined;
    item.description = [isAlone ? levelWords(level, path) : '', behind].filter(Boolean).join(' – ');
    item.iconPath = fileIcon(file, level);
    item.tooltip = fileTooltip(file, level);
    item.accessibilityInformation = { label: `${level.name}, ${file.label}, ${stateOf(file, level)}` };
    item.contextValue = file.exists ? 'file' : file.uri === null ? 'uri' : 'missing';
    if (file.key) {
      item.command = openCommand(this.hiera.location(file.key.location));
    } else if (file.exists && file.uri !== null) {
      item.command = openCommand(new vscode.Location(vscode.Uri.parse(file.uri), new vscode.Position(0, 0)));
    } else if (level.location) {
      item.command = openCommand(this.hiera.location(level.location));
    }
    return item;
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), REST_MS);
  }

  private async refresh(): Promise<void> {
    if (!this.view.visible || !this.hiera.supports(Method.hierarchy)) {
      return this.show(this.hiera.isRunning ? this.hierarchy : undefined);
    }
    const question = this.question();
    if (!question) {
      return;
    }
    this.pending?.cancel();
    this.pending?.dispose();
    const pending = new vscode.CancellationTokenSource();
    this.pending = pending;
    try {
      const ask = (it: Question) => this.hiera.ask<Hierarchy | null>(Method.hierarchy, it, pending.token);
      let hierarchy = await ask(question);
      if (hierarchy?.key === null && this.lastKey !== undefined) {
        // Between keys, and in files that do not have it, the last key stays marked.
        hierarchy = await ask({ ...question, key: this.lastKey });
      }
      if (!pending.token.isCancellationRequested) {
        this.asked = question;
        this.lastKey = hierarchy?.key ?? undefined;
        this.show(hierarchy ?? undefined);
      }
    } catch (error) {
      this.hiera.log.debug(`hierarchy: ${String(error)}`);
    }
  }

  /** The key at the cursor; where the editor has nothing to do with Hiera, what was asked last. */
  private question(): Question | undefined {
    const editor = vscode.window.activeTextEditor;
    const asked = editor && questionAt(editor.document, editor.selection.active, this.previews);
    if (asked || this.asked) {
      return asked ?? this.asked;
    }
    const open = vscode.workspace.textDocuments.find((it) => isHieraDocument(it));
    return open ? { textDocument: { uri: open.uri.toString() } } : {};
  }

  private show(hierarchy: Hierarchy | undefined): void {
    this.hierarchy = hierarchy;
    this.view.description = hierarchy?.node ?? '';
    this.view.message = hierarchy?.key
      ? `${hierarchy.key}${hierarchy.merge ? ` · merge: ${hierarchy.merge}` : ''}`
      : '';
    const shownAs = JSON.stringify(hierarchy ?? null);
    if (shownAs !== this.shownAs) {
      this.shownAs = shownAs;
      this.changed.fire();
    }
  }
}

function layerItem(layer: HierarchyLayer, { environment, node }: Hierarchy): vscode.TreeItem {
  const labels = {
    global: 'Global',
    environment: `Environment ${environment}`,
    module: `Module ${layer.module ?? ''}`,
  };
  const item = new vscode.TreeItem(labels[layer.kind], vscode.TreeItemCollapsibleState.Expanded);
  if (layer.error !== null) {
    item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  }
  // The view's own description is not shown while it is the only one of its container.
  item.description = layer.error ?? (layer.kind === 'environment' ? node : '');
  item.tooltip =
    layer.error ??
    (layer.config ? vscode.workspace.asRelativePath(vscode.Uri.parse(layer.config.uri)) : 'built-in default');
  return item;
}

/** The directory that all files of a layer lie in, with a `/` behind it: most often its datadir. Empty if there is none. */
function commonDirectory({ levels }: HierarchyLayer): string {
  const directories = levels.flatMap(({ files }) =>
    files.filter(isPath).map(({ label }) => label.split('/').slice(0, -1)),
  );
  const [first, ...others] = directories;
  const length = first?.findIndex((name, at) => others.some((it) => it[at] !== name)) ?? 0;
  const common = first?.slice(0, length < 0 ? first.length : length) ?? [];
  return common.map((name) => `${name}/`).join('');
}

function pathBelow(directory: string, file: HierarchyFile): string {
  return file.label.startsWith(directory) ? file.label.slice(directory.length) : file.label;
}

/** Whether unknown facts decide which file it is. */
function isOpen(file: HierarchyFile): boolean {
  return file.uri === null && !file.exists;
}

/** Whether a file is one of the disk, not what a URI names. */
function isPath(file: HierarchyFile): boolean {
  return file.uri !== null;
}

function levelWords(level: HierarchyLevel, first: string): string {
  const words = [first];
  if (level.isDefault) {
    words.push('default hierarchy');
  }
  if (level.opaque) {
    words.push(`${level.function}: not evaluated here`);
  }
  return words.filter(Boolean).join(' – ');
}

function stateOf(file: HierarchyFile, level: HierarchyLevel): string {
  if (level.opaque) {
    return 'not evaluated here';
  }
  if (isOpen(file)) {
    return 'depends on open facts';
  }
  if (!file.exists) {
    return 'missing';
  }
  return file.key ? `has the key ${PARTS[file.key.part].words}` : 'exists';
}

/** What a part is called behind "has the key", and its icon. Behind a path, only what a reader must not miss is said. */
const PARTS: Record<Part, { words: string; behind?: string; icon: string; colour: string }> = {
  wins: { words: 'and wins', icon: 'pass-filled', colour: 'testing.iconPassed' },
  contributes: { words: 'and is part of the value', icon: 'git-merge', colour: 'charts.blue' },
  overridden: { words: 'and is overridden', icon: 'eye-closed', colour: 'charts.yellow' },
  'knocked-out': {
    words: 'and a higher level removes all of it',
    behind: 'knocked out',
    icon: 'eye-closed',
    colour: 'charts.yellow',
  },
  opaque: { words: 'and is not evaluated here', icon: 'question', colour: 'list.warningForeground' },
  open: { words: 'and is used for some nodes', behind: 'for some nodes', icon: 'git-branch', colour: 'charts.purple' },
};

function fileIcon(file: HierarchyFile, level: HierarchyLevel): vscode.ThemeIcon {
  if (level.opaque) {
    return new vscode.ThemeIcon('question', new vscode.ThemeColor('list.warningForeground'));
  }
  if (file.key) {
    const { icon, colour } = PARTS[file.key.part];
    return new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
  }
  if (isOpen(file)) {
    return new vscode.ThemeIcon('circle-outline', new vscode.ThemeColor('disabledForeground'));
  }
  return file.exists
    ? new vscode.ThemeIcon('file')
    : new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
}

function fileTooltip(file: HierarchyFile, level: HierarchyLevel): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  tooltip.appendMarkdown(`**${escaped(level.name)}** · ${escaped(stateOf(file, level))}\n\n`);
  tooltip.appendMarkdown(`${code(file.template)}\n\n${code(file.label)} · ${escaped(level.function)}`);
  return tooltip;
}

/** Text in inline code, whatever backticks it holds. */
function code(text: string): string {
  const line = text.replace(/[\r\n]/g, ' ');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return line === '' ? '' : `${fence}${pad}${line}${pad}${fence}`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>]/g, '\\$&');
}

function openCommand({ uri, range }: vscode.Location): vscode.Command {
  return {
    title: 'Open',
    command: 'vscode.open',
    arguments: [uri, { selection: new vscode.Range(range.start, range.start), preview: true }],
  };
}

/** The file of a row, for the menu of the view. */
export function missingFileOf(row: unknown): vscode.Uri | undefined {
  const file = (row as Row | undefined)?.kind === 'file' ? (row as Extract<Row, { kind: 'file' }>).file : undefined;
  return file && !file.exists && file.uri !== null ? vscode.Uri.parse(file.uri) : undefined;
}
