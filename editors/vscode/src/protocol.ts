// The requests and notifications beyond LSP, as docs/protocol.md describes them.

import type { Location, Position, Range, TextDocumentIdentifier } from 'vscode-languageclient/node';

/** A sample node. */
export interface NodeItem {
  name: string;
  /** The path of the fact set; `name` if only the name is known; `any` if it is not a single machine. */
  origin: string;
  environment: string;
  /** Whether answers in that environment which are about no file are for this node. */
  active: boolean;
  /** The variables that the hierarchy's paths use, with the node's values; older servers do not say. */
  facts?: Fact[];
}

/** A variable and its text. */
export interface Fact {
  name: string;
  value: string;
}

/** The node that answers are for. */
export interface ActiveNode extends NodeItem {
  /** Whether the user or the settings chose it; if not, a file is shown for any node that reads it. */
  chosen: boolean;
  /** The variables that the hierarchy's paths use and that are not known for the node; older servers do not say. */
  open?: string[];
  /** What is assumed about variables that are not known. */
  assumed?: Fact[];
}

/** What a key is in one case. */
export interface KeyCase {
  /** What must hold, for people: `variant is alice`; `otherwise` for the last case. */
  when: string;
  /** The same by variable; `null` for one that is not set. */
  variables: Record<string, string | null>;
  /** Whether none of the variables is `null`, and there are any. */
  canBeAssumed: boolean;
  /** The value on one line; `not found`, or Puppet's error. */
  value: string;
}

/** What a preview is asked about. */
export interface Question {
  textDocument?: TextDocumentIdentifier;
  position?: Position;
  key?: string;
  node?: string;
  scope?: 'key' | 'file' | 'node';
  /** Nothing is left out. */
  full?: boolean;
}

/** What edits are compared with; without a word, the settings say. */
export type Before = { saved: true } | { revision: string };

/** What the edits of an environment change. */
export interface ChangesQuestion extends Question {
  with?: Before;
  /** Whether the answer lacks the list of changes, which can be many megabytes. */
  documentOnly: boolean;
}

export type PreviewLineKind =
  | 'header'
  | 'value'
  | 'overridden'
  | 'removed'
  | 'case'
  | 'opaque'
  | 'error'
  | 'added'
  | 'deleted'
  | 'outlier'
  | 'more';

export interface PreviewLine {
  line: number;
  kind: PreviewLineKind;
  location: Location | null;
  origin: { start: number; end: number } | null;
}

/** A document to be shown read-only. */
export interface Preview {
  title: string;
  uri: string;
  languageId: 'yaml' | 'diff' | 'plaintext';
  text: string;
  key: string | null;
  node: string | null;
  environment: string;
  lines: PreviewLine[];
}

export interface Comparison {
  diff: Preview;
  left: Preview;
  right: Preview;
  differs: boolean;
}

export interface Hierarchy {
  node: string;
  environment: string;
  key: string | null;
  merge: string | null;
  layers: HierarchyLayer[];
}

export interface HierarchyLayer {
  kind: 'global' | 'environment' | 'module';
  module: string | null;
  config: Location | null;
  error: string | null;
  levels: HierarchyLevel[];
}

export interface HierarchyLevel {
  name: string;
  location: Location | null;
  function: string;
  opaque: boolean;
  isDefault: boolean;
  files: HierarchyFile[];
}

export interface HierarchyFile {
  label: string;
  uri: string | null;
  exists: boolean;
  template: string;
  key: { location: Location; part: Part } | null;
}

/** What a place has to do with an answer; `open`: it counts for some nodes only. */
export type Part = 'wins' | 'contributes' | 'overridden' | 'knocked-out' | 'opaque' | 'open';

export interface ServerStatus {
  health: 'ok' | 'warning' | 'error';
  quiescent: boolean;
  message: string | null;
}

/** What the server says in `initialize` about the requests of this file. */
export interface ExperimentalCapabilities {
  hiera?: { requests?: string[] };
}

/** A key that is edited, and what the edit changes. */
export interface EditedKey {
  key: string;
  /** The entry. */
  range: Range;
  /** The key. */
  selectionRange: Range;
  title: string;
}

export const Method = {
  nodes: 'hiera/nodes',
  nodeOf: 'hiera/nodeOf',
  selectNode: 'hiera/selectNode',
  activeNode: 'hiera/activeNode',
  cases: 'hiera/cases',
  assume: 'hiera/assume',
  mergedValue: 'hiera/mergedValue',
  explain: 'hiera/explain',
  compare: 'hiera/compare',
  allNodes: 'hiera/allNodes',
  changes: 'hiera/changes',
  editedKeys: 'hiera/editedKeys',
  previewChanged: 'hiera/previewChanged',
  hierarchy: 'hiera/hierarchy',
  levelUp: 'hiera/levelUp',
  levelDown: 'hiera/levelDown',
  serverStatus: 'hiera/serverStatus',
  textDocumentContent: 'workspace/textDocumentContent',
} as const;

/** What is older than the list of requests in `initialize`: it is asked whether listed or not. */
export const BEFORE_THE_LIST: readonly string[] = [Method.nodes, Method.selectNode];

/** JSON-RPC's code for an unknown method. */
export const METHOD_NOT_FOUND = -32601;

/** JSON-RPC's code for a question about something that does not exist, such as a node. */
export const INVALID_PARAMS = -32602;

/** LSP's code for a question that has no answer, such as one about a revision that is gone. */
export const REQUEST_FAILED = -32803;

/** The commands that lenses and actions of the server may carry. */
export const LENS_COMMANDS = ['hiera.preview', 'hiera.explain', 'hiera.compare', 'hiera.allNodes', 'hiera.changes'];

/** The scheme of previews' URIs. */
export const PREVIEW_SCHEME = 'hiera-ls';
