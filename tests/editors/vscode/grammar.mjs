// The injected grammar on top of the YAML grammar that VS Code brings along.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT, Suite } from './lib.mjs';

const require = createRequire(path.join(ROOT, 'editors/vscode/'));
const oniguruma = require('vscode-oniguruma');
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');

const extension = path.join(ROOT, 'editors/vscode');
const [injection] = require(path.join(extension, 'package.json')).contributes.grammars;
const yaml = path.join(process.env.CODE_SERVER, 'lib/vscode/extensions/yaml/syntaxes');
const files = new Map([[injection.scopeName, path.join(extension, injection.path)]]);
for (const name of readdirSync(yaml)) {
  const file = path.join(yaml, name);
  files.set(JSON.parse(readFileSync(file, 'utf8')).scopeName, file);
}

await oniguruma.loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    const file = files.get(scope);
    return file ? parseRawGrammar(readFileSync(file, 'utf8'), file) : null;
  },
  getInjections: (scope) => (injection.injectTo.includes(scope) ? [injection.scopeName] : undefined),
});
const grammar = await registry.loadGrammar('source.yaml');

/** The parts of a text that the injection has a name for, as `part=name` without `.hiera`. */
function named(text) {
  const found = [];
  let state = INITIAL;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) {
      const innermost = scopes.at(-1);
      if (innermost.endsWith('.hiera') && !innermost.startsWith('meta.')) {
        found.push(`${line.slice(startIndex, endIndex)}=${innermost.replace(/\.hiera$/, '')}`);
      }
    }
  }
  return found;
}

const OPEN = '%{=punctuation.definition.template-expression.begin';
const CLOSE = '}=punctuation.definition.template-expression.end';
const FACT = [OPEN, 'facts=variable.other.readwrite', '.os.name=variable.other.member', CLOSE];

const cases = {
  'in double quotes': ['a: "x %{facts.os.name} y"', FACT],
  'in single quotes': ["a: 'x %{facts.os.name} y'", FACT],
  'in plain text': ['a: http://x/%{facts.os.name}/y', FACT],
  'in a literal block': ['a: |\n  x %{facts.os.name}', FACT],
  'in a folded block': ['a: >\n  x %{facts.os.name}', FACT],
  'in a list': ['a:\n  - "%{facts.os.name}"', FACT],
  'in flow style': ['a: {b: "%{facts.os.name}"}', FACT],
  'in a quoted key': ['"%{facts.os.name}": 1', FACT],
  'not in a comment': ['a: 1 # %{facts.os.name}', []],
  'a function': [
    `a: "%{lookup('b::c')}"`,
    [OPEN, 'lookup=support.function', '(=punctuation.section.parens.begin', `'b::c'=string.quoted.argument`, ')=punctuation.section.parens.end', CLOSE],
  ],
  'a function that does not exist': [
    `a: "%{lokup('b')}"`,
    [OPEN, 'lokup=invalid.illegal.function', '(=punctuation.section.parens.begin', `'b'=string.unquoted.argument`, ')=punctuation.section.parens.end', CLOSE],
  ],
  'a variable of the top scope': ['a: "%{::role}"', [OPEN, '::role=variable.other.readwrite', CLOSE]],
  'two tokens': ['a: "%{b}-%{c}"', [OPEN, 'b=variable.other.readwrite', CLOSE, OPEN, 'c=variable.other.readwrite', CLOSE]],
  'a token that is never closed': ['a: "%{facts.os"\nb: "%{c}"', [OPEN, 'c=variable.other.readwrite', CLOSE]],
};

const suite = new Suite();
for (const [name, [text, expected]] of Object.entries(cases)) {
  await suite.test(`tokens ${name}`, () => assert.deepEqual(named(text), expected));
}
suite.finish();
