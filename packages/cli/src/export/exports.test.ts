import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Dataset } from '@ratchet/contracts/datasets'
import { publicId } from '@ratchet/contracts/public-id'
import { ioFor } from '../api/run-against.fixture.ts'
import { refusal, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { runCli } from '../run-cli.ts'
import { csvLineOf } from './csv-line.ts'

let api: ScriptedApi
let folder: string
beforeEach(async () => {
  api = await startScriptedApi()
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-export-'))
})
afterEach(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

async function run(...words: readonly string[]) {
  const io = ioFor(api)
  const code = await runCli(words, io)
  return { code, out: io.out(), err: io.err() }
}

const log = (index: number) => ({
  object: 'log',
  id: publicId('log', `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`),
  created_at: '2026-11-28T00:00:00.000Z',
  expires_at: '2026-12-28T00:00:00.000Z',
  model: 'sim/large',
  served_model: 'sim/large',
  requested_model: '=cmd',
  alias: null,
  canary: false,
  fallback_from: null,
  provider: 'sim',
  tag: 'a "b", c',
  trace_id: null,
  span_id: null,
  parent_span_id: null,
  conversation_id: null,
  step_index: null,
  segment: 'none',
  segment_exact: 'none',
  finish_reason: 'stop',
  stream: false,
  cached: false,
  prompt_tokens: 1,
  completion_tokens: 2,
  total_tokens: 3,
  reasoning_tokens: null,
  cost_usd: -0.5,
  latency_ms: 7,
  ttft_ms: null,
  redaction: { count: 0, kinds: [] },
  source: 'gateway',
  newer_field: index,
})
const page = (data: readonly object[], total: number, more: object = {}) => ({
  body: { object: 'list', data, total, limit: 200, offset: 0, has_more: false, total_is_exact: true, ...more },
})

it('exports training examples as the API streams them, and shows how far it is', async () => {
  api.answers('GET /v1/logs', page([log(1)], 2))
  api.answers('GET /v1/logs/export', { body: '{"messages":[]}\n{"messages":[]}\n' })
  const { code, out, err } = await run('logs', 'export', '--tag', 'a b', '--user', 'ann')
  expect([code, out]).toEqual([0, '{"messages":[]}\n{"messages":[]}\n'])
  expect(err).toContain('2 of 2 exchanges, 32 B')
  expect(api.seen.map(({ line }) => line)).toEqual([
    'GET /v1/logs?tag=a+b&user=ann&content=none&limit=1',
    'GET /v1/logs/export?tag=a+b&user=ann&limit=10000',
  ])
})

it('refuses more training examples than one export has', async () => {
  const { code, err } = await run('logs', 'export', '--max', '10001')
  expect([code, err]).toEqual([2, expect.stringContaining('--max')])
  expect(api.seen).toEqual([])
})

it.each([
  ['says that older entries are left out', [log(2)], true],
  ['says nothing when there are no older ones', [], false],
])('training: %s', async (_what, older, isSaid) => {
  api.answers('GET /v1/logs', page([log(1)], 500, { total_is_exact: false }), page(older, 500))
  api.answers('GET /v1/logs/export', { body: '{"messages":[]}\n' })
  const { code, err } = await run('logs', 'export', '--tag', 'a')
  expect([code, err.includes('left out')]).toEqual([0, isSaid])
  expect(api.seen[1]?.line).toBe('GET /v1/logs?tag=a&content=none&limit=1&offset=10000')
})

it('exports whole entries in small pages to the end, also members that this release does not know', async () => {
  // Entries that were deleted meanwhile are left out, so a page may be short.
  const first = Array.from({ length: 20 }, (_, index) => log(index))
  api.answers('GET /v1/logs', page([log(1)], 21), page(first, 21, { has_more: true }), page([log(20)], 21))
  const output = path.join(folder, 'logs.jsonl')
  const { code, out } = await run('logs', 'export', '--format', 'entries', '--output', output)
  expect([code, out]).toEqual([0, expect.stringContaining('21 exchanges')])
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).newer_field)).toEqual(Array.from({ length: 21 }, (_, index) => index))
  expect(api.seen.slice(1).map(({ line }) => line)).toEqual([
    'GET /v1/logs?content=all&limit=25',
    `GET /v1/logs?after=${log(19).id}&content=all&limit=25`,
  ])
})

it('exports no more entries than were asked for, although a page is short', async () => {
  api.answers(
    'GET /v1/logs',
    page([log(1)], 9),
    page([log(0)], 9, { has_more: true }),
    page([log(1)], 9, { has_more: true }),
  )
  const { code, out } = await run('logs', 'export', '--format', 'entries', '--max', '2')
  expect([code, out.trimEnd().split('\n').length]).toEqual([0, 2])
})

it('exports the facts of entries as CSV, in which nothing is a formula', async () => {
  api.answers('GET /v1/logs', page([log(1)], 1))
  const [head = '', row = ''] = (await run('logs', 'export', '--format', 'csv')).out.split('\r\n')
  expect(head).toMatch(/^id,created_at,/)
  expect(row).toContain(`,"a ""b"", c",`)
  expect(row).toContain(`,'=cmd,`)
  expect(row).toContain(',-0.5,')
  expect(csvLineOf(['@x', null, true, { a: [1] }])).toBe(`'@x,,true,"{""a"":[1]}"\r\n`)
})

it('counts the rows of a CSV of a dataset', async () => {
  const dataset: Dataset = {
    object: 'dataset',
    id: 'ds_1',
    name: 'mine',
    description: null,
    kind: 'train',
    sibling_id: null,
    source: 'logs',
    format: 'chat',
    status: 'ready',
    status_message: null,
    progress: null,
    example_count: 2,
    token_count_estimate: 9,
    sha256: 'a',
    segment: null,
    segments: [],
    filters: {},
    criterion_id: null,
    holdout_pct: null,
    size_bytes: 9,
    created_by: 'u',
    created_at: '2026-11-28T00:00:00.000Z',
  }
  api.answers('GET /v1/datasets/ds_1', { body: dataset })
  api.answers('GET /v1/datasets/ds_1/export', { body: 'index,prompt\n0,"a\nb ""c"""\n1,d\n' })
  const output = path.join(folder, 'mine.csv')
  const { code, out, err } = await run('datasets', 'export', 'ds_1', '--format', 'csv', '--output', output)
  expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringMatching(/^2 examples/) })
  expect(readFileSync(output, 'utf8')).toContain('1,d')
})

it.each([
  ['is refused', refusal(403, { message: 'No.', code: 'logging_disabled' }), 'logging_disabled'],
  ['breaks', { headers: { 'content-length': '1000' }, body: 'half' } as const, 'broke'],
])('leaves the file as it was when the export %s', async (_what, answer, said) => {
  api.answers('GET /v1/logs', page([log(1)], 1))
  api.answers('GET /v1/logs/export', answer)
  const output = path.join(folder, 'logs.jsonl')
  writeFileSync(output, 'earlier')
  if (said === 'broke') api.onRequest(({ line }) => line.includes('export') && setTimeout(() => api.stop(), 200))
  const { code, err } = await run('logs', 'export', '--output', output)
  expect([code, err]).toEqual([1, expect.stringContaining(said)])
  expect([readFileSync(output, 'utf8'), existsSync(`${output}.part`)]).toEqual(['earlier', false])
  if (said === 'broke') api = await startScriptedApi()
})
