import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { anything } from '@ratchet/testing/routes-of'
import { type ServedApp, serveTestApp, testAppDeps, testCaller } from '@ratchet/testing/service-app'
import OpenAI from 'openai'
import { createApp } from './app.ts'
import type { AttemptRouteDeps } from './attempts/routes.ts'
import { createSurveys } from './data/data-reading.ts'
import { linesOf, manyExamples } from './data/examples.fixture.ts'
import type { DedicatedRouteDeps } from './dedicated/routes.ts'
import type { DistillRouteDeps } from './distill/routes.ts'
import { type TrainingRun, trainingRun } from './driver/training-run.fixture.ts'
import type { ToolRouteDeps } from './environment-tools/routes.ts'
import type { GrpoDeps } from './grpo/app.ts'
import type { StepRouteDeps } from './grpo/steps/routes.ts'
import { small } from './jobs/job-app.fixture.ts'
import { createPgJobs } from './jobs/pg-jobs.ts'
import { createPgProgress } from './jobs/pg-progress.ts'
import { jobCostNano } from './money/job-cost.ts'
import type { RoundRouteDeps } from './raft/routes.ts'
import { createPgVersions } from './versions/pg-versions.ts'
import type { VersionRouteDeps } from './versions/routes.ts'

const workspaceId = randomUUID()
const now = () => new Date()
const caller = testCaller({ audience: 'training', now })

let run: TrainingRun
let served: ServedApp
let client: OpenAI

beforeAll(async () => {
  run = await trainingRun()
  const app = createApp({
    ...anything<AttemptRouteDeps>(),
    modelVersions: anything<VersionRouteDeps>(),
    versions: createPgVersions(run.pool),
    tools: anything<ToolRouteDeps>(),
    distill: anything<DistillRouteDeps>(),
    raft: anything<RoundRouteDeps>(),
    grpo: anything<GrpoDeps>(),
    dedicated: anything<DedicatedRouteDeps>(),
    steps: anything<StepRouteDeps>(),
    signer: null,
    ...testAppDeps(now),
    jobs: createPgJobs(run.pool),
    progress: createPgProgress(run.pool),
    money: run.money,
    sources: run.sources,
    reading: createSurveys(),
    judges: { find: async () => null },
    models: { list: async () => [small] },
    servedBy: () => [],
    occupancy: async () => ({ capacities: new Map(), queued: new Map() }),
    followEveryMs: 20,
    newId: randomUUID,
    newSeed: () => 7,
    now,
    identityKeys: [caller.key],
  })
  served = await serveTestApp(app)
  client = new OpenAI({ apiKey: 'unused', baseURL: `${served.origin}/v1`, maxRetries: 0, fetch: signed })
})

afterAll(async () => {
  await served.stop()
  await run.drop()
})

/** Signs each request as the edge would. */
function signed(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { pathname, search } = new URL(String(url))
  const identity = caller.headersFor(init.method ?? 'GET', `${pathname}${search}`, workspaceId)
  return fetch(String(url), { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...identity } })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

async function createJob(more: object = {}): Promise<Json> {
  const uuid = randomUUID()
  run.addData(uuid, linesOf(...manyExamples(40)))
  const body = { model: 'sim/small', datasetId: publicId('dataset', uuid), ...more }
  return client.post('/fine_tuning/jobs', { body })
}

const statusOf = async (id: string) => (await client.fineTuning.jobs.retrieve(id)).status as string
const reaching = (id: string, status: string) => eventually(async () => expect(await statusOf(id)).toBe(status))

it('trains a job from its creation to its last checkpoint, and charges what its tokens cost', async () => {
  const worker = run.startWorker({ jobMs: 200 })
  const created = await createJob()
  const stream = await signed(`${served.origin}/v1/fine_tuning/jobs/${created.id}/events`, {
    headers: { accept: 'text/event-stream' },
  })
  expect(await stream.text()).toContain('event: done\ndata: {"status":"succeeded"}')
  const job: Json = await client.fineTuning.jobs.retrieve(created.id)
  const tokens = 3 * job.data_report.tokens
  expect(job).toMatchObject({ status: 'succeeded', trained_tokens: tokens, held_usd: 0, error: null })
  expect(job.cost_usd).toBe(Number(jobCostNano(BigInt(tokens), 1_000_000_000n)) / 1e9)
  const checkpoints = (await client.fineTuning.jobs.checkpoints.list(created.id)).data
  expect(checkpoints.map(({ step_number }) => step_number)).toEqual([15, 10, 5])
  const metrics: Json = await client.get(`/fine_tuning/jobs/${created.id}/metrics`)
  expect(metrics.data.length).toBeGreaterThan(1)
  await worker.stop()
})

it('pauses a job, holds nothing, and trains on after its resumption', async () => {
  const worker = run.startWorker({ jobMs: 2_000 })
  const { id } = await createJob()
  await reaching(id, 'running')
  await client.fineTuning.jobs.pause(id)
  await reaching(id, 'paused')
  const paused: Json = await client.fineTuning.jobs.retrieve(id)
  expect(paused.held_usd).toBe(0)
  const resumed: Json = await client.fineTuning.jobs.resume(id)
  expect(resumed).toMatchObject({ status: 'queued', cost_usd: paused.cost_usd })
  await reaching(id, 'succeeded')
  const job: Json = await client.fineTuning.jobs.retrieve(id)
  expect(job.trained_tokens).toBe(job.training_tokens)
  expect(job.cost_usd).toBe(Number(jobCostNano(BigInt(job.training_tokens), 1_000_000_000n)) / 1e9)
  await worker.stop()
})

it('gives back the hold of a job that is cancelled before it starts', async () => {
  const { id } = await createJob()
  expect((await client.fineTuning.jobs.cancel(id)).status).toBe('cancelled')
  const worker = run.startWorker()
  await eventually(async () =>
    expect(await client.fineTuning.jobs.retrieve(id)).toMatchObject({ held_usd: 0, cost_usd: 0 }),
  )
  await worker.stop()
})
