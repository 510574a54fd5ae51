import { randomUUID } from 'node:crypto'
import type { DatasetProgress } from '@ratchet/contracts/dataset-progress'
import { publicId } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { testApp } from '@ratchet/testing/service-app'
import { createSurveys } from '../data/data-reading.ts'
import { judge } from '../grpo/grpo.fixture.ts'
import { advanceDistillation } from './advance-distillation.ts'
import { forgetDistillations } from './drive-distillations.ts'
import { createPgDistillations, createPgDistillationWork } from './pg-distillations.ts'
import { distillRoutes } from './routes.ts'

/** A dataset as logging has it. */
export interface ShownDataset {
  readonly id: string
  readonly name: string
  status: string
  message: string | null
  progress: DatasetProgress
  examples: readonly object[]
}

export interface DistillRun {
  readonly operator: Pool
  readonly app: ReturnType<typeof testApp>
  readonly workspaceId: string
  readonly datasetId: string
  readonly criterionId: string
  /** Calls of the teacher and of the judge, by the keys that they were made under. */
  readonly calls: Map<string, number>
  /** The spend caps that calls had, nano-dollars, and their purposes. */
  readonly payers: Set<string>
  readonly datasets: Map<string, ShownDataset>
  /** Calls of models that the cap covers, and how many nano-dollars the wallet has. */
  readonly limits: { calls: number; wallet: bigint }
  /** Throws when a result is stored after so many: the process was killed. */
  killAfter: number | null
  /** Takes steps until the dataset is not being built any more. */
  drive(id: string): Promise<ShownDataset>
  /** Deletes what is kept for a day, so many milliseconds after now. */
  forget(afterMs: number): Promise<void>
  /** Forgets everything. */
  reset(): Promise<void>
  drop(): Promise<void>
}

const lines = Array.from({ length: 30 }, (_, index) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `Question ${index}?` },
      { role: 'assistant', content: 'Old reply.' },
    ],
  }),
).join('\n')

/** Distillations on a database of their own. Logging, the teacher and the judge are in memory; every third question is answered wrong. */
export async function distillRun(): Promise<DistillRun> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 6 })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const work = createPgDistillationWork(pool)
  const datasets = new Map<string, ShownDataset>()
  const calls = new Map<string, number>()
  const payers = new Set<string>()
  const datasetId = publicId('dataset', randomUUID())
  const criterion = randomUUID()
  const limits = { calls: Number.POSITIVE_INFINITY, wallet: 10_000_000_000n }
  const logging = loggingWith(datasets)
  const now = () => new Date()
  const distillations = createPgDistillations(pool)
  const count = (
    key: string,
    identity: { readonly purpose?: string; readonly spendCap?: { readonly capNano: string } },
  ) => {
    payers.add(`${identity.purpose} ${identity.spendCap?.capNano}`)
    if (!calls.has(key) && calls.size >= limits.calls) {
      throw new FleetCallError('over', { status: 402, code: 'spend_cap_reached' })
    }
    calls.set(key, (calls.get(key) ?? 0) + 1)
  }
  const models = new Map([
    ['sim/teacher', true],
    ['sim/embed', true],
    ['closed/teacher', false],
  ])
  const app = testApp({
    audience: 'training',
    now,
    routes: (router) =>
      distillRoutes(router, {
        distillations,
        samplesOf: async (distillation) => (await work.progress(distillation)).samples,
        inference: {
          async call(_, { params }) {
            const id = (params as { readonly id: readonly string[] }).id.join('/')
            const trainable = models.get(id)
            if (trainable === undefined) throw new FleetCallError('no', { status: 404, code: 'model_not_found' })
            const capabilities = id === 'sim/embed' ? ['embeddings'] : ['chat']
            return { id, capabilities, outputs_trainable: trainable } as never
          },
        },
        logging,
        sources: {
          async facts(_, { id, kind, param }) {
            if (id !== datasetId) throw notFound(kind, param)
            return { uuid: randomUUID(), bytes: lines.length, sha256: null, siblingId: null }
          },
          content: async () => Buffer.from(lines),
        },
        reading: createSurveys(),
        judges: { find: async (_, id) => (id === criterion ? judge(id) : null) },
        available: async () => limits.wallet,
        now,
        newId: randomUUID,
      }),
  })
  const run: DistillRun = {
    operator,
    app,
    workspaceId: randomUUID(),
    datasetId,
    criterionId: publicId('criterion', criterion),
    calls,
    payers,
    datasets,
    limits,
    killAfter: null,
    async drive(id) {
      for (let turns = 0; turns < 100; turns += 1) {
        const [held] = await work.take({ limit: 1, inProgress: [], maxOfWorkspace: 1 }, 30_000)
        if (held === undefined) break
        await advanceDistillation(deps, held)
        await operator.query('UPDATE distillation SET leased_until = NULL')
      }
      const dataset = datasets.get(id)
      if (dataset === undefined) throw new Error('The dataset is gone.')
      return dataset
    },
    forget: (afterMs) => forgetDistillations({ work, now: () => new Date(now().getTime() + afterMs) }),
    async reset() {
      await operator.query('TRUNCATE distillation CASCADE')
      for (const each of [calls, payers, datasets]) each.clear()
      Object.assign(limits, { calls: Number.POSITIVE_INFINITY })
      run.killAfter = null
    },
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
  const killed = () => {
    if (run.killAfter === null) return
    if (run.killAfter === 0) throw new Error('The process was killed.')
    run.killAfter -= 1
  }
  const deps: Parameters<typeof advanceDistillation>[0] = {
    purpose: 'distill',
    work: {
      ...work,
      async answer(...of) {
        killed()
        await work.answer(...of)
      },
      async judge(...of) {
        killed()
        await work.judge(...of)
      },
    },
    logging,
    inference: {
      async send({ headers, body }, identity) {
        count(headers?.['idempotency-key'] ?? '', identity)
        const { messages, model } = JSON.parse(String(body)) as {
          readonly model: string
          readonly messages: readonly { readonly content: string }[]
        }
        const index = Number(/\d+/.exec(messages[0]?.content ?? '')?.[0])
        const content = `${index % 3 === 0 ? 'Wrong' : 'Right'} answer ${index}.`
        const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }]
        return {
          status: 200,
          headers: { 'x-internal-cost-nano': '1000' },
          body: Buffer.from(JSON.stringify({ model, choices, usage: { prompt_tokens: 1, completion_tokens: 1 } })),
        }
      },
    },
    async judgeExchange({ judgementId, exchange, identity }) {
      count(judgementId, identity)
      const choice = String(exchange.response.content).startsWith('Right') ? 'pass' : 'fail'
      return { finding: { kind: 'chosen', choice, explanation: '' }, replies: [{ costNano: 1_000n } as never] }
    },
    now,
    onFailure: () => undefined,
  }
  return run
}

/** Logging, as far as training calls it. */
function loggingWith(datasets: Map<string, ShownDataset>): Pick<FleetClient, 'call'> {
  return {
    async call(endpoint, { params, body }) {
      if (endpoint.path === '/internal/prompts/draw') {
        return { data: [{ messages: [{ role: 'user', content: 'Question 1?' }], tools: null }] } as never
      }
      const { id } = params as { readonly id: string }
      const { progress, name, status_message, failed, examples } = (body ?? {}) as unknown as Sent
      if (endpoint.path === '/internal/datasets/:id' && endpoint.method === 'put' && !datasets.has(id)) {
        datasets.set(id, { id, name, status: 'building', message: null, progress, examples: [] })
      }
      const dataset = datasets.get(id)
      if (dataset === undefined) throw new FleetCallError('gone', { status: 404, code: 'not_found' })
      if (endpoint.method === 'patch') {
        Object.assign(dataset, { progress, message: status_message, status: failed ? 'failed' : dataset.status })
      }
      if (endpoint.path.endsWith('/examples')) Object.assign(dataset, { examples, status: 'ready' })
      return replyOf(dataset) as never
    },
  }
}

interface Sent {
  readonly progress: DatasetProgress
  readonly name: string
  readonly status_message: string | null
  readonly failed: boolean
  readonly examples: readonly object[]
}

function replyOf({ id, name, status, message, progress, examples }: ShownDataset) {
  return {
    object: 'dataset',
    id,
    name,
    description: null,
    kind: 'train',
    sibling_id: null,
    source: 'distill',
    format: 'chat',
    status,
    status_message: message,
    progress,
    example_count: examples.length,
    token_count_estimate: 0,
    sha256: '',
    segment: null,
    segments: [],
    filters: {},
    criterion_id: null,
    holdout_pct: null,
    size_bytes: 0,
    created_by: randomUUID(),
    created_at: new Date().toISOString(),
  }
}
