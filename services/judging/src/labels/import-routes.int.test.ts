import { randomUUID } from 'node:crypto'
import type { Label, LabelImportSummary } from '@ratchet/contracts/labels'
import { type LabelApp, type LabelRequest, startLabelApp, testSecret } from './label-app.fixture.ts'

let app: LabelApp
beforeAll(async () => {
  app = await startLabelApp()
})
afterAll(() => app?.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients do
async function send(method: string, path: string, options?: LabelRequest): Promise<{ status: number; body: any }> {
  const response = await app.request(method, path, options)
  return { status: response.status, body: await response.json() }
}

interface Import {
  readonly by?: string
  readonly query?: string
}

function importing(body: LabelRequest['body'] & {}, { by = randomUUID(), query = '' }: Import = {}) {
  return send('POST', `/v1/labels/import${query}`, { body, type: 'application/jsonl', by })
}

const linesOf = (...lines: readonly (object | string)[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')

function line(choices: object = {}) {
  return { messages: [{ role: 'user', content: '2 + 2?' }], response: 'Four.', label: 'pass', ...choices }
}

async function imported(by: string, query = ''): Promise<readonly Label[]> {
  return (await send('GET', `/v1/labels?include_superseded=true&limit=200${query}`, { by })).body.data
}

function summary(counts: Partial<LabelImportSummary>) {
  const none = { lines: 0, created: 0, superseded: 0, duplicates: 0, refused: 0, reasons: {}, rejected: [] }
  return { object: 'label.import', ...none, ...counts }
}

it('stores no secret that was sent as an identifier, and knows the item again', async () => {
  const by = randomUUID()
  const token = 'ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'
  const sent = line({ grader: token, external_id: token, model: token })
  expect((await importing(linesOf(sent), { by })).body).toEqual(summary({ lines: 1, created: 1 }))
  expect((await importing(linesOf(sent), { by })).body).toEqual(summary({ lines: 1, duplicates: 1 }))
  const rows = await app.operator.query(
    `SELECT l::text || s::text AS text FROM label l JOIN label_snapshot s ON s.id = l.snapshot_id
     WHERE l.created_by = $1`,
    [by],
  )
  expect(rows.rows).toHaveLength(1)
  expect(rows.rows[0].text).not.toContain('ghp_')
})

it('stores imported grades with the graded exchange, redacted', async () => {
  const by = randomUUID()
  const tools = [{ type: 'function', function: { name: 'search', description: testSecret } }]
  const sent = line({
    messages: [{ role: 'user', content: `my key is ${testSecret}` }],
    response: { role: 'assistant', content: null, tool_calls: [] },
    label: undefined,
    verdict: 'fail',
    rationale: `leaks ${testSecret}`,
    grader: 'ann',
    weight: 4,
    tools,
    model: 'acme/fast',
    external_id: 'row 1',
  })
  const { status, body } = await importing(linesOf(sent), { by })
  expect([status, body]).toEqual([202, summary({ lines: 1, created: 1 })])
  const labels = await imported(by, '&source=import')
  expect(labels).toEqual([
    expect.objectContaining({
      criterion_id: null,
      log_id: null,
      trace_id: null,
      label: 'fail',
      grader_id: 'ann',
      blind: false,
      rationale: 'leaks [redacted]',
      source: 'import',
      superseded_by: null,
      sampling: { method: 'import', probability: 0.25, stratum: null },
      snapshot: {
        messages: [{ role: 'user', content: 'my key is [redacted]' }],
        response: { role: 'assistant', content: null, tool_calls: [] },
        tools: [{ type: 'function', function: { name: 'search', description: '[redacted]' } }],
        model: 'acme/fast',
        segment: 'none',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    }),
  ])
})

it('reads a text as a response of the assistant, and uses the user of the key as the grader', async () => {
  const by = randomUUID()
  await importing(linesOf(line()), { by })
  const [label] = await imported(by)
  expect([label?.snapshot.response, label?.grader_id]).toEqual([{ role: 'assistant', content: 'Four.' }, by])
})

it('adds nothing when it is repeated', async () => {
  const by = randomUUID()
  const file = linesOf(
    ...Array.from({ length: 450 }, (_, n) => line({ response: `${n}`, label: n % 3 ? 'pass' : 'fail', weight: 1 + n })),
    ...Array.from({ length: 50 }, (_, n) => line({ external_id: `row ${n}`, rationale: 'because' })),
  )
  expect((await importing(file, { by })).body).toEqual(summary({ lines: 500, created: 500 }))
  const before = await imported(by)
  expect((await importing(file, { by })).body).toEqual(summary({ lines: 500, duplicates: 500 }))
  expect(await imported(by)).toEqual(before)
})

it('adds grades once when equal imports run at the same time', async () => {
  const by = randomUUID()
  const file = linesOf(...Array.from({ length: 250 }, (_, n) => line({ response: `${n}` })))
  const answers = await Promise.all([1, 2, 3, 4].map(() => importing(file, { by })))
  const sum = (of: (body: LabelImportSummary) => number) => answers.reduce((total, { body }) => total + of(body), 0)
  expect([sum(({ created }) => created), sum(({ duplicates }) => duplicates)]).toEqual([250, 750])
  expect(sum(({ superseded }) => superseded)).toBe(0)
})

it('identifies an item by its id, or else by its content in any order of fields', async () => {
  const by = randomUUID()
  const { label, ...rest } = line({ messages: [{ role: 'user', content: 'Hi', name: 'x' }] })
  const turned = { label, ...rest, messages: [{ name: 'x', content: 'Hi', role: 'user' }] }
  await importing(linesOf({ label, ...rest }, line({ external_id: 'a' })), { by })
  const again = linesOf(turned, line({ external_id: 'a', response: 'Five.' }), line({ external_id: 'b' }))
  expect((await importing(again, { by })).body).toEqual(summary({ lines: 3, created: 2, superseded: 1, duplicates: 1 }))
})

it('supersedes a grade by a later import', async () => {
  const by = randomUUID()
  await importing(linesOf(line()), { by })
  expect((await importing(linesOf(line({ label: 'fail' })), { by })).body).toMatchObject({ created: 1, superseded: 1 })
  const [second, first] = await imported(by)
  expect([second?.label, second?.superseded_by, first?.superseded_by]).toEqual(['fail', null, second?.id])
})

it('leaves out repeated lines and refuses contradicting ones, also when it is repeated', async () => {
  const by = randomUUID()
  const file = linesOf(line(), line(), line({ label: 'fail' }), line({ label: 'fail', grader: 'bob' }))
  const rejected = [
    { line: 3, code: 'conflict', param: 'label', message: expect.stringContaining('Line 1 has another grade') },
  ]
  const refusal = { refused: 1, reasons: { conflict: 1 }, rejected }
  expect((await importing(file, { by })).body).toEqual(summary({ lines: 4, created: 2, duplicates: 1, ...refusal }))
  expect((await importing(file, { by })).body).toEqual(summary({ lines: 4, duplicates: 3, ...refusal }))
})

it('imports for the criterion of the query, the form or the line', async () => {
  const by = randomUUID()
  const [fromRequest, own] = [app.addCriterion({ workspaceId: by }), app.addCriterion({ workspaceId: by })]
  await importing(linesOf(line(), line({ criterion_id: own })), { by, query: `?criterion_id=${fromRequest}` })
  const form = new FormData()
  form.append('criterion_id', fromRequest)
  form.append('file', new Blob([linesOf(line({ response: 'Five.' }))]), 'grades.jsonl')
  expect(await importing(form, { by })).toMatchObject({ status: 202, body: { created: 1 } })
  expect((await imported(by)).map(({ criterion_id }) => criterion_id).toSorted()).toEqual(
    [fromRequest, fromRequest, own].toSorted(),
  )
})

it('stores nothing of a form that names its criterion too late', async () => {
  const by = randomUUID()
  const form = new FormData()
  form.append('file', new Blob([linesOf(line())]), 'grades.jsonl')
  form.append('criterion_id', app.addCriterion({ workspaceId: by }))
  const { status, body } = await importing(form, { by })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'criterion_id'])
  expect(await imported(by)).toEqual([])
})

it('refuses different criteria in form and query, and unknown fields', async () => {
  const by = randomUUID()
  const [one, other] = [app.addCriterion({ workspaceId: by }), app.addCriterion({ workspaceId: by })]
  const formOf = (name: string, value: string) => {
    const form = new FormData()
    form.append(name, value)
    form.append('file', new Blob([linesOf(line())]), 'grades.jsonl')
    return form
  }
  const differing = await importing(formOf('criterion_id', one), { by, query: `?criterion_id=${other}` })
  expect([differing.status, differing.body.error.param]).toEqual([400, 'criterion_id'])
  const unknown = await importing(formOf('purpose', 'x'), { by })
  expect([unknown.status, unknown.body.error.code, unknown.body.error.param]).toEqual([
    400,
    'unknown_parameter',
    'purpose',
  ])
  expect(await imported(by)).toEqual([])
})

it('accepts lone surrogates and NUL characters in all texts', async () => {
  const by = randomUUID()
  const odd = 'a\ud83d'
  const sent = line({ response: `${odd}\0`, rationale: odd, grader: odd, external_id: odd, model: odd })
  expect((await importing(linesOf(sent), { by })).body).toEqual(summary({ lines: 1, created: 1 }))
  expect((await importing(linesOf(sent), { by })).body).toEqual(summary({ lines: 1, duplicates: 1 }))
  const [label] = await imported(by)
  expect([label?.snapshot.response.content, label?.rationale, label?.grader_id]).toEqual([
    `${odd}\0`,
    'a\ufffd',
    'a\ufffd',
  ])
})

it('imports nothing for an unknown criterion, or one of whole runs', async () => {
  const by = randomUUID()
  const absent = await importing(linesOf(line()), { by, query: '?criterion_id=crit_1' })
  expect([absent.status, absent.body.error.param]).toEqual([404, 'criterion_id'])
  const runs = app.addCriterion({ workspaceId: by, unit: 'trace' })
  const unsupported = await importing(linesOf(line()), { by, query: `?criterion_id=${runs}` })
  expect([unsupported.status, unsupported.body.error.code]).toEqual([400, 'unsupported_unit'])
  expect(await imported(by)).toEqual([])
})

const deep = `{"messages":[{"role":"user","content":${'['.repeat(40_000)}${']'.repeat(40_000)}}],"response":"x","label":"pass"}`
const badLines: readonly [string, object | string, string, string | null][] = [
  ['no JSON', '{"messages":', 'invalid_request', null],
  ['no object', '[1]', 'invalid_request', null],
  ['no messages', line({ messages: undefined }), 'invalid_request', 'messages'],
  ['empty messages', line({ messages: [] }), 'invalid_request', 'messages'],
  ['a message without a role', line({ messages: [{ content: 'x' }] }), 'invalid_request', 'messages.0.role'],
  ['no response', line({ response: undefined }), 'invalid_request', 'response'],
  ['a response that is a number', line({ response: 4 }), 'invalid_request', 'response'],
  ['no verdict', line({ label: undefined }), 'invalid_request', 'label'],
  ['another verdict', line({ label: 'good' }), 'invalid_request', 'label'],
  ['two verdicts', line({ verdict: 'fail' }), 'invalid_request', 'verdict'],
  ['a weight below 1', line({ weight: 0.5 }), 'invalid_request', 'weight'],
  ['a negative weight', line({ weight: -3 }), 'invalid_request', 'weight'],
  ['a weight that is a text', line({ weight: '3' }), 'invalid_request', 'weight'],
  ['an endless weight', linesOf(line()).replace('"label"', '"weight":1e999,"label"'), 'invalid_request', 'weight'],
  ['tools that are no list', line({ tools: {} }), 'invalid_request', 'tools'],
  ['an empty grader', line({ grader: '' }), 'invalid_request', 'grader'],
  ['a long rationale', line({ rationale: 'x'.repeat(10_001) }), 'invalid_request', 'rationale'],
  ['a stray field', line({ score: 1 }), 'unknown_parameter', 'score'],
  ['a foreign criterion', line({ criterion_id: 'crit_1' }), 'not_found', 'criterion_id'],
  ['texts that cannot be redacted', line({ response: 'unredactable' }), 'invalid_request', null],
  ['too deep a content', deep, 'invalid_request', null],
  ['too long a line', line({ response: 'x'.repeat(1_048_577) }), 'request_too_large', null],
]
it.each(badLines)('refuses a line with %s and imports the others', async (_, bad, code, param) => {
  const { status, body } = await importing(linesOf(line(), bad, '', line({ response: 'Five.' })))
  const rejected = [{ line: 2, code, param, message: expect.any(String) }]
  expect([status, body]).toEqual([202, summary({ lines: 3, created: 2, refused: 1, reasons: { [code]: 1 }, rejected })])
})

it('lists the first hundred refused lines, and counts all', async () => {
  const { body } = await importing('x\n'.repeat(50_000))
  expect(body).toMatchObject({ lines: 50_000, refused: 50_000, reasons: { invalid_request: 50_000 } })
  expect(body.rejected.map((each: { line: number }) => each.line)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
})

it('refuses too many lines', async () => {
  const { status, body } = await importing('x\n'.repeat(50_001))
  expect([status, body.error.code]).toEqual([413, 'request_too_large'])
})

it.each(['', '\n \n\r\n'])('refuses an import without a line (%j)', async (content) => {
  const { status, body } = await importing(content)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
})

it.each(['application/json', 'text/plain'])('refuses a body of type %s', async (type) => {
  const { status, body } = await send('POST', '/v1/labels/import', { body: linesOf(line()), type })
  expect([status, body.error.code, body.error.param]).toEqual([415, 'unsupported_media_type', 'Content-Type'])
})

it('accepts the other media type of JSON lines, a byte-order mark and carriage returns', async () => {
  const by = randomUUID()
  const body = `\uFEFF${linesOf(line(), line({ response: 'Five.' })).replace('\n', '\r\n')}`
  const answer = await send('POST', '/v1/labels/import', { body, type: 'application/x-ndjson; charset=utf-8', by })
  expect(answer.body).toEqual(summary({ lines: 2, created: 2 }))
})

it('answers a repeated Idempotency-Key with the first summary, as lines and as a form, and refuses other lines', async () => {
  const by = randomUUID()
  const formOf = (text: string) => {
    const form = new FormData()
    form.append('file', new Blob([text]), 'grades.jsonl')
    return form
  }
  for (const bodyOf of [(text: string) => text, formOf]) {
    const idempotencyKey = randomUUID()
    const path = '/v1/labels/import'
    const text = linesOf(line({ grader: idempotencyKey }))
    const sent = (body: string) =>
      send('POST', path, { body: bodyOf(body), type: 'application/jsonl', by, idempotencyKey })
    const first = await sent(text)
    expect(first).toEqual({ status: 202, body: summary({ lines: 1, created: 1 }) })
    expect(await sent(text)).toEqual(first)
    const other = await sent(linesOf(line({ grader: idempotencyKey, label: 'fail' })))
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  }
  expect(await imported(by)).toHaveLength(2)
})

it('counts what grades keep of their exchanges, and refuses it beyond the storage quota', async () => {
  const by = randomUUID()
  await app.operator.query(`INSERT INTO workspace VALUES ($1, $2, 'W', now())`, [by, `w-${by}`])
  await app.operator.query('INSERT INTO workspace_settings (workspace_id, max_storage_gb) VALUES ($1, 1)', [by])
  const fill = `INSERT INTO stored_bytes VALUES ($1, 'infinity', 1024::bigint ^ 3 - 25000)`
  await app.operator.query(fill, [by])
  const graded = (response: string) => importing(linesOf(line({ response: response.repeat(20_000) })), { by })
  expect((await graded('a')).status).toBe(202)
  const { status, body } = await graded('b')
  expect([status, body.error.code]).toEqual([403, 'quota_exceeded'])
  expect(await imported(by)).toHaveLength(1)
  expect((await graded('a')).body).toEqual(summary({ lines: 1, duplicates: 1 }))
  // A rationale is stored with each grade, also of an exchange that is stored already.
  const again = line({ response: 'a'.repeat(20_000), grader: 'other', rationale: 'r'.repeat(10_000) })
  expect(await importing(linesOf(again), { by })).toMatchObject({
    status: 403,
    body: { error: { code: 'quota_exceeded' } },
  })
  expect(await imported(by)).toHaveLength(1)
})
