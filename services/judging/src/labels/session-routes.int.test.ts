import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { gradeOne } from '@ratchet/contracts/session-labels'
import { type LabelApp, startLabelApp, testSecret } from './label-app.fixture.ts'

let app: LabelApp
beforeAll(async () => {
  app = await startLabelApp()
})
afterAll(() => app.stop())

const question = { role: 'user', content: 'Why?' }
const first = { role: 'assistant', content: 'Let me see.' }

/** Puts a run of two steps into the log. Returns its trace id. */
function logRun(finishReason = 'stop'): string {
  const traceId = randomUUID()
  app.log({ trace_id: traceId, messages: [question], response: first, finish_reason: 'tool_calls', tag: 'support' })
  const response = { role: 'assistant', content: 'Because.' }
  app.log({ trace_id: traceId, messages: [question, first], response, finish_reason: finishReason, tag: 'other' })
  return traceId
}

async function grade(body: object) {
  const answer = await app.request('POST', gradeOne.path, { body: { unit: 'trace', ...body }, session: true })
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients do
  return { status: answer.status, json: (await answer.json()) as any }
}

it('stores a grade of a run with all that a judge reads of it', async () => {
  const criterionId = app.addCriterion({ unit: 'trace' })
  const traceId = logRun()
  const sampling = { method: 'random', probability: 0.5 }
  const sent = {
    trace_id: traceId,
    criterion_id: criterionId,
    label: 'fail',
    rationale: `It says ${testSecret}`,
    sampling,
  }
  const { status, json } = await grade(sent)
  expect([status, json]).toEqual([
    201,
    expect.objectContaining({
      unit: 'trace',
      criterion_id: criterionId,
      log_id: null,
      trace_id: traceId,
      label: 'fail',
      rationale: 'It says [redacted]',
      source: 'review_queue',
      blind: false,
      sampling: { ...sampling, stratum: null },
    }),
  ])
  expect(json.snapshot).toMatchObject({ messages: [question, first], response: { content: 'Because.' }, segment: 's1' })
})

it('supersedes the earlier grade of the same user, and is permanent', async () => {
  const traceId = logRun()
  const [earlier, later] = [
    await grade({ trace_id: traceId, label: 'pass' }),
    await grade({ trace_id: traceId, label: 'fail' }),
  ]
  const read = await (await app.request('GET', `/v1/labels/${earlier.json.id}`)).json()
  expect(read).toMatchObject({ label: 'pass', superseded_by: later.json.id })
  const text = "UPDATE label SET label = 'fail' WHERE id = $1"
  await expect(app.operator.query(text, [uuidOf('label', earlier.json.id)])).rejects.toThrow('only ever added')
})

it.each<[string, () => object, number, string, string]>([
  ['an unknown run', () => ({ trace_id: 'x' }), 404, 'not_found', 'trace_id'],
  ['a run that may continue', () => ({ trace_id: logRun('tool_calls') }), 409, 'conflict', 'trace_id'],
  [
    'a criterion of exchanges',
    () => ({ trace_id: logRun(), criterion_id: app.addCriterion() }),
    400,
    'unsupported_unit',
    'criterion_id',
  ],
  [
    'an unknown criterion',
    () => ({ trace_id: logRun(), criterion_id: publicId('criterion', randomUUID()) }),
    404,
    'not_found',
    'criterion_id',
  ],
  ['another grader', () => ({ trace_id: logRun(), grader: 'me' }), 400, 'unknown_parameter', 'grader'],
  [
    'a run that is too large',
    () => {
      const traceId = randomUUID()
      app.log({ trace_id: traceId, messages: [{ role: 'user', content: 'x'.repeat(5_000_000) }] })
      return { trace_id: traceId }
    },
    400,
    'context_length_exceeded',
    'trace_id',
  ],
])('refuses %s', async (_what, sent, status, code, param) => {
  const refused = await grade({ label: 'pass', ...sent() })
  expect([refused.status, refused.json.error.code, refused.json.error.param]).toEqual([status, code, param])
})

it('refuses runs of other workspaces like unknown ones', async () => {
  const traceId = randomUUID()
  app.log({ trace_id: traceId }, randomUUID())
  expect((await grade({ trace_id: traceId, label: 'pass' })).status).toBe(404)
})
