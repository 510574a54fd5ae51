import { randomUUID } from 'node:crypto'
import { brandOf } from '@ratchet/contracts/brand'
import { isRunOver } from '@ratchet/contracts/calibrations'
import type { Criterion } from '@ratchet/contracts/criteria'
import type { Session } from '@ratchet/contracts/identity'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { testAppDeps, testCaller } from '@ratchet/testing/service-app'
import request from 'supertest'
import { createApp, type EvalDeps } from '../app.ts'
import type { PromptRequest, PromptSurvey } from '../prompts/prompt-source.ts'
import type { EvalProgress, EvalRun, NewEval } from './eval-run.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
  readonly text: string
}

export interface Sent {
  readonly body?: object
  readonly idempotencyKey?: string
  /** Id of the calling workspace; the app's own when absent. */
  readonly by?: string
  /** A person who is signed in, instead of a key. */
  readonly session?: Session
}

export interface EvalApp {
  readonly workspaceId: string
  /** The stored evals, by UUID. */
  readonly stored: Map<string, EvalRun>
  readonly progress: Map<string, EvalProgress>
  /** Ids of evals that workers were notified of. */
  readonly enqueued: string[]
  readonly surveyed: PromptRequest[]
  /** Stores an eval as one of the workspace. */
  save(run: EvalRun): void
  send(method: 'get' | 'post', path: string, sent?: Sent): Promise<Answer>
}

/** A criterion with a trustworthy judge. */
export const criterion = {
  id: 'crit_000000000000700080000000000000bb',
  judge_prompt: 'It is rude.',
  judge_model: 'sim/judge',
  unit: 'request',
  status: 'draft',
  trust: 'trustworthy',
  can_act: true,
  cannot_act_reason: null,
} as const satisfies Partial<Criterion>

/** Ten prompts of a thousand tokens, with answers of a hundred. */
const plainSurvey: PromptSurvey = {
  eligible: 40,
  distinct: 12,
  tokens: Array.from({ length: 10 }, () => ({ prompt: 1_000, completion: 100 })),
}

/** US dollars per million tokens. */
const prices = new Map([
  ['sim/medium', { inputPerMtok: 1, outputPerMtok: 10, maxOutputTokens: 1_000 }],
  ['sim/large', { inputPerMtok: 2, outputPerMtok: 20, maxOutputTokens: 1_000 }],
  ['sim/small', { inputPerMtok: 0.1, outputPerMtok: 1, maxOutputTokens: 1_000 }],
  ['sim/judge', { inputPerMtok: 3, outputPerMtok: 30, maxOutputTokens: 1_000 }],
])

const models: ModelCatalog = {
  async find(_identity, id) {
    const own = prices.get(id)
    if (own !== undefined) return { id, isChat: true, capabilities: ['chat'], ...own }
    return id === 'sim/embed'
      ? { id, isChat: false, capabilities: ['embeddings'], inputPerMtok: 1, outputPerMtok: 0, maxOutputTokens: 0 }
      : null
  },
}

/** A workspace that has no batches. */
const noBatches: EvalDeps['batches'] = {
  create: async () => null,
  addLines: async () => undefined,
  begin: () => Promise.reject(new Error('there is no batch')),
  fail: async () => null,
  discard: async () => undefined,
  get: async () => null,
  list: async () => [],
  cancel: async () => null,
}

interface AppOptions extends Partial<EvalDeps> {
  readonly survey?: PromptSurvey | Error
  /** Available balance of the wallet, nano-dollars. */
  readonly availableNano?: bigint
  readonly criterion?: Partial<Criterion> | Error
}

/** The whole API of evals, with fakes for its stores and for the other services. */
export function evalApp({ survey = plainSurvey, availableNano = 10n ** 12n, ...options }: AppOptions = {}): EvalApp {
  const { now } = fixedClock()
  const caller = testCaller({ audience: 'eval', now })
  const workspaceId = randomUUID()
  const memory = inMemory()
  const [enqueued, surveyed]: [string[], PromptRequest[]] = [[], []]
  const app = createApp({
    evals: memory.evals,
    evidence: {
      find: async () => [],
      attempts: async () => [],
      measured: async () => [],
      compared: async () => [],
      promptUses: async () => 0,
    },
    samples: { list: async () => ({ total: 0, samples: [] }), measured: async () => [] },
    preferences: { add: async () => false, list: async () => ({ total: 0, preferences: [] }), current: async () => [] },
    models,
    inference: answering(async () => ({ available_nano: String(availableNano) })),
    judging: answering(async (id) => foundCriterion(id, options.criterion)),
    logging: { ...answering(async () => null), send: () => Promise.reject(new Error('no file is read')) },
    batches: noBatches,
    brand: brandOf(),
    enqueueBatches: async () => undefined,
    enqueueLines: async () => undefined,
    log: { sample: async () => ({ total: 0, rows: [] }) },
    webhookRules: { customHosts: true, allowedHosts: new Set() },
    sourceOf: () => ({
      draw: () => Promise.reject(new Error('the API does not draw prompts')),
      async survey(order) {
        surveyed.push(order)
        if (survey instanceof Error) throw survey
        return survey
      },
    }),
    enqueueRuns: async (ids) => void enqueued.push(...ids),
    notifyEval: async () => undefined,
    ...testAppDeps(now),
    identityKeys: [caller.key],
    now,
    newId: countingUuids(),
    ...options,
  })
  return {
    workspaceId,
    stored: memory.stored,
    progress: memory.progress,
    enqueued,
    surveyed,
    save: (run) => void memory.stored.set(run.id, { ...run, workspaceId }),
    async send(method, path, { body, idempotencyKey, by = workspaceId, session } = {}) {
      const who = session === undefined ? { keyId: by } : { keyId: null, session }
      const identity = { workspaceId: by, userId: workspaceId, role: 'admin', ...who } as const
      const keyed = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const call = request(app)
        [method](path)
        .set({ ...caller.headersFor(method, path, identity), ...keyed })
      const answer = await (body === undefined ? call : call.send(body))
      return answer as unknown as Answer
    },
  }
}

/** A fake of another service, with the same answer to every call. */
function answering(answer: (id: string | undefined) => Promise<unknown>): Pick<FleetClient, 'call'> {
  return { call: async (_endpoint, { params }) => answer((params as { id?: string } | undefined)?.id) as never }
}

function foundCriterion(id: string | undefined, changes: Partial<Criterion> | Error = {}): Partial<Criterion> {
  if (changes instanceof Error) throw changes
  if (id === criterion.id) return { ...criterion, ...changes }
  throw new FleetCallError('not found', { status: 404, code: 'not_found' })
}

/** A fake of the eval store. */
function inMemory() {
  const stored = new Map<string, EvalRun>()
  const progress = new Map<string, EvalProgress>()
  const get: EvalDeps['evals']['get'] = async ({ workspaceId, id }) => {
    const run = stored.get(id)
    return run?.workspaceId === workspaceId ? run : null
  }
  const evals: EvalDeps['evals'] = {
    get,
    async create(run) {
      if (stored.has(run.id)) throw new Error('duplicate key')
      stored.set(run.id, pending(run))
      return pending(run)
    },
    async list({ workspaceId, limit, offset }) {
      const own = [...stored.values()].filter((run) => run.workspaceId === workspaceId)
      return { total: own.length, runs: own.slice(offset, offset + limit) }
    },
    progress: async (ids) => new Map([...progress].filter(([id]) => ids.includes(id))),
    countDone: async (workspaceId) =>
      [...stored.values()].filter((run) => run.workspaceId === workspaceId && run.status === 'DONE').length,
    countDatasetReaders: async (workspaceId, datasetId) =>
      [...stored.values()].filter(
        (run) =>
          run.workspaceId === workspaceId &&
          run.status === 'PENDING' &&
          run.request.sample_filters.dataset_id === datasetId,
      ).length,
    async cancel(where, finishedAt) {
      const run = await get(where)
      if (run === null || isRunOver(run)) return null
      stored.set(run.id, { ...run, status: 'CANCELLED', finishedAt })
      return get(where)
    },
  }
  return { stored, progress, evals }
}

/** An eval that no worker has begun. */
export function pending(run: NewEval): EvalRun {
  return {
    ...run,
    status: 'PENDING',
    samplesTotal: null,
    report: null,
    error: null,
    webhook: null,
    finishedAt: null,
  }
}
