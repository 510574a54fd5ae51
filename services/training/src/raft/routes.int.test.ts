import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { fillStorage } from '../artifacts/fill-storage.fixture.ts'
import type { AuditCount } from '../audits/audited-answer.ts'
import { createSurveys } from '../data/data-reading.ts'
import { judge as provenJudge } from '../grpo/grpo.fixture.ts'
import type { Round } from './round.ts'
import { type RoundRun, roundRun, trainable } from './round-run.fixture.ts'
import { raftRoutes } from './routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

let run: RoundRun
let app: ReturnType<typeof testApp>
let available = 10_000_000_000n
let siblingId: string | null = null
/** What people found in rounds, by id. */
const found = new Map<string, AuditCount>()
const workspaceId = randomUUID()
const criterionId = randomUUID()
const unprovenId = randomUUID()
const datasetId = publicId('dataset', randomUUID())
const served = new Map<string, string>()
const cancelled: string[] = []

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `Question ${index}?` },
        { role: 'assistant', content: 'Reply.' },
      ],
    }),
  ).join('\n')

beforeAll(async () => {
  run = await roundRun()
  const now = () => new Date()
  app = testApp({
    audience: 'training',
    now,
    routes: (router) =>
      raftRoutes(router, {
        rounds: run.rounds,
        audits: { ...run.audits, found: async () => found },
        jobs: { cancel: async ({ id }) => void cancelled.push(id) as never },
        models: { list: async () => [trainable as never] },
        sources: {
          async facts(_, { id, kind, param }) {
            if (id !== datasetId) throw notFound(kind, param)
            return { uuid: randomUUID(), bytes: 1_000, sha256: null, siblingId }
          },
          content: async () => Buffer.from(lines(400)),
        },
        reading: createSurveys(),
        judges: {
          async find(_, id) {
            if (id !== criterionId && id !== unprovenId) return null
            return provenJudge(id, { canAct: id === criterionId })
          },
        },
        servedAs: async ({ id }) => served.get(id) ?? null,
        available: async () => available,
        now,
        newId: randomUUID,
        newSeed: () => 7,
      }),
  })
})
afterAll(() => run.drop())

async function send(
  method: 'get' | 'post',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  by = workspaceId,
) {
  const sent = request(app.app)
    [method](path)
    .set({ ...app.headersFor(method, path, callerOf(path, by)), ...headers })
  return (await (body === undefined ? sent : sent.send(body))) as { status: number; body: Json; headers: Json }
}

/** A person who is signed in, for paths of the dashboard. */
function callerOf(path: string, by: string) {
  if (!path.startsWith('/session/')) return by
  const session = { id: randomUUID(), mayGrade: false, isFresh: false }
  return { workspaceId: by, userId: by, role: 'owner' as const, keyId: null, session }
}

const path = '/session/raft/rounds'
const first = (more: object = {}) => ({
  baseModel: 'sim/base',
  datasetId,
  criterionId: publicId('criterion', criterionId),
  maxCostUsd: 5,
  samplesPerPrompt: 2,
  minPassesPerPrompt: 1,
  ...more,
})

/** Ends a round, with a version that was better than its parent or was not. */
async function end(id: string, { isBetter }: { readonly isBetter: boolean }): Promise<string> {
  const versionId = randomUUID()
  const holdout: Round['holdout'] = { before: 0.4, after: 0.6, ci: isBetter ? [0.1, 0.3] : [-0.1, 0.3] }
  served.set(versionId, `sim/${versionId}`)
  await run.operator.query(
    "UPDATE raft_round SET status = 'done', finished_at = now(), model_version_id = $2, holdout = $3 WHERE id::text = $1",
    [id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), versionId, JSON.stringify(holdout)],
  )
  return versionId
}

it('starts a round once for each key, and shows it to its workspace alone', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const started = await send('post', path, first({ name: 'support' }), key)
  expect(started).toMatchObject({ status: 202, body: { status: 'sampling', name: 'support', start_model: 'sim/base' } })
  // A tenth of 400 prompts is held out.
  expect(started.body).toMatchObject({ prompts: 360, samples_per_prompt: 2, generated: 0, cost_usd: 0, round_index: 0 })
  const { id } = started.body
  expect((await send('post', path, first({ name: 'support' }), key)).body.id).toBe(id)
  expect((await send('post', path, first({ name: 'other' }), key)).body.error.code).toBe('idempotency_conflict')
  expect((await send('get', `/v1/raft/rounds/${id}`)).body).toEqual(started.body)
  expect((await send('get', `/v1/raft/rounds?chain_id=${id}`)).body).toMatchObject({ total: 1, data: [{ id }] })
  expect((await send('get', '/v1/raft/rounds?criterion_id=nonsense')).body.total).toBe(0)
  expect((await send('get', `/v1/raft/rounds/${id}`, undefined, {}, randomUUID())).status).toBe(404)
})

it.each([
  ['baseModel', 400, first({ baseModel: null })],
  ['baseModel', 400, first({ continueFromRoundId: `raft_${'0'.repeat(32)}` })],
  ['baseModel', 400, first({ baseModel: 'sim/none' })],
  ['datasetId', 404, first({ datasetId: `ds_${'0'.repeat(32)}` })],
  ['criterionId', 404, first({ criterionId: `crit_${'0'.repeat(32)}` })],
  ['criterionId', 412, first({ criterionId: publicId('criterion', unprovenId) })],
  ['secondCriterionId', 400, first({ secondCriterionId: publicId('criterion', criterionId) })],
  ['secondCriterionId', 412, first({ secondCriterionId: publicId('criterion', unprovenId) })],
  ['samplesPerPrompt', 400, first({ samplesPerPrompt: 64 })],
  ['minPassesPerPrompt', 400, first({ minPassesPerPrompt: 2 })],
  ['minPassesPerPrompt', 400, first({ minPassesPerPrompt: 3, dropAllPass: false })],
  ['continueFromRoundId', 404, { continueFromRoundId: `raft_${'0'.repeat(32)}`, maxCostUsd: 1 }],
])('is refused because of %s with %i', async (param, status, body) => {
  const answer = await send('post', path, body)
  expect([answer.status, answer.body.error.param]).toEqual([status, param])
})

it('holds out a tenth when what was held out from the dataset has been deleted', async () => {
  siblingId = publicId('dataset', randomUUID())
  expect(await send('post', path, first())).toMatchObject({ status: 202, body: { prompts: 360 } })
  siblingId = null
})

it('starts nothing that the wallet does not cover', async () => {
  available = 4_999_999_999n
  expect((await send('post', path, first())).body.error).toMatchObject({
    code: 'insufficient_balance',
    param: 'maxCostUsd',
  })
  available = 10_000_000_000n
})

it('is one of twenty of its workspace that have not ended', async () => {
  const by = randomUUID()
  const started = []
  for (let count = 0; count < 20; count += 1) started.push((await send('post', path, first(), {}, by)).body.id)
  const refused = { status: 403, body: { error: { code: 'quota_exceeded' } } }
  expect(await send('post', path, first(), {}, by)).toMatchObject(refused)
  expect((await send('post', `${path}/${started[0]}/cancel`, undefined, {}, by)).status).toBe(200)
  expect((await send('post', path, first(), {}, by)).status).toBe(202)
  expect(await send('post', `${path}/${started[0]}/resume`, undefined, {}, by)).toMatchObject(refused)
})

it('copies no prompts beyond the storage quota', async () => {
  const by = randomUUID()
  await fillStorage(run.operator, by, 10_000)
  expect(await send('post', path, first(), {}, by)).toMatchObject({
    status: 403,
    body: { error: { code: 'quota_exceeded' } },
  })
  expect((await send('get', '/v1/raft/rounds', undefined, {}, by)).body.total).toBe(0)
})

it('is cancelled together with its job, and resumed', async () => {
  const { id } = (await send('post', path, first())).body
  const uuid = id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const jobId = randomUUID()
  await run.operator.query("UPDATE raft_round SET job_id = $2, status = 'training', stage = 'training' WHERE id = $1", [
    uuid,
    jobId,
  ])
  expect((await send('post', `${path}/${id}/cancel`)).body.status).toBe('cancelled')
  expect((await send('post', `${path}/${id}/cancel`)).status).toBe(200)
  expect(cancelled).toContain(jobId)
  expect((await send('post', `${path}/${id}/resume`)).body.status).toBe('training')
  expect((await send('post', `${path}/${id}/resume`)).status).toBe(409)
  await run.operator.query(
    "UPDATE raft_round SET status = 'failed', error_code = 'precision_too_low', finished_at = now() WHERE id = $1",
    [uuid],
  )
  expect((await send('post', `${path}/${id}/resume`)).status).toBe(409)
})

it('goes on with a version that was better than its parent, three rounds long, and then asks people to grade its answers', async () => {
  const next = (id: string) =>
    send('post', path, { continueFromRoundId: id, maxCostUsd: 1, samplesPerPrompt: 2, minPassesPerPrompt: 1 })
  const { id: one } = (await send('post', path, first())).body
  expect((await next(one)).status).toBe(409)
  const better = await end(one, { isBetter: true })
  const two = (await next(one)).body
  expect(two).toMatchObject({ chain_id: one, round_index: 1, previous_round_id: one, start_model: `sim/${better}` })
  expect((await next(one)).status).toBe(409)
  await end(two.id, { isBetter: false })
  const three = (await next(two.id)).body
  // The second version may be no better, so the first one answers again.
  expect(three).toMatchObject({ round_index: 2, start_model: `sim/${better}`, base_model: 'sim/base' })
  expect((await next(one)).body.error.code).toBe('conflict')
  await end(three.id, { isBetter: true })
  const refusal = { code: 'precondition_failed', param: 'continueFromRoundId' }
  expect((await next(three.id)).body.error).toMatchObject(refusal)
  const threeId = uuidOf('raftRound', three.id) ?? ''
  found.set(threeId, { graded: 30, falsePass: 3 })
  expect((await next(three.id)).body.error).toMatchObject(refusal)
  found.set(threeId, { graded: 30, falsePass: 2 })
  expect((await next(three.id)).body).toMatchObject({ round_index: 3, chain_id: one })
})
