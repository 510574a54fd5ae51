import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { StartRaftRound } from '@ratchet/contracts/session-raft'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { anything } from '@ratchet/testing/routes-of'
import { createSurveys } from '../data/data-reading.ts'
import type { NewJob, TrainingJob } from '../jobs/job.ts'
import { createPgPoolRequests } from '../pool/pg-pool-requests.ts'
import { createBringToServe } from '../versions/bring-to-serve.ts'
import { createCandidateVersion } from '../versions/pg-create-version.ts'
import { createPgVersions } from '../versions/pg-versions.ts'
import { type AdvanceRoundDeps, advanceRound } from './advance-round.ts'
import { createPgRoundAudits } from './pg-round-audits.ts'
import { createPgRoundWork } from './pg-round-work.ts'
import { createPgRounds } from './pg-rounds.ts'
import { isOver, type NewRound, type RoundKey, type RoundPrompt, type ShownRound } from './round.ts'

export interface RoundRun {
  readonly pool: Pool
  readonly operator: Pool
  readonly rounds: ReturnType<typeof createPgRounds>
  readonly audits: ReturnType<typeof createPgRoundAudits>
  /** Calls of models and judges, by the keys that they were made under. */
  readonly calls: Map<string, number>
  readonly datasets: object[][]
  readonly jobs: Map<string, NewJob>
  /** Ids of jobs that were cancelled. */
  readonly cancelled: string[]
  /** Called when a job has been created. */
  onJob: (job: NewJob) => Promise<void>
  /** Share of right answers of each model. */
  readonly quality: Map<string, number>
  /** Throws before the next answers are stored, as often as this. */
  failures: number
  /** Base models whose adapters engines share, and what happens when a version is brought to them. */
  readonly poolBases: Set<string>
  onServe: () => Promise<unknown>
  create(more?: Partial<NewRound>, request?: object): Promise<NewRound>
  /** Takes steps until a round is over, or waits for its job. */
  drive(round: RoundKey): Promise<ShownRound>
  /** Ends the job of a round with a version that this model answers as. */
  train(round: RoundKey, servedAs: string | null): Promise<void>
  notices(round: RoundKey): Promise<readonly string[]>
  drop(): Promise<void>
}

const prompt = (index: number): RoundPrompt => ({
  messages: [{ role: 'user', content: `Question ${index}?` }],
  tools: null,
  reference: `Right answer of people ${index}.`,
})

/** UUID of a judge that does not exist. */
export const goneJudge = randomUUID()

export const accuracy = { tpr: 0.9, tnr: 0.9, tprCi: [0.826, 0.945], tnrCi: [0.826, 0.945] } as const

/** A number from 0 to 1 that is the same for the same parts. */
function share(...parts: readonly string[]): number {
  return Number.parseInt(deterministicId(...parts).slice(0, 8), 16) / 2 ** 32
}

/** Rounds on a database of their own. Models and the judge answer by chance, with known rates; datasets and jobs are kept in memory. */
export async function roundRun(): Promise<RoundRun> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 6 })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const rounds = createPgRounds(pool)
  const work = createPgRoundWork(pool)
  const calls = new Map<string, number>()
  const count = (key: string) => calls.set(key, (calls.get(key) ?? 0) + 1)
  const jobs = new Map<string, NewJob>()
  const ended = new Set<string>()
  const quality = new Map([['sim/base', 0.7]])
  const datasets: object[][] = []
  const run: RoundRun = {
    pool,
    operator,
    rounds,
    audits: createPgRoundAudits(pool),
    calls,
    datasets,
    jobs,
    cancelled: [],
    onJob: async () => undefined,
    quality,
    failures: 0,
    poolBases: new Set(),
    onServe: async () => undefined,
    async create(more = {}, request = {}) {
      const id = more.id ?? randomUUID()
      const asked = { baseModel: 'sim/base', datasetId: 'ds_1', criterionId: 'crit_1', maxCostUsd: 5, ...request }
      const round: NewRound = {
        id,
        workspaceId: randomUUID(),
        name: null,
        baseModel: 'sim/base',
        startModel: 'sim/base',
        startVersionId: null,
        chainId: id,
        roundIndex: 0,
        previousRoundId: null,
        sourceDatasetId: randomUUID(),
        settings: { request: StartRaftRound.parse(asked), seed: 7, prompts: 60 },
        judges: [
          {
            role: 'reward',
            criterionId: randomUUID(),
            judgeModel: 'sim/judge',
            prompt: 'Wrong.',
            instrument: 1,
            trust: 'trustworthy',
            ...accuracy,
          },
        ],
        warnings: [],
        maxCostNano: 5_000_000_000n,
        createdBy: randomUUID(),
        createdAt: new Date(),
        train: Array.from({ length: 60 }, (_, index) => prompt(index)),
        heldOut: Array.from({ length: 40 }, (_, index) => prompt(1_000 + index)),
        ...more,
      }
      if (!(await rounds.create(round))) throw new Error('Another round of the chain has not ended.')
      return round
    },
    async drive(key) {
      for (let turns = 0; turns < 500; turns += 1) {
        const [leased] = await work.take({ limit: 1, inProgress: [], maxOfWorkspace: 1 }, 30_000)
        if (leased !== undefined) await advanceRound(deps, leased)
        const shown = await rounds.get(key)
        if (shown === null) throw new Error('The round is gone.')
        if (isOver(shown) || (shown.status === 'training' && shown.jobId !== null && !ended.has(shown.jobId)))
          return shown
        // Waits are of seconds; nobody needs them here.
        await operator.query('UPDATE raft_round SET leased_until = now()')
      }
      throw new Error('The round does not end.')
    },
    async train({ workspaceId, id }, servedAs) {
      const round = await rounds.get({ workspaceId, id })
      const jobId = round?.jobId ?? ''
      ended.add(jobId)
      await createCandidateVersion(pool, {
        id: randomUUID(),
        workspaceId,
        baseModel: 'sim/base',
        suffix: null,
        producedBy: { type: 'raft', id },
        jobId,
        step: 1,
        parentId: null,
        datasetId: null,
        files: [{ name: 'adapter_model.safetensors', kind: 'adapter', sha256: 'ab'.repeat(32), bytes: 8 }],
        adapterRank: 8,
        metrics: {},
        servedAs,
        createdBy: randomUUID(),
      })
    },
    async notices({ id }) {
      const { rows } = await operator.query<{ type: string }>('SELECT type FROM training_notice WHERE data LIKE $1', [
        `%${publicId('raftRound', id)}%`,
      ])
      return rows.map(({ type }) => type)
    },
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
  const deps = fakes(run, { work, count, ended })
  return run
}

interface Fakes {
  readonly work: AdvanceRoundDeps['work']
  readonly count: (key: string) => void
  readonly ended: ReadonlySet<string>
}

function fakes(run: RoundRun, { work, count, ended }: Fakes): AdvanceRoundDeps {
  const fail = () => {
    if (run.failures === 0) return
    run.failures -= 1
    throw new Error('The connection is lost.')
  }
  const poolRequests = createPgPoolRequests(run.pool)
  return {
    ...anything<AdvanceRoundDeps>(),
    bringToServe: createBringToServe({
      versions: createPgVersions(run.pool),
      poolRequests: {
        ...poolRequests,
        async serve(version, most) {
          const hasRoom = await poolRequests.serve(version, most)
          await run.onServe()
          return hasRoom
        },
      },
      poolBases: run.poolBases,
      maxAdapterRank: 64,
      maxPoolVersions: 5,
    }),
    purpose: 'raft',
    work: {
      ...work,
      async answer(...args) {
        fail()
        await work.answer(...args)
      },
      async judge(...args) {
        fail()
        await work.judge(...args)
      },
    },
    rounds: run.rounds,
    inference: {
      async send({ headers, body }) {
        const key = headers?.['idempotency-key'] ?? ''
        count(key)
        const { model } = JSON.parse(String(body)) as { readonly model: string }
        const isRight = share(key, 'answer') < (run.quality.get(model) ?? 0)
        const content = `${isRight ? 'Right' : 'Wrong'} answer with the words ${key.slice(0, 8)} of ${key.slice(9, 13)} today.`
        const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }]
        const usage = { prompt_tokens: 10, completion_tokens: 10 }
        return {
          status: 200,
          headers: { 'x-internal-cost-nano': '1000' },
          body: Buffer.from(JSON.stringify({ model, choices, usage })),
        }
      },
    },
    async judgeExchange({ judgementId, exchange }) {
      count(judgementId)
      const isRight = String(exchange.response.content).startsWith('Right')
      const isSeen = share(judgementId, 'verdict') < 0.9
      const choice = isRight === isSeen ? ('pass' as const) : ('fail' as const)
      return { finding: { kind: 'chosen', choice, explanation: '' }, replies: [{ costNano: 1_000n } as never] }
    },
    judges: { find: async (_, id) => (id === goneJudge ? null : ({ canAct: true, instrument: 1 } as never)) },
    versions: createPgVersions(run.pool),
    logging: {
      call: (async (_: unknown, { body }: { readonly body: { readonly examples: object[] } }) => {
        run.datasets.push(body.examples)
        return { dataset: { id: publicId('dataset', randomUUID()) } }
      }) as never,
    },
    jobs: {
      create: async (job) => {
        run.jobs.set(job.id, job)
        await run.onJob(job)
        return job as unknown as TrainingJob
      },
      get: async ({ id }) => {
        const status = ended.has(id) ? 'succeeded' : 'running'
        return run.jobs.has(id) ? ({ id, status } as TrainingJob) : null
      },
      cancel: async ({ id }) => {
        run.cancelled.push(id)
        return null
      },
    },
    money: { hold: async () => true },
    models: { list: async () => [trainable] as never },
    sources: {
      facts: async () => ({ uuid: randomUUID(), bytes: 1_000, sha256: null, siblingId: null }),
      content: async () => Buffer.from((run.datasets.at(-1) ?? []).map((line) => JSON.stringify(line)).join('\n')),
    },
    reading: createSurveys(),
    now: () => new Date(),
    onFailure: () => undefined,
  }
}

export const trainable = {
  id: 'sim/base',
  source: 'sim/base',
  sourceSha256: null,
  trainers: ['sim'],
  prices: new Map([['supervised', 1_000_000_000n]]),
  maxContext: 1_000,
  loraRanks: [8, 16],
  full: false,
  supportsTools: true,
  chatTemplateSha256: null,
  license: 'Apache-2.0',
  retiresAt: null,
  tokensPerSecond: 100,
  grpo: null,
}
