import { randomUUID } from 'node:crypto'
import { Label } from '@ratchet/contracts/labels'
import { publicId } from '@ratchet/contracts/public-id'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { type LabelApp, type LabelRequest, startLabelApp, testSecret } from './label-app.fixture.ts'

let app: LabelApp
beforeAll(async () => {
  app = await startLabelApp()
})
afterAll(() => app?.stop())
afterEach(() => app.failLog(null))

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients do
async function send(method: string, path: string, options?: LabelRequest): Promise<{ status: number; body: any }> {
  const response = await app.request(method, path, options)
  return { status: response.status, body: await response.json() }
}
const grade = (body: object, by?: string) => send('POST', '/v1/labels', { body, ...(by === undefined ? {} : { by }) })

it('returns the label of a single grade, and stores the graded exchange', async () => {
  const criterionId = app.addCriterion()
  const tools = [{ type: 'function', function: { name: 'search' } }]
  const logId = app.log({ tools, tag: 'chat', segment: 's7', trace_id: 'run-1' })
  const sampling = { method: 'balanced', probability: 0.5, stratum: 'a' }
  const sent = { log_id: logId, verdict: 'fail', criterion_id: criterionId, rationale: 'No.', grader: 'ann' }
  const { status, body } = await grade({ ...sent, sampling, blind: true })
  expect([status, body]).toEqual([
    201,
    {
      object: 'label',
      id: expect.stringMatching(/^lbl_[0-9a-f]{32}$/),
      criterion_id: criterionId,
      unit: 'request',
      log_id: logId,
      trace_id: 'run-1',
      rollout_id: null,
      label: 'fail',
      rationale: 'No.',
      grader_id: 'ann',
      grader_type: 'human',
      source: 'api',
      blind: true,
      snapshot: {
        messages: [{ role: 'user', content: '2 + 2?' }],
        response: { role: 'assistant', content: 'Four.' },
        tools,
        model: 'acme/fast',
        segment: 's7',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      sampling,
      superseded_by: null,
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  expect((await send('GET', `/v1/labels/${body.id}`)).body).toEqual(body)
})

it('fills in grader, blind and sampling, and accepts both names of a verdict if they agree', async () => {
  const { body } = await grade({ log_id: app.log(), label: 'pass', verdict: 'pass' })
  expect(body).toMatchObject({ grader_id: app.workspaceId, blind: false, criterion_id: null })
  expect(body.sampling).toEqual({ method: 'picked', probability: null, stratum: null })
})

it('refuses an exchange that is nested too deeply, and continues to serve', async () => {
  const content = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  const deep = app.log({ messages: [{ role: 'user', content }] })
  const { body } = await grade({ labels: [deep, app.log()].map((log_id) => ({ log_id, label: 'pass' })) })
  expect(body).toMatchObject({ created: 1, rejected: [{ index: 0, code: 'invalid_request', param: 'log_id' }] })
})

it('redacts the rationale', async () => {
  const rationale = `It shows ${testSecret} to the user.`
  const { status, body } = await grade({ log_id: app.log(), label: 'fail', rationale })
  expect([status, body.rationale]).toEqual([201, 'It shows [redacted] to the user.'])
  const refused = await grade({ log_id: app.log(), label: 'fail', rationale: 'unredactable' })
  expect([refused.status, refused.body.error.param]).toEqual([400, 'rationale'])
})

it('accepts a rationale of lone surrogates', async () => {
  const { status, body } = await grade({ log_id: app.log(), label: 'pass', rationale: 'a\ud83d', grader: '\udc00' })
  expect([status, body.rationale, body.grader_id]).toEqual([201, 'a\ufffd', '\ufffd'])
})

it('keeps a grade after its log entry was deleted', async () => {
  const { body } = await grade({ log_id: app.log(), label: 'pass' })
  app.failLog(new LoggingIsOff('off'))
  expect((await send('GET', `/v1/labels/${body.id}`)).body.snapshot.response.content).toBe('Four.')
})

it('supersedes a grade by the next one of its grader, and no longer lists it', async () => {
  const by = randomUUID()
  const logId = app.log({}, by)
  const first = await grade({ log_id: logId, label: 'pass' }, by)
  const second = await grade({ log_id: logId, label: 'fail' }, by)
  const listed = async (query: string) => (await send('GET', `/v1/labels${query}`, { by })).body
  expect((await listed('')).data).toEqual([second.body])
  const both = await listed('?include_superseded=true')
  expect(both.data).toEqual([second.body, { ...first.body, superseded_by: second.body.id }])
  expect(both).toMatchObject({ object: 'list', total: 2, limit: 50, offset: 0, has_more: false })
})

it('returns the outcome of each of several grades; a bad one does not affect the others', async () => {
  const by = randomUUID()
  const [a, b] = [app.log({}, by), app.log({}, by)]
  const items = [
    { log_id: a, label: 'pass' },
    { log_id: a, label: 'fail' },
    { log_id: 'log_nope', label: 'pass' },
    { log_id: b, label: 'maybe' },
    'nothing',
    { log_id: b, verdict: 'pass', label: 'fail' },
    { log_id: b, label: 'pass', extra: 1 },
    { trace_id: 't1', label: 'pass', unit: 'trace' },
    { log_id: b, label: 'pass' },
  ]
  const { status, body } = await grade({ labels: items }, by)
  expect(status).toBe(201)
  expect(body).toMatchObject({ object: 'list', created: 3, superseded: 1 })
  expect(body.data.map(({ log_id, label }: Label) => [log_id, label])).toEqual([
    [a, 'pass'],
    [a, 'fail'],
    [b, 'pass'],
  ])
  expect(body.data[0].superseded_by).toBe(body.data[1].id)
  expect(
    body.rejected.map(({ index, code, param }: { index: number; code: string; param: string }) => [index, code, param]),
  ).toEqual([
    [2, 'not_found', 'log_id'],
    [3, 'invalid_request', 'label'],
    [4, 'invalid_request', null],
    [5, 'invalid_request', 'verdict'],
    [6, 'unknown_parameter', 'extra'],
    [7, 'unsupported_unit', 'unit'],
  ])
})

it('accepts 500 grades at once, and reads a limited number of log entries in parallel', async () => {
  const by = randomUUID()
  const labels = Array.from({ length: 500 }, () => ({ log_id: app.log({}, by), label: 'pass' }))
  const { status, body } = await grade({ labels }, by)
  expect([status, body.created, body.rejected]).toEqual([201, 500, []])
  expect(body.data.map(({ log_id }: Label) => log_id)).toEqual(labels.map(({ log_id }) => log_id))
  expect(app.maxReads()).toBeGreaterThan(10)
  expect(app.maxReads()).toBeLessThanOrEqual(25)
  const listed = await send('GET', '/v1/labels?limit=200&offset=400', { by })
  expect([listed.body.total, listed.body.data.length, listed.body.has_more]).toEqual([500, 100, false])
})

it('refuses one or several grades when the log is off or unavailable', async () => {
  const item = { log_id: app.log(), label: 'pass' }
  app.failLog(new LoggingIsOff('off'))
  for (const body of [item, { labels: [item, item] }]) {
    const { status, body: answer } = await grade(body)
    expect([status, answer.error.code]).toEqual([409, 'logging_disabled'])
  }
  app.failLog(new FleetCallError('away', { status: 0 }))
  for (const body of [item, { labels: [item, item] }]) {
    const { status, body: answer } = await grade(body)
    expect([status, answer.error.code]).toEqual([503, 'service_unavailable'])
  }
})

it('gives the same replies for labels of another workspace as for unknown ones', async () => {
  const { body } = await grade({ log_id: app.log(), label: 'pass' })
  const by = randomUUID()
  const text = async (method: string, path: string, options: LabelRequest = {}) => {
    const response = await app.request(method, path, { ...options, by })
    return [response.status, await response.text()]
  }
  const never = '0'.repeat(32)
  const label = await text('GET', `/v1/labels/${body.id}`)
  expect(label).toEqual(await text('GET', `/v1/labels/lbl_${never}`))
  expect(label).toEqual(await text('GET', '/v1/labels/nonsense'))
  expect(label[0]).toBe(404)
  const criterion = app.addCriterion()
  const own = app.log({}, by)
  const attempts = [
    (id: string) => text('POST', '/v1/labels', { body: { log_id: id, label: 'pass' } }),
    (id: string) => text('POST', '/v1/labels', { body: { log_id: own, label: 'pass', criterion_id: id } }),
    (id: string) => text('GET', `/v1/labels/agreement?criterion_id=${id}`),
    (id: string) => text('POST', `/v1/labels/import?criterion_id=${id}`, { body: '{}', type: 'application/jsonl' }),
  ]
  for (const [index, attempt] of attempts.entries()) {
    const [foreign, prefix] = index === 0 ? [app.log(), 'log_'] : [criterion, 'crit_']
    const answer = await attempt(foreign)
    expect(answer[0]).toBe(404)
    expect(answer).toEqual(await attempt(`${prefix}${never}`))
    expect(answer).toEqual(await attempt('nonsense'))
  }
  for (const query of [
    `criterion_id=${criterion}`,
    `log_id=${app.log()}`,
    'criterion_id=nonsense',
    'log_id=nonsense',
  ]) {
    expect((await send('GET', `/v1/labels?${query}`, { by })).body).toMatchObject({ data: [], total: 0 })
    expect(await text('GET', `/v1/labels/export?${query}`)).toEqual([200, ''])
  }
})

const pass = { label: 'pass' }
const badGrades: readonly [object | string, number, string, string | null][] = [
  ['{', 400, 'invalid_request', null],
  ['[]', 400, 'invalid_request', null],
  [{}, 400, 'invalid_request', 'log_id'],
  [{ log_id: 7, ...pass }, 400, 'invalid_request', 'log_id'],
  [{ log_id: null, ...pass }, 400, 'invalid_request', 'log_id'],
  [{ log_id: 'L' }, 400, 'invalid_request', 'label'],
  [{ log_id: 'L', label: 'PASS' }, 400, 'invalid_request', 'label'],
  [{ log_id: 'L', label: null }, 400, 'invalid_request', 'label'],
  [{ log_id: 'L', verdict: true }, 400, 'invalid_request', 'verdict'],
  [{ log_id: 'L', label: 'pass', verdict: 'fail' }, 400, 'invalid_request', 'verdict'],
  [{ log_id: 'L', ...pass, criterion_id: 5 }, 400, 'invalid_request', 'criterion_id'],
  [{ log_id: 'L', ...pass, criterion_id: 'crit_1' }, 404, 'not_found', 'criterion_id'],
  [{ log_id: 'log_1', ...pass }, 404, 'not_found', 'log_id'],
  [{ log_id: `log_${'A'.repeat(32)}`, ...pass }, 404, 'not_found', 'log_id'],
  [{ log_id: 'L', ...pass, unit: 'trace' }, 400, 'unsupported_unit', 'unit'],
  [{ unit: 'trace' }, 400, 'unsupported_unit', 'unit'],
  [{ log_id: 'L', ...pass, unit: 'run' }, 400, 'invalid_request', 'unit'],
  [{ log_id: 'L', ...pass, criterion_id: 'T' }, 400, 'unsupported_unit', 'criterion_id'],
  [{ log_id: 'L', ...pass, rationale: 5 }, 400, 'invalid_request', 'rationale'],
  [{ log_id: 'L', ...pass, rationale: 'x'.repeat(10_001) }, 400, 'invalid_request', 'rationale'],
  [{ log_id: 'L', ...pass, rationale: 'a\0b' }, 400, 'invalid_request', 'rationale'],
  [{ log_id: 'L', ...pass, grader: '' }, 400, 'invalid_request', 'grader'],
  [{ log_id: 'L', ...pass, grader: 'x'.repeat(201) }, 400, 'invalid_request', 'grader'],
  [{ log_id: 'L', ...pass, blind: 'yes' }, 400, 'invalid_request', 'blind'],
  [{ log_id: 'L', ...pass, sampling: 'random' }, 400, 'invalid_request', 'sampling'],
  [{ log_id: 'L', ...pass, sampling: { probability: 1 } }, 400, 'invalid_request', 'sampling.method'],
  [{ log_id: 'L', ...pass, sampling: { method: 'r' } }, 400, 'invalid_request', 'sampling.probability'],
  [{ log_id: 'L', ...pass, sampling: { method: 'r', probability: 0 } }, 400, 'invalid_request', 'sampling.probability'],
  [
    { log_id: 'L', ...pass, sampling: { method: 'r', probability: 1.1 } },
    400,
    'invalid_request',
    'sampling.probability',
  ],
  [{ log_id: 'L', ...pass, sampling: { method: 'r', probability: 1, p: 1 } }, 400, 'unknown_parameter', 'sampling.p'],
  [{ log_id: 'L', ...pass, id: 'x' }, 400, 'unknown_parameter', 'id'],
  [{ labels: [] }, 400, 'invalid_request', 'labels'],
  [{ labels: {} }, 400, 'invalid_request', 'labels'],
  [{ labels: null }, 400, 'invalid_request', 'labels'],
  [{ labels: Array(501).fill({}) }, 400, 'invalid_request', 'labels'],
  [{ labels: [{}], log_id: 'L' }, 400, 'unknown_parameter', 'log_id'],
  [{ log_id: 'L', ...pass, rationale: 'x'.repeat(1_100_000) }, 413, 'request_too_large', null],
]
const badBodies = badGrades.map(([body, ...expected]) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return [text.slice(0, 80), text, ...expected] as const
})
it.each(badBodies)('refuses %s', async (_, text, status, code, param) => {
  const sent = text.replace('"L"', `"${app.log()}"`).replace('"T"', `"${app.addCriterion({ unit: 'trace' })}"`)
  const answer = await send('POST', '/v1/labels', { body: sent })
  expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param])
})

it.each([
  ['POST', '/v1/labels?x=1', 'unknown_parameter', 'x'],
  ['GET', '/v1/labels?x=1', 'unknown_parameter', 'x'],
  ['GET', '/v1/labels?limit=0', 'invalid_request', 'limit'],
  ['GET', '/v1/labels?limit=201', 'invalid_request', 'limit'],
  ['GET', '/v1/labels?offset=-1', 'invalid_request', 'offset'],
  ['GET', '/v1/labels?label=maybe', 'invalid_request', 'label'],
  ['GET', '/v1/labels?source=mail', 'invalid_request', 'source'],
  ['GET', '/v1/labels?start=yesterday', 'invalid_request', 'start'],
  ['GET', '/v1/labels?include_superseded=1', 'invalid_request', 'include_superseded'],
  ['GET', '/v1/labels?grader_id=a%00b', 'invalid_request', 'grader_id'],
  ['GET', '/v1/labels/export?limit=5', 'unknown_parameter', 'limit'],
  ['GET', '/v1/labels/agreement', 'invalid_request', 'criterion_id'],
])('refuses %s %s with %s of %s', async (method, path, code, param) => {
  const { status, body } = await send(method, path, method === 'POST' ? { body: {} } : {})
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
})

it('refuses a body that is no JSON', async () => {
  const { status, body } = await send('POST', '/v1/labels', { body: 'x', type: 'text/plain' })
  expect([status, body.error.code, body.error.param]).toEqual([415, 'unsupported_media_type', 'Content-Type'])
})

it.each(['PATCH', 'DELETE'])('has no %s of a grade', async (method) => {
  const { body } = await grade({ log_id: app.log(), label: 'pass' })
  expect((await app.request(method, `/v1/labels/${body.id}`)).status).toBe(404)
  expect((await send('GET', `/v1/labels/${body.id}`)).body).toEqual(body)
})

it('exports every matching grade as a line, newest first', async () => {
  const by = randomUUID()
  const labels = Array.from({ length: 60 }, (_, n) => ({ log_id: app.log({}, by), label: n % 2 ? 'pass' : 'fail' }))
  await grade({ labels }, by)
  const response = await app.request('GET', '/v1/labels/export?label=fail', { by })
  expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename=labels.jsonl')
  const lines = (await response.text()).trimEnd().split('\n')
  const exported = lines.map((line) => Label.parse(JSON.parse(line)))
  const listed = await send('GET', '/v1/labels?label=fail&limit=200', { by })
  expect(exported).toEqual(listed.body.data)
  expect(exported).toHaveLength(30)
})

it('reports the agreement of graders, and the items to adjudicate', async () => {
  const criterionId = app.addCriterion()
  const [both, tie, split, single] = [app.log(), app.log(), app.log(), app.log()]
  const given = (log_id: string, grader: string, label: string) => ({
    log_id,
    grader,
    label,
    criterion_id: criterionId,
  })
  const labels = [
    ...[given(both, 'ann', 'pass'), given(both, 'bob', 'pass')],
    ...[given(split, 'ann', 'fail'), given(split, 'bob', 'fail'), given(split, 'cid', 'pass')],
    ...[given(tie, 'ann', 'pass'), given(tie, 'bob', 'fail')],
    given(single, 'ann', 'pass'),
  ]
  expect((await grade({ labels })).body.rejected).toEqual([])
  const { body } = await send('GET', `/v1/labels/agreement?criterion_id=${criterionId}`)
  expect(body).toEqual({
    object: 'label.agreement',
    criterion_id: criterionId,
    pairs_n: 5,
    raw_agreement: 0.4,
    raw_agreement_ci: [expect.closeTo(0.1176, 3), expect.closeTo(0.7693, 3)],
    cohen_kappa: expect.closeTo(0.4, 9),
    fleiss_kappa: expect.any(Number),
    per_grader: [
      { grader_id: 'ann', grades: 3, agreement_with_majority: 1 },
      { grader_id: 'bob', grades: 3, agreement_with_majority: 1 },
      { grader_id: 'cid', grades: 1, agreement_with_majority: 0 },
    ],
    disagreements: [tie, split],
  })
})

it('reports no agreement without grades', async () => {
  const { body } = await send('GET', `/v1/labels/agreement?criterion_id=${app.addCriterion()}`)
  expect(body).toMatchObject({ pairs_n: 0, raw_agreement: null, cohen_kappa: null, fleiss_kappa: null, per_grader: [] })
})

describe('a repeated Idempotency-Key', () => {
  it('does not grade again what was stored before a failure, and gets the rest refused', async () => {
    const idempotencyKey = randomUUID()
    const by = randomUUID()
    const labels = Array.from({ length: 40 }, (_, index) => ({
      log_id: app.log({}, by),
      label: 'pass',
      ...(index === 30 ? { rationale: 'redaction fails' } : {}),
    }))
    const first = await send('POST', '/v1/labels', { body: { labels }, by, idempotencyKey })
    expect([first.status, first.body.created, first.body.superseded]).toEqual([201, 25, 0])
    expect(first.body.rejected.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 15 }, (_, index) => 25 + index),
    )
    expect(await send('POST', '/v1/labels', { body: { labels }, by, idempotencyKey })).toEqual(first)
    expect((await send('GET', '/v1/labels?include_superseded=true', { by })).body.total).toBe(25)
  })

  it('gets the labels of the first request, refused ones too, and grades nothing again', async () => {
    const idempotencyKey = randomUUID()
    const by = randomUUID()
    const entry = app.log({}, by)
    const body = {
      labels: [
        { log_id: entry, label: 'pass' },
        { log_id: publicId('log', randomUUID()), label: 'fail' },
      ],
    }
    const first = await send('POST', '/v1/labels', { body, by, idempotencyKey })
    const again = await app.request('POST', '/v1/labels', { body, by, idempotencyKey })
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([201, 'true'])
    expect(await again.json()).toEqual(first.body)
    expect(first.body).toMatchObject({ created: 1, rejected: [{ index: 1, code: 'not_found' }] })
    expect((await send('GET', '/v1/labels?include_superseded=true', { by })).body.total).toBe(1)
    const other = await send('POST', '/v1/labels', { body: { log_id: entry, label: 'fail' }, by, idempotencyKey })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('gets the label of a single grade', async () => {
    const idempotencyKey = randomUUID()
    const body = { log_id: app.log(), label: 'pass' }
    const first = await send('POST', '/v1/labels', { body, idempotencyKey })
    expect(await send('POST', '/v1/labels', { body, idempotencyKey })).toEqual(first)
  })
})
