import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { checkSync } from 'recheck'
import { repositoryRoot } from '../data-paths.ts'
import { regexLiterals } from './regex-literals.ts'

const isSafe = ({ source, flags }: { readonly source: string; readonly flags: string }) =>
  checkSync(source, flags, { timeout: 20_000 }).status === 'safe'

it.each(['(a+)+$', '=+$', '0+$', 'token .*maximum', '(\\w+\\s?)*$'])('would find /%s/', (source) => {
  expect(isSafe({ source, flags: '' })).toBe(false)
})

it('reads literals as the language does', () => {
  const code = 'const a = 1 / 2 / 3; const b = text.replace(/[/"]+$/giu, "/no/") // /nor this/'
  expect(regexLiterals(code)).toEqual([{ source: '[/"]+$', flags: 'giu' }])
})

/** What runs in the product: a text from outside may meet any of it. */
function shipped(): ReadonlyMap<string, readonly string[]> {
  const files = globSync(['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: repositoryRoot })
  const found = new Map<string, string[]>()
  for (const file of files) {
    if (/\.(?:test|fixture|contract)\.ts$|\/(?:generated|node_modules)\/|^packages\/testing\//.test(file)) continue
    const code = readFileSync(path.join(repositoryRoot, file), 'utf8')
    for (const { source, flags } of code.includes('/') ? regexLiterals(code) : []) {
      const key = JSON.stringify({ source, flags })
      found.set(key, [...(found.get(key) ?? []), file])
    }
  }
  return found
}

it('takes no more time than the text is long, for any regular expression of the product', () => {
  const patterns = shipped()
  expect(patterns.size).toBeGreaterThan(150)
  expect([...patterns].filter(([key]) => !isSafe(JSON.parse(key)))).toEqual([])
}, 120_000)
