// Formats and lints the TypeScript and the Lua of the extensions: `node style.mjs PACKAGES [--write]`.
//
// PACKAGES is a directory whose node_modules has Biome and StyLua as WebAssembly, which run on any system. --write formats the files;
// without it, a file that is not formatted is a failure, as is what the linter finds. The last line is `N passed, M failed`.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const packages = createRequire(join(resolve(process.argv[2]), 'package.json'));
const writes = process.argv[3] === '--write';

/** The files below a directory whose names end so. */
function files(directory, ending) {
  const all = readdirSync(join(root, directory), { recursive: true }).map((name) => join(root, directory, name));
  return all.filter((path) => path.endsWith(ending) && !path.includes('node_modules')).sort();
}

function typeScript() {
  const { Biome } = packages('@biomejs/js-api/nodejs');
  const biome = new Biome();
  const directory = join(root, 'editors/vscode');
  const { projectKey } = biome.openProject(directory);
  const { $schema: _, ...configuration } = JSON.parse(readFileSync(join(directory, 'biome.json'), 'utf8'));
  biome.applyConfiguration(projectKey, configuration);
  return (path, text) => {
    const filePath = relative(directory, path);
    const { content, diagnostics: unreadable } = biome.formatContent(projectKey, text, { filePath });
    const { diagnostics: found } = biome.lintContent(projectKey, text, { filePath });
    const diagnostics = [...unreadable, ...found].filter((it) => it.severity !== 'information' && it.severity !== 'hint');
    const problems = diagnostics.length
      ? biome.printDiagnostics(diagnostics, { filePath, fileSource: text })
      : '';
    return { content, problems: withoutMarkup(problems) };
  };
}

/** Biome writes its findings as HTML. */
function withoutMarkup(html) {
  const text = html.replace(/<[^>]*>/g, '');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

function lua() {
  const stylua = packages('@johnnymorganz/stylua');
  return (_, text) => {
    // Formatting takes the configuration away.
    const config = stylua.Config.new();
    config.column_width = 120;
    config.indent_type = stylua.IndentType.Spaces;
    config.indent_width = 2;
    config.quote_style = stylua.QuoteStyle.AutoPreferSingle;
    try {
      return { content: stylua.formatCode(text, config, undefined, stylua.OutputVerification.None), problems: '' };
    } catch (error) {
      return { content: text, problems: String(error) };
    }
  };
}

let passed = 0;
let failed = 0;
for (const [name, paths, look] of [
  ['TypeScript', files('editors/vscode/src', '.ts'), typeScript()],
  ['Lua', files('editors/neovim', '.lua'), lua()],
]) {
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    const { content, problems } = look(path, text);
    if (writes && content !== text) {
      writeFileSync(path, content);
    }
    if (problems || (content !== text && !writes)) {
      failed += 1;
      console.log(`FAIL ${relative(root, path)}: ${problems || 'not formatted: run with --write'}`);
    } else {
      passed += 1;
    }
  }
  console.log(`${name}: ${paths.length} files`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
