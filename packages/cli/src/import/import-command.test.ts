import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ioFor } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { runCli } from '../run-cli.ts'

let api: ScriptedApi
let folder: string
beforeEach(async () => {
  api = await startScriptedApi()
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-import-'))
})
afterEach(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

async function run(...words: readonly string[]) {
  const io = ioFor(api)
  const code = await runCli(['import', ...words], io)
  return { code, out: io.out(), err: io.err() }
}

function write(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}

const row = (id: string, content = 'Hello.') => ({
  id,
  status: 'success',
  model: 'gpt-6-sol',
  messages: [{ role: 'user', content: 'Hi' }],
  response: { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] },
})
const reply = (imported: number, more: object = {}) => ({
  body: {
    object: 'log.import',
    total: imported,
    imported,
    duplicates: 0,
    skipped: { too_large: 0 },
    failed: 0,
    errors: [],
    ...more,
  },
})
const sent = () => api.seen.map(({ body }) => (body as { logs: { id: string; tag?: string }[] }).logs)

it('sends the entries of JSON lines, a JSON list and a gzipped file, and counts what it left out', async () => {
  api.answers('POST /v1/logs/import', reply(4, { duplicates: 1 }))
  const lines = write(
    'a.jsonl',
    `${JSON.stringify(row('a'))}\n\n${JSON.stringify({ ...row('b'), status: 'failure' })}\nnot JSON\n`,
  )
  const list = write('b.json', JSON.stringify({ data: [row('c'), row('d')] }, null, 2))
  const packed = write('c.jsonl.gz', gzipSync(`${JSON.stringify(row('e'))}\n`))
  const { code, out } = await run('litellm', lines, list, packed, '--tag', 'old')
  expect(code).toBe(0)
  expect(sent().map((logs) => logs.map(({ id, tag }) => `${id} ${tag}`))).toEqual([
    ['a old', 'c old', 'd old', 'e old'],
  ])
  expect(out).toContain('left out: failed calls')
  expect(out).toContain('left out: lines that are no JSON object')
})

it('sends nothing with --dry-run, not even a look for the deployment', async () => {
  const { code, out } = await run('litellm', write('a.jsonl', JSON.stringify(row('a'))), '--dry-run', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([0, { rows: 1, read: 1, imported: 0 }])
  expect(api.seen).toEqual([])
})

it('sends many entries in parts, and says what the log refused', async () => {
  const error = { line: 3, code: 'invalid_request', param: 'logs.2.model', message: 'too long' }
  api.answers('POST /v1/logs/import', reply(999, { failed: 1, errors: [error] }), reply(500))
  const file = write(
    'a.jsonl',
    Array.from({ length: 1_500 }, (_, index) => JSON.stringify(row(`id-${index}`))).join('\n'),
  )
  const { code, out, err } = await run('litellm', file, '--json')
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { rows: 1_500, imported: 1_499, failed: 1, problems: ['logs.2.model: too long'] },
  ])
  expect(sent().map(({ length }) => length)).toEqual([1_000, 500])
  expect(err).toContain('999 imported')
})

it.each([
  [['litellm', 'missing.jsonl'], 1, 'missing.jsonl cannot be read'],
  [['other', 'a.jsonl'], 2, 'other'],
  [['litellm'], 2, 'files'],
])('fails for %j', async (words, code, text) => {
  expect(await run(...words)).toMatchObject({ code, err: expect.stringContaining(text) })
})

it('fails for a file that is neither JSON lines nor a list', async () => {
  const { code, err } = await run('litellm', write('a.txt', 'some\ntext\n'))
  expect([code, err]).toEqual([1, expect.stringContaining('neither JSON lines')])
})
