import { type DatasetApp, startDatasetApp } from './dataset-app.fixture.ts'

let app: DatasetApp
beforeAll(async () => {
  app = await startDatasetApp()
})
afterAll(() => app.stop())
beforeEach(() => app.done.clear())

const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL'

type Outcome = 'win' | 'loss' | 'tie' | 'error'

function sample(index: number, outcome: Outcome, changes: object = {}) {
  const winner = outcome === 'win' ? 'new' : outcome === 'loss' ? 'old' : 'tie'
  return {
    prompt: { messages: [{ role: 'user', content: `Question ${index}?` }], tools: null },
    baseline: { model: 'old', text: `old ${index}`, tool_calls: null },
    candidates: { new: { model: 'new', text: `new ${index}`, tool_calls: null } },
    outcomes: { new: outcome },
    orders: [0, 1].map(() => ({ candidate: 'new', winner })),
    ...changes,
  }
}

function have(id: string, samples: readonly object[], changes: object = {}) {
  const read = {
    id,
    status: 'DONE',
    candidate_models: ['new'],
    report: { candidates: { new: { consistency_rate: 0.8 } } },
    ...changes,
  }
  app.done.set(id, { read, samples })
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as clients would
type Json = any

async function curate(body: object, headers: Record<string, string> = {}): Promise<{ status: number; body: Json }> {
  const answer = await app.send('POST', '/v1/datasets/from_evals', { name: 'pairs', ...body }, undefined, headers)
  return { status: answer.status, body: await answer.json() }
}

const linesOf = async (id: string) =>
  (await (await app.send('GET', `/v1/datasets/${id}/export`)).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

it('makes pairs of what was decided in both orders, and counts the rest', async () => {
  have('eval_1', [
    sample(1, 'win'),
    sample(2, 'loss'),
    sample(3, 'tie'),
    sample(4, 'tie', {
      orders: [
        { candidate: 'new', winner: 'new' },
        { candidate: 'new', winner: 'old' },
      ],
    }),
    sample(5, 'error'),
    sample(6, 'win', { prompt: null }),
    sample(7, 'win', { baseline: { model: 'old', text: null, tool_calls: null } }),
    sample(1, 'win'),
  ])
  const { status, body } = await curate({ eval_ids: ['eval_1'] })
  expect(status).toBe(201)
  expect(body.summary).toEqual({
    matched: 8,
    dropped: { tie: 1, inconsistent: 1, other_outcome: 0, no_answer: 2, deleted: 1, duplicate: 1 },
    train_count: 2,
    eval_count: 0,
  })
  expect(body.dataset).toMatchObject({ format: 'preference', source: 'evals', filters: { eval_ids: ['eval_1'] } })
  const lines = await linesOf(body.dataset.id)
  expect(lines).toHaveLength(2)
  expect(lines.find(({ input }: Json) => input.messages[0].content === 'Question 2?')).toEqual({
    input: { messages: [{ role: 'user', content: 'Question 2?' }] },
    preferred_output: [{ role: 'assistant', content: 'old 2' }],
    non_preferred_output: [{ role: 'assistant', content: 'new 2' }],
  })
  const { data } = (await (await app.send('GET', `/v1/datasets/${body.dataset.id}/examples`)).json()) as Json
  expect(data[0]).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }], non_preferred_output: [{}] })
  expect((await app.send('GET', `/v1/datasets/${body.dataset.id}/export?format=csv`)).status).toBe(400)
})

it('the same evals give the same bytes, and sides without a common conversation', async () => {
  have(
    'eval_1',
    Array.from({ length: 230 }, (_, index) => sample(index, index % 2 === 0 ? 'win' : 'loss')),
  )
  const order = { eval_ids: ['eval_1'], holdout_pct: 20, seed: 3 }
  const [first, second] = [await curate(order), await curate(order)]
  expect(second.body.dataset.sha256).toBe(first.body.dataset.sha256)
  expect(first.body.summary).toMatchObject({ train_count: 184, eval_count: 46 })
  expect(first.body.eval_dataset).toMatchObject({ name: 'pairs-eval', kind: 'eval', sibling_id: first.body.dataset.id })
  const questions = async (id: string) => (await linesOf(id)).map(({ input }: Json) => input.messages[0].content)
  const train = new Set(await questions(first.body.dataset.id))
  expect((await questions(first.body.eval_dataset.id)).filter((each: string) => train.has(each))).toEqual([])
})

it('redacts secrets, takes one outcome, and answers a repetition with the first answer', async () => {
  const leaked = { new: { model: 'new', text: `The key is ${secret}`, tool_calls: null } }
  have('eval_1', [sample(1, 'win', { candidates: leaked }), sample(2, 'loss')])
  const headers = { 'idempotency-key': 'once' }
  const { body } = await curate({ eval_ids: ['eval_1'], outcomes: ['win'] }, headers)
  expect(body).toMatchObject({ redaction: { count: 1 }, summary: { train_count: 1, dropped: { other_outcome: 1 } } })
  expect(JSON.stringify(await linesOf(body.dataset.id))).not.toContain(secret)
  expect((await curate({ eval_ids: ['eval_1'], outcomes: ['win'] }, headers)).body.dataset.id).toBe(body.dataset.id)
})

it.each([
  ['an eval that does not exist', {}, { eval_ids: ['eval_9'] }, 404, 'not_found', 'eval_ids.0'],
  ['one that is not done', { status: 'RUNNING' }, {}, 409, 'conflict', 'eval_ids.0'],
  ['several candidates', { candidate_models: ['new', 'third'] }, {}, 400, 'invalid_request', 'candidate'],
  ['another candidate', {}, { candidate: 'third' }, 400, 'invalid_request', 'candidate'],
  ['a judge that contradicts itself', {}, { min_consistency: 0.81 }, 412, 'precondition_failed', 'eval_ids.0'],
  ['nothing that was decided', {}, { outcomes: ['loss'] }, 400, 'invalid_request', 'eval_ids'],
  ['an unknown field', {}, { colour: 'red' }, 400, 'unknown_parameter', 'colour'],
])('refuses %s', async (_name, changes, more, status, code, param) => {
  have('eval_1', [sample(1, 'win')], changes)
  const answer = await curate({ eval_ids: ['eval_1'], ...more })
  expect([answer.status, answer.body.error]).toMatchObject([status, { code, param }])
})

it('keeps no more pairs in memory than some megabytes', async () => {
  const prompt = { messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }], tools: null }
  have(
    'eval_1',
    Array.from({ length: 33 }, (_, index) => {
      const answer = { new: { model: 'new', text: `new ${index}`, tool_calls: null } }
      return sample(index, 'win', { prompt, candidates: answer })
    }),
  )
  const { status, body } = await curate({ eval_ids: ['eval_1'] })
  expect([status, body.error.param]).toEqual([400, 'eval_ids'])
  expect(body.error.message).toContain('32 MB')
})
