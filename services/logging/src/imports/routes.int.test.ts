import { LogImport } from '@ratchet/contracts/log-import'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService

beforeAll(async () => {
  service = await startLoggingService()
}, 60_000)
afterAll(() => service?.stop())

const lines = (...entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry)).join('\n')
const jsonl = { 'content-type': 'application/jsonl' }

async function send(body: Parameters<LoggingService['send']>[0]['body'], more: object = {}) {
  const answer = await service.send({ method: 'POST', path: '/v1/logs/import', body, ...more })
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
  const json = (await answer.json()) as any
  return { status: answer.status, json }
}

async function imported(workspaceId: string, body: string): Promise<LogImport> {
  const { status, json } = await send(body, { workspaceId, headers: jsonl })
  expect([status, json.error]).toEqual([200, undefined])
  return LogImport.parse(json)
}

interface Listed {
  readonly total: number
  readonly data: readonly Record<string, unknown>[]
}

async function listed(workspaceId: string, query = ''): Promise<Listed> {
  return (await (await service.send({ path: `/v1/logs${query}`, workspaceId })).json()) as Listed
}

const entry = (n: number) => ({
  model: 'acme/fast',
  messages: [
    { role: 'system', content: 'You sort mail.' },
    { role: 'user', content: `Mail ${n}` },
  ],
  response: { role: 'assistant', content: `Folder ${n}` },
})

const whole = {
  ...entry(1),
  id: 'log_0123456789abcdef0123456789abcdef',
  created_at: '2024-02-29T12:00:00.000Z',
  requested_model: 'fast',
  provider: 'acme',
  alias: 'mail',
  canary: true,
  fallback_from: 'acme/slow',
  tag: 'night',
  trace_id: 'run-1',
  span_id: '00f067aa0ba902b7',
  parent_span_id: '00f067aa0ba902b8',
  conversation_id: 's-1',
  user: 'ann',
  metadata: { plan: 'pro' },
  finish_reason: 'tool_calls',
  stream: true,
  cached: true,
  tools: [{ type: 'function', function: { name: 'f' } }],
  response: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
  response_format: { type: 'json_object' },
  params: { temperature: 0.5 },
  prompt_tokens: 10,
  completion_tokens: 5,
  reasoning_tokens: 2,
  cost_usd: 0.0125,
  latency_ms: 812.5,
  ttft_ms: 20,
}

it('keeps the digits of numbers in content: as a list, as lines, and in the examples that are exported', async () => {
  const workspaceId = await service.addWorkspace({ retentionDays: 7 })
  const fragile = '{"id":12345678901234567890,"price":1.10}'
  const logOf = (text: string) =>
    `{"model":"acme/fast","messages":[{"role":"user","content":"${text}","input":${fragile}}],"response":{"role":"assistant","content":"y","output":${fragile}}}`
  const headers = { 'content-type': 'application/json' }
  expect((await send(`{"logs":[${logOf('list')}]}`, { workspaceId, headers })).json.imported).toBe(1)
  expect((await imported(workspaceId, logOf('line'))).imported).toBe(1)
  for (const path of ['/v1/logs', '/v1/logs/export']) {
    const read = await (await service.send({ path, workspaceId })).text()
    expect([path, read.split(fragile).length - 1]).toEqual([path, 4])
  }
})

it('imports a log entry with all its fields, and its retention begins now', async () => {
  const workspaceId = await service.addWorkspace({ retentionDays: 7 })
  expect(await imported(workspaceId, lines(whole))).toEqual({
    object: 'log.import',
    total: 1,
    imported: 1,
    duplicates: 0,
    skipped: { too_large: 0 },
    failed: 0,
    errors: [],
  })
  const { data } = await listed(workspaceId)
  const { id, expires_at: expiresAt, segment, segment_exact: exact, ...found } = data[0] ?? {}
  const { id: given, ...rest } = whole
  expect(id).toMatch(/^log_/)
  expect(id).not.toBe(given)
  expect(found).toEqual({
    ...rest,
    object: 'log',
    served_model: 'acme/fast',
    step_index: 0,
    total_tokens: 15,
    redaction: { count: 0, kinds: [] },
    source: 'import',
  })
  expect([segment, exact]).not.toContain('none')
  const storedMs = Date.parse(String(expiresAt)) - Date.now()
  expect(storedMs).toBeGreaterThan(6.9 * 86_400_000)
  expect(storedMs).toBeLessThanOrEqual(7 * 86_400_000)
})

it('copies entries to another workspace unchanged, and imports each once', async () => {
  const from = await service.addWorkspace()
  const to = await service.addWorkspace()
  await imported(
    from,
    lines(whole, entry(2), { ...entry(3), trace_id: 'run-1', created_at: '2024-03-01T00:00:00+01:00' }),
  )
  const all = (await listed(from)).data
  expect(all).toHaveLength(3)
  expect(await imported(to, lines(...all))).toMatchObject({ imported: 3, duplicates: 0 })
  const copies = (await listed(to)).data
  // Each has an id of its own, and its retention begins with its own import.
  const same = ({ id: _, expires_at: __, ...rest }: Record<string, unknown>) => rest
  expect(copies.map(same)).toEqual(all.map(same))
  expect(await imported(to, lines(...all))).toMatchObject({ imported: 0, duplicates: 3 })
  expect(await imported(from, lines(...all))).toMatchObject({ imported: 0, duplicates: 3 })
  expect(await imported(to, lines(...copies))).toMatchObject({ imported: 0, duplicates: 3 })
  expect((await listed(to)).total).toBe(3)
})

it('imports the lines of an export, also in a form, and equal lines once', async () => {
  const from = await service.addWorkspace()
  const to = await service.addWorkspace()
  await imported(from, lines(entry(1), entry(2)))
  const path = '/v1/logs/export'
  const exported = await (await service.send({ path, workspaceId: from })).text()
  const form = new FormData()
  form.append('file', new Blob([`${exported}\n\n${exported}`]), 'logs.jsonl')
  expect((await send(form, { workspaceId: to })).json).toMatchObject({ imported: 2, duplicates: 2 })
  expect(await imported(to, exported)).toMatchObject({ imported: 0, duplicates: 2 })
  expect(await (await service.send({ path, workspaceId: to })).text().then(sorted)).toEqual(sorted(exported))
  expect((await listed(to)).data[0]).toMatchObject({ model: 'unknown', provider: 'unknown', source: 'import' })
})

const sorted = (text: string) => text.trim().split('\n').toSorted()

it('imports a JSON list, and reports the error of each invalid entry', async () => {
  const workspaceId = await service.addWorkspace()
  const logs = [entry(1), { ...entry(2), model: 7 }, entry(3), { ...entry(4), modle: 'x' }, 'five']
  const { status, json } = await send({ logs }, { workspaceId })
  expect(status).toBe(200)
  expect(json).toMatchObject({
    total: 5,
    imported: 2,
    failed: 3,
    errors: [
      { line: 2, code: 'invalid_request', param: 'logs.1.model', message: '`model` must be a string.' },
      { line: 4, code: 'unknown_parameter', param: 'logs.3.modle', message: 'Unknown parameter: modle.' },
      { line: 5, code: 'invalid_request', param: 'logs.4', message: 'The entry must be an object.' },
    ],
  })
})

it('redacts imported entries', async () => {
  const workspaceId = await service.addWorkspace()
  const secret = 'sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6'
  const messages = [{ role: 'user', content: `The key is ${secret}.` }]
  const response = { role: 'assistant', content: `So it is ${secret}.` }
  expect(await imported(workspaceId, lines({ ...entry(1), messages, response }))).toMatchObject({ imported: 1 })
  const { data } = await listed(workspaceId)
  expect(data[0]).toMatchObject({
    messages: [{ content: 'The key is [redacted].' }],
    response: { content: 'So it is [redacted].' },
    redaction: { count: 2 },
  })
  const rows = await storedExchanges(service.operator, 'e.workspace_id = $1', [workspaceId])
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(secret)
})

it('skips entries larger than 512 KB, and continues behind a very long line', async () => {
  const workspaceId = await service.addWorkspace()
  const large = (bytes: number) => ({ ...entry(bytes), messages: [{ role: 'user', content: 'x'.repeat(bytes) }] })
  const body = lines(large(523_000), large(525_000), large(9 * 1024 * 1024), entry(4))
  expect(await imported(workspaceId, body)).toMatchObject({
    total: 4,
    imported: 2,
    skipped: { too_large: 2 },
    failed: 0,
  })
})

it('imports thousands of entries, and recognizes them the second time', async () => {
  const workspaceId = await service.addWorkspace()
  const body = lines(...Array.from({ length: 2_500 }, (_, n) => ({ ...entry(n), id: `old-${n}` })))
  expect(await imported(workspaceId, body)).toMatchObject({ imported: 2_500 })
  expect(await imported(workspaceId, body)).toMatchObject({ imported: 0, duplicates: 2_500 })
}, 60_000)

it('imports nothing while the workspace does not log', async () => {
  const workspaceId = await service.addWorkspace({ isLogging: false })
  const { status, json } = await send({ logs: [entry(1)] }, { workspaceId })
  expect([status, json.error.code]).toEqual([409, 'logging_disabled'])
})

it('reports the first hundred errors, and the number of all', async () => {
  const workspaceId = await service.addWorkspace()
  const body = `${lines(entry(1))}\n${'{\n'.repeat(150)}`
  const report = await imported(workspaceId, body)
  expect(report).toMatchObject({ total: 151, imported: 1, failed: 150 })
  expect(report.errors).toHaveLength(100)
})

it.each<[string, string, string, string]>([
  ['an empty body', '', 'body', 'There are no log entries.'],
  ['no JSON', 'hello', 'body.1', 'Line 1: The entry is not JSON.'],
  ['a list on a line', '[1]', 'body.1', 'Line 1: The entry must be an object.'],
  ['no messages', '{"model":"m"}', 'body.1.messages', 'Line 1: `messages` is required.'],
  [
    'no answer',
    lines({ messages: [{ role: 'user', content: 'x' }] }),
    'body.1.response',
    "Line 1: `response` is required, unless the last of `messages` is the assistant's.",
  ],
  ['no model', lines({ ...entry(1), model: undefined }), 'body.1.model', 'Line 1: `model` is required.'],
  [
    'two models',
    lines({ ...entry(1), served_model: 'other' }),
    'body.1.served_model',
    'Line 1: `served_model` must be the same as `model`.',
  ],
  [
    'the future',
    lines({ ...entry(1), created_at: '2999-01-01T00:00:00Z' }),
    'body.1.created_at',
    'Line 1: `created_at` must be between 1970 and now.',
  ],
  [
    'a year before time',
    lines({ ...entry(1), created_at: '0000-01-01T00:00:00Z' }),
    'body.1.created_at',
    'Line 1: `created_at` must be between 1970 and now.',
  ],
  [
    'an invalid tag',
    lines({ ...entry(1), tag: 'a\nb' }),
    'body.1.tag',
    'Line 1: `tag` must not contain control characters.',
  ],
  [
    'an invalid trace id',
    lines({ ...entry(1), trace_id: 'a b' }),
    'body.1.trace_id',
    'Line 1: `trace_id` must be 1 to 128 visible ASCII characters.',
  ],
  ['NUL', lines({ ...entry(1), model: 'a\0' }), 'body.1.model', 'Line 1: `model` must not contain the character NUL.'],
  [
    'too many tokens',
    lines({ ...entry(1), prompt_tokens: 3e9 }),
    'body.1.prompt_tokens',
    'Line 1: `prompt_tokens` must be at most 2147483647.',
  ],
  [
    'depth',
    `{"model":"m","messages":[{"role":"user","content":${'['.repeat(300)}${']'.repeat(300)}}],"response":{"role":"assistant"}}`,
    'body.1',
    'Line 1: The entry is nested deeper than 256 levels.',
  ],
  [
    'several invalid lines',
    'a\n\nb',
    'body.1',
    'Line 1: The entry is not JSON. None of the others can be imported either.',
  ],
])('refuses an import of nothing but %s', async (_what, body, param, message) => {
  const { status, json } = await send(body, { headers: jsonl })
  expect([status, json.error]).toMatchObject([400, { code: 'invalid_request', param, message }])
})

it('counts imported entries towards the storage quota until they expire, and duplicates once', async () => {
  const workspaceId = await service.addWorkspace()
  const countOf = async () => {
    const text = 'SELECT expires_on > current_date AND isfinite(expires_on) AS expires, bytes::float8 FROM stored_bytes'
    const { rows } = await service.operator.query(`${text} WHERE workspace_id = $1 AND bytes > 0`, [workspaceId])
    return rows
  }
  await imported(workspaceId, lines(entry(1), entry(2)))
  const counted = await countOf()
  expect(counted).toEqual([{ expires: true, bytes: expect.any(Number) }])
  await imported(workspaceId, lines(entry(1), entry(2)))
  expect(await countOf()).toEqual(counted)
  await service.operator.query(
    `UPDATE stored_bytes SET bytes = 10 * 1024::bigint ^ 3 - 10 WHERE workspace_id = $1 AND expires_on = 'infinity'`,
    [workspaceId],
  )
  const { status, json } = await send(lines(entry(3)), { workspaceId, headers: jsonl })
  expect([status, json.error.code]).toEqual([403, 'quota_exceeded'])
  expect(await listed(workspaceId)).toMatchObject({ total: 2 })
})
