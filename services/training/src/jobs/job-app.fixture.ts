import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { anything } from '@ratchet/testing/routes-of'
import { testAppDeps, testCaller } from '@ratchet/testing/service-app'
import type { Express } from 'express'
import request from 'supertest'
import { createApp } from '../app.ts'
import type { AttemptRouteDeps } from '../attempts/routes.ts'
import { createSurveys } from '../data/data-reading.ts'
import { linesOf, manyExamples } from '../data/examples.fixture.ts'
import type { SourceReader } from '../data/source-reader.ts'
import { maxSurveyedBytes } from '../data/training-source.ts'
import type { DedicatedRouteDeps } from '../dedicated/routes.ts'
import type { DistillRouteDeps } from '../distill/routes.ts'
import type { ToolRouteDeps } from '../environment-tools/routes.ts'
import type { GrpoDeps } from '../grpo/app.ts'
import { judge } from '../grpo/grpo.fixture.ts'
import type { FoundJudge } from '../grpo/rewards/judge-directory.ts'
import type { StepRouteDeps } from '../grpo/steps/routes.ts'
import type { JobHold } from '../money/job-money.ts'
import type { RoundRouteDeps } from '../raft/routes.ts'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import type { VersionRouteDeps } from '../versions/routes.ts'
import { isFinal, type NewJob, type TrainingJob } from './job.ts'
import type { JobStore } from './job-store.ts'
import type { JobEvent, ProgressStore } from './progress-store.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
  readonly text: string
}

/** Sources that exist, by id: two datasets, one of them with a split, a file, and one that is too large to be read at once. */
export const datasetId = 'ds_00000000000070008000000000000001'
export const splitId = 'ds_00000000000070008000000000000002'
export const siblingId = 'ds_00000000000070008000000000000003'
export const fileId = 'file-00000000000070008000000000000004'
export const largeId = 'file-00000000000070008000000000000005'
/** Its held out dataset was deleted. */
export const aloneId = 'ds_00000000000070008000000000000007'
export const badId = 'file-00000000000070008000000000000006'

const contents = new Map([
  [datasetId, linesOf(...manyExamples(20))],
  [splitId, linesOf(...manyExamples(30))],
  [siblingId, linesOf(...manyExamples(5))],
  [aloneId, linesOf(...manyExamples(12))],
  [fileId, linesOf(...manyExamples(10))],
  [badId, linesOf(...manyExamples(10), 'not JSON')],
])

const siblings = new Map([
  [splitId, siblingId],
  [aloneId, 'ds_00000000000070008000000000000008'],
])

const existing: SourceReader = {
  async facts(_, { id, kind, param }) {
    const content = contents.get(id)
    const uuid = id.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    if (id === largeId) return { uuid, bytes: maxSurveyedBytes + 4, sha256: null, siblingId: null }
    if (content === undefined) throw notFound(kind, param)
    return { uuid, bytes: content.length, sha256: null, siblingId: siblings.get(id) ?? null }
  },
  async content(_, { id, kind, param }) {
    const content = contents.get(id)
    if (content === undefined) throw notFound(kind, param)
    return content
  },
}

export const small: BaseModel = {
  id: 'sim/small',
  source: 'sim/small',
  sourceSha256: null,
  trainers: ['sim'],
  prices: new Map([['supervised', 1_000_000_000n]]),
  grpo: null,
  maxContext: 1_000,
  loraRanks: [8, 16],
  full: false,
  supportsTools: true,
  chatTemplateSha256: null,
  license: 'Apache-2.0',
  retiresAt: null,
  tokensPerSecond: 100,
}

export interface JobApp {
  readonly app: Express
  readonly workspaceId: string
  readonly stored: Map<string, TrainingJob>
  readonly holds: { readonly hold: JobHold; readonly amountNano: bigint }[]
  readonly released: JobHold[]
  readonly events: JobEvent[]
  /** Changes a job, as workers do. @param id its public id */
  change(id: string, changes: Partial<TrainingJob>): void
  send(method: 'get' | 'post', path: string, sent?: Sent): Promise<Answer>
  /** Headers of a request of the app's own workspace. */
  headersFor(method: string, path: string): Record<string, string>
}

export interface Sent {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Id of the calling workspace; the app's own when absent. */
  readonly by?: string
}

interface Options {
  /** Whether the wallet covers what is held. */
  readonly covers?: boolean
  readonly progress?: Partial<ProgressStore>
  /** In place of those of the store in memory. */
  readonly jobs?: Partial<JobStore>
  /** In place of those that exist. */
  readonly sources?: SourceReader
}

/** Public ids of judges: a retired one, one of whole runs, and one that does not exist. */
export const [retiredId, ofRunsId, goneId] = [1, 2, 3].map((each) =>
  publicId('criterion', `00000000-0000-7000-8000-00000000000${each}`),
) as [string, string, string]

/** What differs in judges of an eval from those that it may have. */
const judges: Readonly<Record<string, Partial<FoundJudge>>> = {
  [retiredId]: { isRetired: true },
  [ofRunsId]: { unit: 'trace' },
}

/** The whole API of training, with fakes for its stores and for the other services. */
export function jobApp({ covers = true, progress = {}, jobs = {}, sources = existing }: Options = {}): JobApp {
  const { now } = fixedClock()
  const caller = testCaller({ audience: 'training', now })
  const workspaceId = randomUUID()
  const stored = new Map<string, TrainingJob>()
  const [holds, released, events]: [JobApp['holds'], JobHold[], JobEvent[]] = [[], [], []]
  const app = createApp({
    ...anything<AttemptRouteDeps>(),
    modelVersions: anything<VersionRouteDeps>(),
    versions: { get: async () => null, named: async () => null },
    tools: anything<ToolRouteDeps>(),
    distill: anything<DistillRouteDeps>(),
    raft: anything<RoundRouteDeps>(),
    grpo: anything<GrpoDeps>(),
    dedicated: anything<DedicatedRouteDeps>(),
    steps: anything<StepRouteDeps>(),
    signer: null,
    models: { list: async () => [small] },
    sources,
    reading: createSurveys(),
    judges: {
      find: async (_, id) => {
        const publicly = publicId('criterion', id)
        return publicly === goneId ? null : { ...judge(id), ...judges[publicly] }
      },
    },
    servedBy: () => ['pool'],
    occupancy: async () => ({
      capacities: new Map([['sim', { total: 2, free: 1 }]]),
      queued: new Map([['sim/small', 3]]),
    }),
    jobs: { ...memoryJobs(stored), ...jobs },
    progress: { ...noProgress(events), ...progress },
    money: {
      async hold(hold, amountNano) {
        if (covers) holds.push({ hold, amountNano })
        return covers
      },
      release: async (hold) => void released.push(hold),
    },
    followEveryMs: 1,
    newId: countingUuids(),
    newSeed: () => 42,
    ...testAppDeps(now),
    identityKeys: [caller.key],
    now,
  })
  return {
    app,
    workspaceId,
    stored,
    holds,
    released,
    events,
    change(id, changes) {
      const job = [...stored.values()].find((each) => id === `ftjob-${each.id.replaceAll('-', '')}`)
      if (job === undefined) throw new Error(`no job ${id}`)
      stored.set(job.id, { ...job, ...changes })
    },
    headersFor: (method, path) => caller.headersFor(method, path, workspaceId),
    async send(method, path, { body, headers = {}, by = workspaceId } = {}) {
      const call = request(app)
        [method](path)
        .set({ ...caller.headersFor(method, path, by), ...headers })
      return (await (body === undefined ? call : call.send(body))) as unknown as Answer
    },
  }
}

function noProgress(events: JobEvent[]): ProgressStore {
  return {
    eventsBefore: async () => [],
    eventsAfter: async () => [],
    placeOf: async () => null,
    checkpoints: async () => [],
    stepOf: async () => null,
    metrics: async () => [],
    addEvent: async (_, event) => void events.push({ ...event, seq: events.length + 1 }),
  }
}

/** A fake of the store of jobs. */
function memoryJobs(stored: Map<string, TrainingJob>): JobStore {
  const get: JobStore['get'] = async ({ workspaceId, id }) => {
    const job = stored.get(id)
    return job?.workspaceId === workspaceId ? job : null
  }
  const change = (job: TrainingJob, changes: Partial<TrainingJob>) => {
    stored.set(job.id, { ...job, ...changes })
    return get(job)
  }
  return {
    get,
    async create(job) {
      if (stored.has(job.id)) throw new Error('duplicate key')
      stored.set(job.id, created(job))
      return created(job)
    },
    async list({ workspaceId, status, model, after, limit }) {
      const own = [...stored.values()].reverse().filter((job) => job.workspaceId === workspaceId)
      const from = after === undefined ? 0 : own.findIndex(({ id }) => id === after.id) + 1
      return own
        .slice(from)
        .filter((job) => (status ?? job.status) === job.status && (model ?? job.baseModel) === job.baseModel)
        .slice(0, limit)
    },
    async cancel(where, finishedAt) {
      const job = await get(where)
      if (job === null || isFinal(job)) return null
      return change(job, job.status === 'running' ? { asked: 'cancel' } : { status: 'cancelled', finishedAt })
    },
    async pause(where) {
      const job = await get(where)
      return job?.status === 'running' && job.asked !== 'cancel' ? change(job, { asked: 'pause' }) : null
    },
    async resume(where, { number, amountNano }) {
      const job = await get(where)
      if (job?.status !== 'paused' || job.holdNumber !== number - 1) return null
      return change(job, { status: 'queued', asked: null, holdNumber: number, heldNano: amountNano })
    },
    countReaders: async ({ workspaceId, sourceId }) =>
      [...stored.values()].filter(
        (job) =>
          job.workspaceId === workspaceId &&
          job.status === 'validating_files' &&
          [job.datasetId, job.trainingFile, job.evalDatasetId, job.validationFile].includes(sourceId),
      ).length,
    countUnfinished: async (workspaceId) =>
      [...stored.values()].filter((job) => job.workspaceId === workspaceId && !isFinal(job)).length,
    count: async () => ({ running: new Map(), queued: new Map() }),
  }
}

function created(job: NewJob): TrainingJob {
  return {
    ...job,
    request: JSON.parse(JSON.stringify(job.request)),
    status: 'validating_files',
    phase: null,
    waitingFor: null,
    asked: null,
    dataReport: null,
    datasetSha256: null,
    tokensExact: false,
    costNano: 0n,
    holdNumber: 1,
    step: 0,
    totalSteps: job.settings.plan.total_steps,
    epoch: 0,
    stoppedEarly: null,
    error: null,
    lostAttempts: 0,
    version: null,
    afterEvalId: null,
    resultFile: null,
    durableTokens: null,
    run: null,
    finishedAt: null,
  }
}
