// Picking a case: what is assumed about variables that are not known, until something else is.

import * as vscode from 'vscode';
import type { Hiera } from './hiera';
import type { Nodes } from './nodes';
import { type KeyCase, Method, type Question } from './protocol';

/** A case to choose; `variables` is undefined if it cannot be assumed. */
interface CasePick extends vscode.QuickPickItem {
  variables: Record<string, string> | undefined;
}

/** Lets the user choose one of the cases of a key, and assumes it. `false` if there is no key. */
export async function pickCase(hiera: Hiera, nodes: Nodes, question: Question): Promise<boolean> {
  const cases = await hiera.ask<KeyCase[] | null>(Method.cases, question);
  if (!cases) {
    return false;
  }
  if (cases.length === 0) {
    void vscode.window.showInformationMessage('There are no cases: the value does not depend on open facts.');
    return true;
  }
  const picked = await vscode.window.showQuickPick(cases.map(pickOf), {
    title: 'Which case do you want to assume?',
    placeHolder: 'All values will be for such nodes until you pick another case or forget it',
    matchOnDescription: true,
  });
  if (picked?.variables) {
    await nodes.assume({ ...nodes.assumed, ...picked.variables });
  } else if (picked) {
    void vscode.window.showInformationMessage(`"${picked.label}" ${CANNOT_BE_ASSUMED}`);
  }
  return true;
}

/** What follows the condition of such a case. */
const CANNOT_BE_ASSUMED =
  'cannot be assumed: it does not give each variable a value. Pick another case, or select a node to which it applies.';

function pickOf({ when, variables, canBeAssumed, value }: KeyCase): CasePick {
  return {
    label: when,
    description: value,
    ...(canBeAssumed ? {} : { detail: '$(info) cannot be assumed' }),
    variables: canBeAssumed ? (variables as Record<string, string>) : undefined,
  };
}
