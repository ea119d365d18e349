// What is said of a node in a line.

import type { ActiveNode, Fact } from './protocol';

/** Longer texts would be cut off where windows are narrow. */
const MAX_CHARACTERS = 60;

/** `any node · variant is alice · 2 facts open`. What does not fit is in the tooltip. */
export function textOf(node: ActiveNode): string {
  const open = node.open?.length ?? 0;
  const openWords = open === 0 ? undefined : `${open} ${open === 1 ? 'fact' : 'facts'} open`;
  const line = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' · ');
  const { name, ways } = partsOf(node);
  const short = (words: string[]) => words.map(shortName).join(' and ');
  const assumed = (node.assumed ?? []).map(inWords);
  const others = assumed.filter((it) => !ways.some((way) => way.includes(it)));
  const known = [ways.map(short).join(', or '), short(others)].filter(Boolean);
  const whole = line(name, known.join(ways.length > 1 ? ' · ' : ' and '), openWords);
  if (whole.length <= MAX_CHARACTERS) {
    return whole;
  }
  const withoutPath = line(name, short(assumed), openWords);
  const count = `${assumed.length} ${assumed.length === 1 ? 'fact' : 'facts'} assumed`;
  return withoutPath.length <= MAX_CHARACTERS || assumed.length === 0 ? withoutPath : line(name, count, openWords);
}

const ANY_NODE = 'any node where ';
const ANOTHER_WAY = ', or where ';

/** What a node is called, and what is known of any node that is meant: the conditions of each way to the file. */
export function partsOf({ name }: ActiveNode): { name: string; ways: string[][] } {
  return name.startsWith(ANY_NODE)
    ? {
        name: 'any node',
        ways: name
          .slice(ANY_NODE.length)
          .split(ANOTHER_WAY)
          .map((it) => it.split(' and ')),
      }
    : { name, ways: [] };
}

export function inWords({ name, value }: Fact): string {
  return `${name} is ${value === '' ? 'empty' : value}`;
}

/** A variable without its prefix, which goes without saying: `pp_role`, `os.name`. */
export function shortName(name: string): string {
  return name.replace(/^(?:::)?(?:trusted\.extensions\.|trusted\.|facts\.)?/, '');
}
