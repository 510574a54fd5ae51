import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'

const product = 'services/alias/src/gate/decide.ts'
const test = 'services/alias/src/gate/decide.test.ts'

let root: string

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'lint-rules-'))
  cpSync(path.join(repositoryRoot, 'biome.json'), path.join(root, 'biome.json'))
  cpSync(path.join(repositoryRoot, 'infra/lint'), path.join(root, 'infra/lint'), { recursive: true })
  mkdirSync(path.join(root, path.dirname(product)), { recursive: true })
})

afterAll(() => rmSync(root, { recursive: true }))

/** Returns what the linter reports for a text under a path of the repository. */
function lint(file: string, text: string): string {
  writeFileSync(path.join(root, file), `${text}\n`)
  const program = path.join(repositoryRoot, 'node_modules/.bin/biome')
  const args = ['lint', '--colors=off', '--vcs-enabled=false', '--max-diagnostics=50', file]
  const { stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  return stdout + stderr
}

it.each([
  ['an older word in a name', product, 'export const toldWebhooks = 1', 'not in our vocabulary'],
  ['an older word inside a name', product, 'export const lastSetback = 1', 'not in our vocabulary'],
  ['an older word in a field', product, 'export interface A { readonly wantedModel: string }', 'not in our vocabulary'],
  ['poisoned as a part of a name', product, 'export const countPoisoned = 1', 'not in our vocabulary'],
  ['a spread literal', product, 'export const a = { ...{ b: 1 }, c: 2 }', 'instead of spreading a literal'],
  ['reading the clock', product, 'export const a = () => Date.now()', 'are injected'],
  ['the current date', product, 'export const a = () => new Date()', 'are injected'],
  ['randomness', product, 'export const a = () => Math.random()', 'are injected'],
  [
    'SQL from text',
    product,
    'export const a = (db: { $queryRawUnsafe(t: string): void }) => db.$queryRawUnsafe("x")',
    'Not in shipped code',
  ],
  ['TLS without verification', product, 'export const a = { rejectUnauthorized: false }', 'Not in shipped code'],
  ['text run as code', product, 'export const a = new Function("return 1")', 'Not in shipped code'],
  [
    'a program that is started',
    product,
    "import { spawn } from 'node:child_process'\nexport const a = spawn",
    'starts no program',
  ],
  [
    'a connection past @ratchet/http',
    product,
    "import { request } from 'node:https'\nexport const a = request",
    '@ratchet/http',
  ],
  ['fetch', product, "export const a = () => fetch('http://x')", 'fetch'],
  ['a module mock', test, "jest.mock('./x.ts')", 'No module mocks'],
  ['a sleep', test, 'await new Promise((resolve) => setTimeout(resolve, 50))', 'No fixed sleeps'],
  [
    'a sleep by a timer promise',
    test,
    "import { setTimeout } from 'node:timers/promises'\nawait setTimeout(5)",
    'No fixed sleeps',
  ],
])('reports %s', (_case, file, text, message) => {
  expect(lint(file, text)).toContain(message)
})

it.each([
  'somebody',
  'everybodyElse',
  'lastNeighbour',
  'openDoor',
  'passageOf',
  'mendBody',
  'spoil',
  'dearestModel',
  'hearsOfJobs',
  'whoeverAsks',
  'patienceMs',
  'setback',
  'fateOf',
  'twinSpans',
  'answerKeeper',
  'stranger',
  'mishapCount',
  'poison',
  'poisonedRows',
])('refuses the name %s', (name) => {
  expect(lint(product, `export const ${name} = 1`)).toContain('not in our vocabulary')
})

it.each([
  ['the stored value poisoned', product, 'export interface A { readonly poisoned: number }'],
  ['words that only contain an older one', product, 'export const foretold = 1\nexport const bookshelf = 2'],
  ['a date from a value', product, 'export const a = (ms: number) => new Date(ms)'],
  ['a server', product, "import { createServer } from 'node:http'\nexport const a = createServer"],
  ['a spread of a variable', product, 'const b = { c: 1 }\nexport const a = { ...b }'],
])('accepts %s', (_case, file, text) => {
  expect(lint(file, text)).not.toMatch(/plugin|noRestricted/)
})
