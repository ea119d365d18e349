// What the server is told of the user's settings.

import type * as vscode from 'vscode';

/** Settings of this extension, which the server does not know. */
const OWN_SETTINGS = ['server', 'statusBar', 'trace'];

/**
 * The settings below `hiera` without our own. Those that are not set are `null`, which the server takes so. Nothing is
 * decrypted in a workspace that is not trusted, whatever its project file says: an editor's settings win over that.
 */
export function editorSettings(section: vscode.WorkspaceConfiguration, isTrusted: boolean): Record<string, unknown> {
  const settings = JSON.parse(JSON.stringify(section)) as Record<string, unknown>;
  for (const name of OWN_SETTINGS) {
    delete settings[name];
  }
  if (!isTrusted) {
    settings['eyaml'] = { ...(settings['eyaml'] as object | undefined), decrypt: false };
  }
  return settings;
}
