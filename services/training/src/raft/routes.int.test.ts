import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { fillStorage } from '../artifacts/fill-storage.fixture.ts'
import type { AuditCount } from '../audits/audited-answer.ts'
import { createSurveys } from '../data/data-reading.ts'
import { judge as provenJudge } from '../grpo/grpo.fixture.ts'
import { createPgRoundWork } from './pg-round-work.ts'
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
const version = { id: randomUUID(), name: 'ft:sim/base:w:one:abcdefgh', baseModel: 'sim/base', adapterRank: 8 }
const retiredId = randomUUID()
/** What the log was asked for, and what it has. */
const draws: Json[] = []
let logged = 80

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
            if (![criterionId, unprovenId, retiredId].some((known) => known === id)) return null
            return provenJudge(id, { canAct: id === criterionId, isRetired: id === retiredId })
          },
        },
        versions: {
          get: async ({ workspaceId: by, id }) => (id === version.id && by === workspaceId ? (version as never) : null),
          named: async () => null,
        },
        catalog: {
          async find(_, name) {
            const perMtok = name === 'sim/version' ? 10 : 1
            const prices = { inputPerMtok: perMtok, outputPerMtok: perMtok }
            return name.startsWith('sim/') ? ({ id: name, isChat: true, ...prices } as never) : null
          },
        },
        logging: {
          call: (async (_: unknown, input: Json) => {
            draws.push(input.body)
            return { data: Array.from({ length: logged }, (__, index) => drawn(index)) }
          }) as never,
        },
        promptsOf: createPgRoundWork(run.pool).prompts,
        servedAs: async ({ id }) => served.get(id) ?? null,
        available: async () => available,
        now,
        newId: randomUUID,
        newSeed: () => 7,
      }),
  })
})
afterAll(() => run.drop())

const drawn = (index: number) => ({
  messages: [{ role: 'user', content: `Logged ${index}?` }],
  tools: null,
  reply: index === 0 ? null : { role: 'assistant', content: `Logged reply ${index}.` },
})

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
const nextOf = (id: string) => ({ continueFromRoundId: id, maxCostUsd: 1, samplesPerPrompt: 2, minPassesPerPrompt: 1 })
const storedRound = (id: string) => run.rounds.get({ workspaceId, id: uuidOf('raftRound', id) ?? '' })
const first = (more: object = {}) => ({
  baseModel: 'sim/base',
  datasetId,
  criterionId: publicId('criterion', criterionId),
  maxCostUsd: 5,
  samplesPerPrompt: 2,
  minPassesPerPrompt: 1,
  ...more,
})

const trainedWith = (hyperparameters: object) => ({ fineTuning: { hyperparameters } })
const comparedBy = (judge: object) => ({ evalBaseline: { evalBaselineModel: 'sim/base', ...judge } })

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
  ['holdoutPct', 400, { continueFromRoundId: `raft_${'0'.repeat(32)}`, maxCostUsd: 1, holdoutPct: 20 }],
  ['filters', 400, { continueFromRoundId: `raft_${'0'.repeat(32)}`, maxCostUsd: 1, filters: {} }],
  ['baseModel', 400, first({ modelVersionId: publicId('modelVersion', version.id) })],
  ['modelVersionId', 404, first({ baseModel: null, modelVersionId: `mv_${'0'.repeat(32)}` })],
  ['modelVersionId', 409, first({ baseModel: null, modelVersionId: publicId('modelVersion', version.id) })],
  ['datasetId', 400, first({ filters: { tag: 'support' } })],
  ['datasetId', 400, first({ datasetId: null })],
  ['filters.tags', 400, first({ datasetId: null, filters: { tags: 'support' } })],
  ['holdoutPct', 400, first({ holdoutPct: 51 })],
  ['holdoutPct', 400, first({ holdoutPct: 20, evalDatasetId: datasetId })],
  ['fineTuning.hyperparameters.loraRank', 400, first(trainedWith({ loraRank: 64 }))],
  ['fineTuning.hyperparameters.nEpochs', 400, first(trainedWith({ nEpochs: 21 }))],
  ['fineTuning.hyperparameters.maxSequenceLength', 400, first(trainedWith({ maxSequenceLength: 1_001 }))],
  [
    'fineTuning.hyperparameters.learningRate',
    400,
    first(trainedWith({ learningRate: 1e-4, learningRateMultiplier: 2 })),
  ],
  ['fineTuning.beta', 400, first({ fineTuning: { beta: 1 } })],
  ['evalBaseline', 400, first(comparedBy({}))],
  ['evalBaseline.criterionId', 404, first(comparedBy({ criterionId: `crit_${'0'.repeat(32)}` }))],
  ['evalBaseline.criterionId', 400, first(comparedBy({ criterionId: publicId('criterion', retiredId) }))],
  ['evalBaseline.judgeModel', 404, first(comparedBy({ judgeModel: 'none/of-them' }))],
  ['evalBaseline.evalBaselineModel', 404, first(comparedBy({ judgeModel: 'sim/judge', evalBaselineModel: 'none' }))],
])('is refused because of %s with %i', async (param, status, body) => {
  const answer = await send('post', path, body)
  expect([answer.status, answer.body.error.param]).toEqual([status, param])
})

it('begins with a version that is served: it answers, and its base is trained', async () => {
  served.set(version.id, 'sim/version')
  const modelVersionId = publicId('modelVersion', version.id)
  const body = first({ baseModel: null, modelVersionId })
  const started = await send('post', path, body)
  expect(started).toMatchObject({ status: 202, body: { base_model: 'sim/base', start_model: 'sim/version' } })
  expect(started.body.start_version_id).toBe(modelVersionId)
  const wrongRank = await send('post', path, { ...body, ...trainedWith({ loraRank: 16 }) })
  expect(wrongRank.body.error.param).toBe('fineTuning.hyperparameters.loraRank')
  // A chain goes on with the adapter that it began with.
  await end(started.body.id, { isBetter: false })
  const next = await send('post', path, { ...nextOf(started.body.id), ...trainedWith({ nEpochs: 2 }) })
  expect(next.body).toMatchObject({ start_version_id: modelVersionId, base_model: 'sim/base' })
  const { settings } = (await storedRound(next.body.id)) ?? {}
  expect(settings?.request).toMatchObject({ modelVersionId, fineTuning: { hyperparameters: { nEpochs: 2 } } })
  served.delete(version.id)
})

it('takes prompts of the log, and keeps them for the whole chain', async () => {
  const filters = { tag: 'support' }
  const order = first({ datasetId: null, filters, holdoutPct: 50, seed: 3 })
  const { status, body } = await send('post', path, order)
  expect([status, body.source_dataset_id, body.filters, body.prompts]).toEqual([202, null, filters, 40])
  expect(draws.at(-1)).toEqual({ filters, count: 2_000, seed: 3 })
  const stored = await createPgRoundWork(run.pool).prompts({ workspaceId, id: uuidOf('raftRound', body.id) ?? '' })
  expect(stored).toHaveLength(80)
  const references = new Map(stored.map(({ messages, reference }) => [messages[0]?.content, reference]))
  expect([references.get('Logged 7?'), references.get('Logged 0?')]).toEqual(['Logged reply 7.', null])
  await end(body.id, { isBetter: false })
  const drawsBefore = draws.length
  const next = await send('post', path, nextOf(body.id))
  expect(next.body).toMatchObject({ filters, prompts: 40, round_index: 1 })
  expect(draws.length).toBe(drawsBefore)
  const id = uuidOf('raftRound', next.body.id) ?? ''
  expect(await createPgRoundWork(run.pool).prompts({ workspaceId, id })).toEqual(stored)
  logged = 5
  const few = await send('post', path, order)
  expect(few.body.error).toMatchObject({ code: 'invalid_training_data', param: 'filters' })
  logged = 80
})

it('holds out as many percent as it is asked, also of a dataset with another side', async () => {
  siblingId = publicId('dataset', randomUUID())
  expect((await send('post', path, first({ holdoutPct: 25 }))).body.prompts).toBe(300)
  siblingId = null
})

it('is estimated before it is started, with all that it is asked for', async () => {
  const estimate = async (more: object = {}) => {
    const { status, body } = await send('post', `${path}/estimate`, first({ maxCostUsd: null, ...more }))
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }
  const roundsBefore = (await send('get', '/v1/raft/rounds')).body.total
  const plain = await estimate()
  expect(plain).toMatchObject({ prompts: 360, held_out: 40, answers: 720, base_model: 'sim/base', warnings: [] })
  expect(plain.total_usd).toBeCloseTo(plain.sampling_usd + plain.judging_usd + plain.training_usd, 9)
  const longer = await estimate(trainedWith({ nEpochs: 6 }))
  // Fewer than 1,000 examples are trained three times by default.
  expect([longer.training_tokens, longer.sampling_usd]).toEqual([plain.training_tokens * 2, plain.sampling_usd])
  expect(longer.training_usd).toBeCloseTo(plain.training_usd * 2, 6)
  expect(await estimate({ holdoutPct: 50 })).toMatchObject({ prompts: 200, held_out: 100, answers: 400 })
  expect(await estimate({ datasetId: null, filters: {}, holdoutPct: 50 })).toMatchObject({ prompts: 40, held_out: 40 })
  served.set(version.id, 'sim/version')
  const begun = await estimate({ baseModel: null, modelVersionId: publicId('modelVersion', version.id) })
  expect(begun.start_model).toBe('sim/version')
  expect(begun.sampling_usd).toBeCloseTo(plain.sampling_usd * 10, 9)
  served.delete(version.id)
  expect((await estimate({ maxCostUsd: 0.000_001 })).warnings).toHaveLength(1)
  expect((await send('post', `${path}/estimate`, first(trainedWith({ loraRank: 64 })))).status).toBe(400)
  expect((await send('get', '/v1/raft/rounds')).body.total).toBe(roundsBefore)
})

it('says that an eval by its own judge proves nothing', async () => {
  const own = comparedBy({ criterionId: publicId('criterion', criterionId) })
  const { body } = await send('post', path, first(own))
  expect([body.warnings.length, body.eval_id]).toEqual([1, null])
  expect((await send('post', path, first(comparedBy({ judgeModel: 'sim/judge' })))).body.warnings).toEqual([])
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
  const key = { 'idempotency-key': randomUUID() }
  const repeated = await send('post', `${path}/${id}/resume`, undefined, key)
  expect([repeated.status, repeated.body.status]).toEqual([200, 'training'])
  expect((await send('post', `${path}/${id}/resume`, undefined, { 'idempotency-key': 'ä' })).status).toBe(400)
  await run.operator.query(
    "UPDATE raft_round SET status = 'failed', error_code = 'precision_too_low', finished_at = now() WHERE id = $1",
    [uuid],
  )
  expect((await send('post', `${path}/${id}/resume`)).status).toBe(409)
  expect((await send('post', `${path}/${id}/resume`, undefined, key)).status).toBe(409)
})

it('goes on with a version that was better than its parent, three rounds long, and then asks people to grade its answers', async () => {
  const next = (id: string) => send('post', path, nextOf(id))
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
