// The one connection to the server: starting, stopping, asking.

import * as vscode from 'vscode';
import {
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';
import {
  BEFORE_THE_LIST,
  type ExperimentalCapabilities,
  INVALID_PARAMS,
  LENS_COMMANDS,
  METHOD_NOT_FOUND,
  Method,
  REQUEST_FAILED,
  type ServerStatus,
} from './protocol';
import { type FoundServer, findServer } from './server_binary';
import { editorSettings, type Manifest, settingNames } from './settings';

/** What the server works on. Everything else in these languages is left alone by it. */
export const DOCUMENTS: vscode.DocumentFilter[] = [
  { scheme: 'file', language: 'yaml' },
  { scheme: 'file', language: 'json' },
  { scheme: 'file', pattern: '**/*.{yaml,yml,eyaml,hocon,conf}' },
  // Puppet code belongs to the extension that brings the language; ours only says what its parameters and lookups get.
  { scheme: 'file', language: 'puppet' },
  { scheme: 'file', pattern: '**/*.{pp,epp}' },
];

/** Whether the server may have something to say about a document. */
export function isHieraDocument(document: vscode.TextDocument): boolean {
  return vscode.languages.match(DOCUMENTS, document) > 0;
}

/** Whether the server says that a question cannot be answered, and not that it has been ended or interrupted. */
export function isRefused(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === INVALID_PARAMS || code === REQUEST_FAILED;
}

/** The server has no answer to such a question. */
export class NotSupported extends Error {}

export class Hiera implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private found: FoundServer | undefined;
  private requests: readonly string[] = [];
  /** The last start or stop. */
  private turn: Promise<void> = Promise.resolve();
  private readonly started = new vscode.EventEmitter<void>();
  private readonly stopped = new vscode.EventEmitter<Error | undefined>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly nodeChanged = new vscode.EventEmitter<void>();
  private readonly statusChanged = new vscode.EventEmitter<ServerStatus>();

  /** The server is there and answers. */
  readonly onDidStart = this.started.event;
  /** The server is gone, because of the error if there is one. */
  readonly onDidStop = this.stopped.event;
  /** What previews and the hierarchy show may be another now. */
  readonly onDidChange = this.changed.event;
  /** Another node is active, or something else is assumed. */
  readonly onDidChangeNode = this.nodeChanged.event;
  /** How the server is. */
  readonly onDidChangeStatus = this.statusChanged.event;

  constructor(
    private readonly extension: string,
    private readonly manifest: Manifest,
    readonly log: vscode.LogOutputChannel,
  ) {}

  /** The running server; undefined if there is none. */
  get server(): FoundServer | undefined {
    return this.isRunning ? this.found : undefined;
  }

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  /** Starts the server; one that runs already is ended first. Throws if there is none, or it does not start. */
  start(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      await this.begin();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  /** Starts and stops run one after the other: a stop would not find a server that is still starting. */
  private inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.turn.then(task);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async begin(): Promise<void> {
    const settings = vscode.workspace.getConfiguration('hiera.server');
    const server = await findServer({
      // A workspace that is not trusted may not say what is run.
      setting: vscode.workspace.isTrusted ? settings.get<string | null>('path')?.trim() || undefined : undefined,
      folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      extension: this.extension,
      searchPath: process.env['PATH'],
      platform: process.platform,
    });
    this.log.info(`${server.version} from ${server.from}: ${server.command}`);
    this.found = server;
    const client = this.newClient(server.command);
    this.client = client;
    await client.start();
    const said = client.initializeResult?.capabilities.experimental as ExperimentalCapabilities | undefined;
    this.requests = [...BEFORE_THE_LIST, ...(said?.hiera?.requests ?? [])];
    this.started.fire();
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // It never started, or is gone already.
      this.log.debug(String(error));
    }
  }

  /** Whether the server answers the request. */
  supports(method: string): boolean {
    return this.isRunning && this.requests.includes(method);
  }

  /** Asks the server. Throws `NotSupported` if it is too old for the question, or there is none. */
  async ask<R>(method: string, params?: object, token?: vscode.CancellationToken): Promise<R> {
    const client = this.client;
    if (!client || !this.isRunning) {
      throw new NotSupported('No Hiera server is running; see "Hiera: Show Log".');
    }
    const tooOld = () =>
      new NotSupported(`${this.found?.version ?? 'This server'} does not know ${method}: a newer one is needed.`);
    if (!this.supports(method)) {
      throw tooOld();
    }
    try {
      if (params === undefined) {
        // An argument that is undefined would be sent as `[null]`.
        return await (token ? client.sendRequest<R>(method, token) : client.sendRequest<R>(method));
      }
      return await (token ? client.sendRequest<R>(method, params, token) : client.sendRequest<R>(method, params));
    } catch (error) {
      throw (error as { code?: number }).code === METHOD_NOT_FOUND ? tooOld() : error;
    }
  }

  /** A place in the words of VS Code. */
  location(place: {
    uri: string;
    range: { start: { line: number; character: number }; end: { line: number; character: number } };
  }): vscode.Location {
    const { start, end } = place.range;
    return new vscode.Location(
      vscode.Uri.parse(place.uri),
      new vscode.Range(start.line, start.character, end.line, end.character),
    );
  }

  dispose(): void {
    void this.stop();
    for (const emitter of [this.started, this.stopped, this.changed, this.nodeChanged, this.statusChanged]) {
      emitter.dispose();
    }
  }

  private editorSettings(section: vscode.WorkspaceConfiguration): Record<string, unknown> {
    return editorSettings(section, vscode.workspace.isTrusted, settingNames(this.manifest));
  }

  private newClient(command: string): LanguageClient {
    const server: ServerOptions = { command, args: ['server'] };
    const options: LanguageClientOptions = {
      documentSelector: DOCUMENTS.map((it) => ({ ...it })) as NonNullable<LanguageClientOptions['documentSelector']>,
      outputChannel: this.log,
      initializationOptions: {
        ...this.editorSettings(vscode.workspace.getConfiguration('hiera')),
        // What the workspace's own settings name may be run only then.
        isWorkspaceTrusted: vscode.workspace.isTrusted,
      },
      middleware: {
        workspace: {
          configuration: (params) =>
            params.items.map((item) => {
              const scope = item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined;
              const section = vscode.workspace.getConfiguration(item.section, scope ?? null);
              return item.section === 'hiera' ? this.editorSettings(section) : section;
            }),
        },
      },
    };
    const client = new LanguageClient('hiera', 'Hiera', server, options);
    client.registerFeature(new Abilities());
    client.onNotification(Method.previewChanged, () => this.changed.fire());
    client.onNotification(Method.activeNode, () => this.nodeChanged.fire());
    client.onNotification(Method.serverStatus, (status: ServerStatus) => this.statusChanged.fire(status));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped) {
        this.stopped.fire(undefined);
      } else if (newState === State.Running && this.requests.length > 0) {
        // It crashed and was started again.
        this.started.fire();
      }
    });
    return client;
  }
}

/** What we can do beyond LSP. */
class Abilities implements StaticFeature {
  fillClientCapabilities(capabilities: Parameters<StaticFeature['fillClientCapabilities']>[0]): void {
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      commands: { commands: LENS_COMMANDS },
      hoverLinks: true,
      previewChanged: true,
      serverStatusNotification: true,
    };
    // The requests for previews have more parameters than a path.
    delete capabilities.workspace?.textDocumentContent;
  }

  initialize(): void {}

  getState(): ReturnType<StaticFeature['getState']> {
    return { kind: 'static' };
  }

  clear(): void {}
}
