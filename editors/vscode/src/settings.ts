// Which of the user's settings the server gets.

import type * as vscode from 'vscode';

/** Settings of this extension, which the server does not know. */
const OWN_SETTINGS = ['server.', 'statusBar.', 'trace.'];

/** The part of a manifest that names its settings. */
export interface Manifest {
  contributes: { configuration: { properties: Record<string, unknown> }[] };
}

/** The names of all settings of the server, without `hiera.`. */
export function settingNames(manifest: Manifest): string[] {
  const keys = manifest.contributes.configuration.flatMap((group) => Object.keys(group.properties));
  const names = keys.map((key) => key.replace(/^hiera\./, ''));
  return names.filter((name) => !OWN_SETTINGS.some((own) => name.startsWith(own)));
}

/**
 * Those settings below `hiera` that the user set: a default would win over the project file. An empty box is not set. Nothing is
 * decrypted in a workspace that is not trusted, whatever its project file says: an editor's settings win over that.
 */
export function editorSettings(
  section: vscode.WorkspaceConfiguration,
  isTrusted: boolean,
  names: string[],
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of names.filter((it) => isSet(section, it))) {
    const path = name.split('.');
    const last = path.pop() as string;
    let group = settings;
    for (const part of path) {
      group[part] ??= {};
      group = group[part] as Record<string, unknown>;
    }
    // Through JSON: what VS Code gives is a proxy.
    group[last] = JSON.parse(JSON.stringify(section.get(name)));
  }
  if (!isTrusted) {
    settings['eyaml'] = { ...(settings['eyaml'] as object | undefined), decrypt: false };
  }
  return settings;
}

function isSet(section: vscode.WorkspaceConfiguration, name: string): boolean {
  const found = section.inspect(name);
  const values = [found?.workspaceFolderValue, found?.workspaceValue, found?.globalValue];
  const value = values.find((it) => it !== undefined);
  return value !== undefined && value !== null && value !== '';
}
