import request from 'supertest'
import { emptyStorage, fillStorage } from '../artifacts/fill-storage.fixture.ts'
import { type DistillRun, distillRun } from './distill-run.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

let run: DistillRun
beforeAll(async () => {
  run = await distillRun()
})
beforeEach(() => run.reset())
afterAll(() => run.drop())

async function start(more: object = {}, headers: Record<string, string> = {}, by = run.workspaceId): Promise<Json> {
  const path = '/v1/datasets/distill'
  const body = { name: 'Distilled', teacher_model: 'sim/teacher', dataset_id: run.datasetId, max_cost_usd: 1, ...more }
  const answer = await request(run.app.app)
    .post(path)
    .set({ ...run.app.headersFor('post', path, by), ...headers })
    .send(body)
  return { ...answer.body, http: answer.status }
}

it('keeps what the judge passes of the answers of a teacher', async () => {
  const { id, http, status, progress } = await start({ criterion_id: run.criterionId, samples_per_prompt: 2 })
  expect([http, status, progress.samples, run.calls.size]).toEqual([202, 'building', 60, 0])
  const done = await run.drive(id)
  expect(done).toMatchObject({ status: 'ready', message: null })
  // A third of 60 answers is wrong. Each was asked for once, and judged once.
  expect(done.examples).toHaveLength(40)
  expect(JSON.stringify(done.examples)).not.toMatch(/Wrong|Old/)
  expect(done.progress).toEqual({ samples: 60, answered: 60, refused: 0, judged: 60, passed: 40, cost_usd: 0.00012 })
  expect([run.calls.size, new Set(run.calls.values())]).toEqual([120, new Set([1])])
  expect(run.payers).toEqual(new Set(['distill 1000000000']))
})

it('goes on after a kill without another answer', async () => {
  const { id } = await start({ criterion_id: run.criterionId })
  run.killAfter = 12
  expect((await run.drive(id)).status).toBe('building')
  run.killAfter = null
  const done = await run.drive(id)
  expect([done.status, done.examples.length]).toEqual(['ready', 20])
  // What was paid and not stored is found again under the key of the first try, and costs nothing more.
  expect(run.calls.size).toBe(60)
})

it('keeps every answer without a judge', async () => {
  const { id } = await start()
  expect((await run.drive(id)).examples).toHaveLength(30)
  expect(run.calls.size).toBe(30)
})

it('keeps what there is when the maximum cost is reached', async () => {
  run.limits.calls = 10
  const { id } = await start()
  const done = await run.drive(id)
  expect([done.status, done.examples.length, run.calls.size]).toEqual(['ready', 10, 10])
  expect(done.message).toBe('`max_cost_usd` was reached: 10 of 30 answers were asked for.')
})

it('fails when the maximum cost covers nothing', async () => {
  run.limits.calls = 0
  const { id } = await start()
  expect(await run.drive(id)).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('was reached before'),
  })
})

it('asks for nothing more when the dataset was deleted', async () => {
  const { id } = await start()
  run.datasets.delete(id)
  await expect(run.drive(id)).rejects.toThrow('gone')
  const { rows } = await run.operator.query('SELECT status FROM distillation')
  expect([rows, run.calls.size]).toEqual([[{ status: 'failed' }], 0])
})

it('is forgotten, with prompts and answers, a day after it ended', async () => {
  await run.drive((await start()).id)
  const left = async () => {
    const { rows } = await run.operator.query(
      `SELECT (SELECT count(*)::int FROM distillation) AS orders, (SELECT count(*)::int FROM distill_prompt) AS prompts,
        (SELECT count(*)::int FROM distill_sample) AS samples`,
    )
    return rows[0]
  }
  await run.forget(0)
  expect(await left()).toEqual({ orders: 1, prompts: 30, samples: 30 })
  await run.forget(86_400_001)
  expect(await left()).toEqual({ orders: 0, prompts: 0, samples: 0 })
})

it('takes prompts of the log', async () => {
  const { id } = await start({ dataset_id: undefined, filters: { tag: 't' } })
  expect((await run.drive(id)).examples).toEqual([
    {
      messages: [
        { role: 'user', content: 'Question 1?' },
        { role: 'assistant', content: 'Right answer 1.' },
      ],
    },
  ])
})

it('starts once under a key', async () => {
  const headers = { 'Idempotency-Key': 'a' }
  const first = await start({}, headers)
  expect((await start({}, headers)).id).toBe(first.id)
  expect((await start({ seed: 2 }, headers)).error.code).toBe('idempotency_conflict')
  expect(run.datasets.size).toBe(1)
})

it.each<[string, object, object]>([
  ['an unknown teacher', { teacher_model: 'sim/none' }, { code: 'not_found', param: 'teacher_model' }],
  ['a model without chat', { teacher_model: 'sim/embed' }, { code: 'invalid_request', param: 'teacher_model' }],
  ['a teacher whose terms forbid it', { teacher_model: 'closed/teacher' }, { code: 'outputs_not_trainable' }],
  ['an unknown dataset', { dataset_id: 'ds_1' }, { code: 'not_found', param: 'dataset_id' }],
  ['an unknown judge', { criterion_id: 'crit_1' }, { code: 'not_found', param: 'criterion_id' }],
  ['two sources', { filters: {} }, { code: 'invalid_request', param: 'dataset_id' }],
  ['no source', { dataset_id: null }, { code: 'invalid_request', param: 'dataset_id' }],
  ['nine answers', { samples_per_prompt: 9 }, { code: 'invalid_request', param: 'samples_per_prompt' }],
  ['more than the wallet has', { max_cost_usd: 11 }, { code: 'insufficient_balance', param: 'max_cost_usd' }],
])('refuses %s', async (_, more, error) => {
  expect((await start(more)).error).toMatchObject(error)
  expect([run.datasets.size, (await run.operator.query('SELECT FROM distillation')).rowCount]).toEqual([0, 0])
})

it('takes a teacher whose terms were acknowledged', async () => {
  expect((await start({ teacher_model: 'closed/teacher', acknowledge_terms: true })).http).toBe(202)
})

it('is one of twenty of its workspace that have not ended, and copies no prompts beyond the storage quota', async () => {
  for (let count = 0; count < 20; count += 1) expect((await start()).http).toBe(202)
  expect(await start()).toMatchObject({ http: 403, error: { code: 'quota_exceeded' } })
  await run.reset()
  await fillStorage(run.operator, run.workspaceId, 100)
  expect(await start()).toMatchObject({ http: 403, error: { code: 'quota_exceeded' } })
  await emptyStorage(run.operator, run.workspaceId)
  expect((await start()).http).toBe(202)
})
