import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { check } from 'recheck'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { buildsRegex, regexesBuiltBy } from './built-regexes.ts'
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
  return plainlyLinear.test(source) || (await check(source, flags, { timeout: 60_000 })).status === 'safe'
}

it.each(['(a+)+$', '=+$', '0+$', 'token .*maximum', '(\\w+\\s?)*$'])('would find /%s/', async (source) => {
  expect(await isSafe({ source, flags: '' })).toBe(false)
})

it('finds literals, and no divisions, strings or comments', () => {
  const code = 'const a = 1 / 2 / 3; const b = text.replace(/[/"]+$/giu, "/no/") // /nor this/'
  expect(regexLiterals(code)).toEqual([{ source: '[/"]+$', flags: 'giu' }])
})

/** The shipped code, by file. */
const shipped: readonly (readonly [file: string, code: string])[] = globSync(
  ['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'],
  { cwd: repositoryRoot },
)
  .filter((file) => !/\.(?:test|fixture|contract)\.ts$|\/(?:generated|node_modules)\/|^packages\/testing\//.test(file))
  .map((file) => [file, readFileSync(path.join(repositoryRoot, file), 'utf8')])

/** Files that build expressions which cannot be analysed here, each with the test that proves them harmless. */
const provenElsewhere: Readonly<Record<string, string>> = {
  // Each is built of one character of a pattern.
  'packages/contracts/src/linear-pattern.ts': 'packages/contracts/src/linear-pattern.test.ts',
  // Analysing all spellings of all names takes minutes.
  'packages/judge-kit/src/prompt/neutralise-markers.ts': 'packages/judge-kit/src/prompt/neutralise-markers.test.ts',
}

/** Regular expressions of shipped code, by file: any of them may be run on untrusted text. */
async function shippedPatterns(): Promise<ReadonlyMap<string, readonly string[]>> {
  const literals = shipped.flatMap(([file, code]) =>
    code.includes('/') ? regexLiterals(code).map((each) => ({ ...each, file })) : [],
  )
  const found = new Map<string, string[]>()
  for (const { source, flags, file } of [...literals, ...(await regexesBuiltBy(builders))]) {
    const key = JSON.stringify({ source, flags })
    found.set(key, [...(found.get(key) ?? []), file])
  }
  return found
}

/** Files that build expressions when they load, also from data such as the patterns of gitleaks. */
const builders = shipped.filter(([file, code]) => !(file in provenElsewhere) && buildsRegex(code)).map(([file]) => file)

it('finds expressions that are built of a text', async () => {
  expect(buildsRegex("const a = new RegExp('a') // new RegExp")).toBe(true)
  expect(buildsRegex('const a = RegExp(b)')).toBe(true)
  expect(buildsRegex("const a: RegExp = /RegExp(b)/; const b = 'new RegExp(a)'")).toBe(false)
  const built = await regexesBuiltBy(builders)
  expect(new Set(built.map(({ file }) => file))).toEqual(new Set(builders))
  expect(Object.values(provenElsewhere).filter((file) => !existsSync(path.join(repositoryRoot, file)))).toEqual([])
})

it('every regular expression of the product takes linear time', async () => {
  const patterns = await shippedPatterns()
  expect(patterns.size).toBeGreaterThan(250)
  const known = new Set(readSafe())
  const safe: string[] = []
  for (const key of patterns.keys()) if (known.has(key) || (await isSafe(JSON.parse(key)))) safe.push(key)
  mkdirSync(path.dirname(safeFile), { recursive: true })
  writeFileSync(safeFile, JSON.stringify(safe))
  expect([...patterns].filter(([key]) => !safe.includes(key))).toEqual([])
}, 400_000)
