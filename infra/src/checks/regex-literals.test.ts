import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { check } from 'recheck'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { type RegexLiteral, regexLiterals } from './regex-literals.ts'

/** Patterns that are linear without analysis: one repeated character class between both anchors, or no repetition. */
const plainlyLinear = /^\^\[[^\]]*\]\{\d+,?\d*\}\$$|^[^*+{]*$/

/** The expressions that an earlier run found safe: analysing all of them takes ten seconds. */
const safeFile = path.join(repositoryRoot, 'node_modules/.cache/safe-regex.json')

function readSafe(): readonly string[] {
  try {
    return JSON.parse(readFileSync(safeFile, 'utf8'))
  } catch {
    return []
  }
}

async function isSafe({ source, flags }: RegexLiteral): Promise<boolean> {
  return plainlyLinear.test(source) || (await check(source, flags, { timeout: 20_000 })).status === 'safe'
}

it.each(['(a+)+$', '=+$', '0+$', 'token .*maximum', '(\\w+\\s?)*$'])('would find /%s/', async (source) => {
  expect(await isSafe({ source, flags: '' })).toBe(false)
})

it('finds literals, and no divisions, strings or comments', () => {
  const code = 'const a = 1 / 2 / 3; const b = text.replace(/[/"]+$/giu, "/no/") // /nor this/'
  expect(regexLiterals(code)).toEqual([{ source: '[/"]+$', flags: 'giu' }])
})

/** Regular expressions of shipped code, by file: any of them may be run on untrusted text. */
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

it('every regular expression of the product takes linear time', async () => {
  const patterns = shipped()
  expect(patterns.size).toBeGreaterThan(150)
  const known = new Set(readSafe())
  const safe: string[] = []
  for (const key of patterns.keys()) if (known.has(key) || (await isSafe(JSON.parse(key)))) safe.push(key)
  mkdirSync(path.dirname(safeFile), { recursive: true })
  writeFileSync(safeFile, JSON.stringify(safe))
  expect([...patterns].filter(([key]) => !safe.includes(key))).toEqual([])
}, 120_000)
