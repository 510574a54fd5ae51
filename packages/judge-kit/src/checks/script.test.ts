import { createScripts, type RunScript } from './script.ts'

const workspaceId = '00000000-0000-4000-8000-000000000001'
const stops: (() => unknown)[] = []
let runScript: RunScript

beforeAll(() => {
  runScript = createScripts((stop) => void stops.push(stop))
})
afterAll(() => Promise.all(stops.map((stop) => stop())))

const run = (source: string, text = 'Hello') =>
  runScript(workspaceId, {
    source,
    answer: { text, response: { role: 'assistant', content: text }, messages: [], tools: [] },
  })

it.each([
  ['true', 'function check({ text }) { return text === "Hello" }', { kind: 'ran', pass: true, reason: null }],
  ['false', 'const check = ({ text }) => text.length > 9', { kind: 'ran', pass: false, reason: null }],
  [
    'a reason',
    'function check() { return { pass: false, reason: "no greeting" } }',
    { kind: 'ran', pass: false, reason: 'no greeting' },
  ],
])('may return %s', async (_, source, result) => {
  expect(await run(source)).toEqual(result)
})

it.each([
  ['has a syntax error', 'function check( {', 'SyntaxError'],
  ['defines nothing', '1 + 1', 'no function `check`'],
  ['throws', 'function check() { null.x }', 'TypeError'],
  ['returns a text', 'function check() { return "yes" }', 'neither true, false'],
  ['never ends', 'function check() { while (true) {} }', '2 seconds'],
  [
    'asks for more memory than it may have',
    'function check() { return new Uint8Array(1_000_000_000).length > 0 }',
    'out of memory',
  ],
  [
    'keeps arrays without end',
    'function check() { const a = []; for (;;) a.push(new Array(1_000).fill(1)) }',
    'out of memory',
  ],
  [
    'keeps buffers without end',
    'function check() { const a = []; for (;;) a.push(new ArrayBuffer(1e6)) }',
    'out of memory',
  ],
  ['calls itself without end', 'function check() { return check() }', 'stack'],
  [
    'calls a function of the interpreter that takes for ever',
    'function check() { return "a".repeat(8_000_000).indexOf("a".repeat(4_000_000) + "b") === 0 }',
    'too long',
  ],
  [
    'searches with a pattern that takes for ever',
    'function check() { return /^(a+)+$/.test("a".repeat(40) + "!") }',
    '',
  ],
])('has no result when it %s', async (_, source, problem) => {
  const result = await run(source)
  expect(result).toMatchObject({ kind: 'failed', problem: expect.stringContaining(problem) })
  // The next one runs as if nothing had happened.
  expect(await run('const check = () => true')).toMatchObject({ kind: 'ran', pass: true })
})

it('reaches nothing outside, and has no clock and no chance', async () => {
  const names = [
    'fetch',
    'require',
    'process',
    'import',
    'XMLHttpRequest',
    'WebAssembly',
    'setTimeout',
    'Date',
    'performance',
    'globalThis.process',
  ]
  const source = `function check() {
    const known = ${JSON.stringify(names)}.filter((name) => { try { return (0, eval)('typeof ' + name) !== 'undefined' } catch { return false } })
    return { pass: known.length === 0 && Math.random === undefined, reason: known.join() }
  }`
  expect(await run(source)).toEqual({ kind: 'ran', pass: true, reason: null })
  expect(await run('async function check() { return await import("node:fs") }')).toMatchObject({ kind: 'failed' })
})

it('keeps nothing from one answer to the next', async () => {
  const source =
    'function check() { globalThis.count = (globalThis.count ?? 0) + 1; Array.prototype.x = 1; return globalThis.count === 1 && [].y === undefined }'
  expect(await run(source)).toMatchObject({ pass: true })
  expect(await run(source)).toMatchObject({ pass: true })
})

it('is compiled without an answer', async () => {
  expect(await runScript(workspaceId, { source: 'function check() { null.x }', answer: null })).toMatchObject({
    kind: 'ran',
  })
  expect(await runScript(workspaceId, { source: 'nothing', answer: null })).toMatchObject({ kind: 'failed' })
})
