// Finds the server: the setting, else the binary that is part of the extension, else `hiera-ls` in PATH.

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';

/** How long `hiera-ls --version` may take: the first run of a binary can be slow where it is scanned for viruses. */
const PROBE_TIMEOUT_MS = 20_000;

export interface SearchPlaces {
  /** The setting `hiera.server.path`; not looked at if it is empty. */
  setting: string | undefined;
  /** What relative paths of the setting are relative to. */
  folder: string | undefined;
  /** The extension's own folder. */
  extension: string;
  /** The environment's PATH. */
  searchPath: string | undefined;
  platform: NodeJS.Platform;
}

/** A server that answered `--version`. */
export interface FoundServer {
  command: string;
  /** E.g. `hiera-ls 0.1.0`. */
  version: string;
  from: 'setting' | 'extension' | 'PATH';
}

/** No server, and what to do about it. */
export class NoServer extends Error {}

export async function findServer(places: SearchPlaces): Promise<FoundServer> {
  const executable = places.platform === 'win32' ? 'hiera-ls.exe' : 'hiera-ls';
  if (places.setting) {
    const command = absolute(places.setting, places.folder);
    // A wrong setting is not passed over in silence: the user wants that server and no other.
    return { command, version: await probe(command, 'The setting `hiera.server.path`'), from: 'setting' };
  }
  const bundled = path.join(places.extension, 'server', executable);
  if (await isFile(bundled)) {
    return { command: bundled, version: await probe(bundled, 'The server of this extension'), from: 'extension' };
  }
  const inPath = await searchPath(executable, places);
  if (inPath) {
    return { command: inPath, version: await probe(inPath, 'The `hiera-ls` in PATH'), from: 'PATH' };
  }
  throw new NoServer(
    'hiera-ls was not found: this package of the extension does not contain it for your platform, and it is not in PATH. ' +
      'Install it (`cargo install hiera-ls`) or set `hiera.server.path`.',
  );
}

/** Directories of PATH that are not absolute are passed over: they would be looked for in the workspace. */
async function searchPath(executable: string, places: SearchPlaces): Promise<string | undefined> {
  const directories = (places.searchPath ?? '').split(places.platform === 'win32' ? ';' : ':');
  for (const directory of directories.filter((it) => path.isAbsolute(it))) {
    const candidate = path.join(directory, executable);
    if (await isExecutable(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

async function probe(command: string, who: string): Promise<string> {
  const version = await new Promise<string>((resolve, reject) => {
    execFile(command, ['--version'], { timeout: PROBE_TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error) {
        const reason = error.killed ? `gave no answer in ${PROBE_TIMEOUT_MS / 1000} s` : error.message.trim();
        reject(new NoServer(`${who} does not run: ${command}: ${[reason, stderr.trim()].filter(Boolean).join('\n')}`));
      } else {
        resolve(stdout.trim());
      }
    });
  });
  if (!version.startsWith('hiera-ls ')) {
    const said = version.slice(0, 200);
    throw new NoServer(`${who} is not hiera-ls: \`${command} --version\` says ${JSON.stringify(said)}`);
  }
  return version;
}

function absolute(setting: string, folder: string | undefined): string {
  if (setting === '~' || setting.startsWith('~/')) {
    return path.join(homedir(), setting.slice(1));
  }
  return path.resolve(folder ?? homedir(), setting.replace('${workspaceFolder}', folder ?? ''));
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (it) => it.isFile(),
    () => false,
  );
}

async function isExecutable(file: string): Promise<boolean> {
  return (
    (await isFile(file)) &&
    access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
  );
}
