import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { serveTestApp, testApp } from '@ratchet/testing/service-app'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import type { Router } from 'express'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { createGradeWork } from './grade-work.ts'
import { labelDatabase } from './label-database.fixture.ts'
import { testEntry } from './log-entry.fixture.ts'
import { createPgGradingFrames } from './pg-grading-frames.ts'
import { createPgLabelMarks } from './pg-label-marks.ts'
import { createPgLabels } from './pg-labels.ts'
import type { Redact } from './redact.ts'
import { labelRoutes } from './routes.ts'
import { sessionLabelRoutes } from './session-routes.ts'

export interface LabelRequest {
  readonly body?: string | object | FormData | ReadableStream<Uint8Array>
  readonly type?: string
  readonly by?: string
  readonly idempotencyKey?: string
  /** Sends it for a person who signed in, instead of a key. */
  readonly session?: boolean
}

/** The routes of grades with a database of their own, and a log and criteria in memory. */
export interface LabelApp {
  readonly workspaceId: string
  readonly operator: Pool
  /** Maximum number of log entries that were read at the same time. */
  readonly maxReads: () => number
  /** Makes the log fail with an error; null ends that. */
  failLog(error: Error | null): void
  /** Adds an exchange to the log. Returns its public id. */
  log(entry?: Partial<LogEntry>, workspaceId?: string): string
  /** Returns its public id. */
  addCriterion(choices?: Partial<StoredCriterion>): string
  request(method: string, path: string, options?: LabelRequest): Promise<Response>
  stop(): Promise<void>
}

export const testSecret = 'sk-secret-0123456789'

export async function startLabelApp(): Promise<LabelApp> {
  const database = await labelDatabase()
  const workspaceId = randomUUID()
  const criteria = new Map<string, StoredCriterion>()
  const log = createLog()
  const now = () => new Date()
  const deps = {
    labels: createPgLabels(database.pool),
    frames: createPgGradingFrames(database.pool),
    readMarks: createPgLabelMarks(database.pool),
    criteria: { get: async (where: { id: string; workspaceId: string }) => found(criteria.get(where.id), where) },
    firstAnswers: createPgFirstAnswers(database.pool, 'judging_answer'),
    log: log.reader,
    redact,
    gradeWork: createGradeWork(),
    gradeRollout: () => Promise.reject(new Error('no runs here')),
    now,
    newId: () => uuidV7(Date.now()),
  }
  const routes = (router: Router) => {
    labelRoutes(router, deps)
    sessionLabelRoutes(router, deps)
  }
  const { app, headersFor } = testApp({ audience: 'judging', now, routes })
  const { origin, stop } = await serveTestApp(app)
  return {
    workspaceId,
    operator: database.operator,
    maxReads: log.maxReads,
    failLog: log.fail,
    log: (entry = {}, by = workspaceId) => log.put(entry, by),
    addCriterion(choices = {}) {
      const id = randomUUID()
      criteria.set(id, { ...testCriterion, id, workspaceId, ...choices })
      return publicId('criterion', id)
    },
    request(method, path, { body, type, by = workspaceId, session = false, idempotencyKey } = {}) {
      const sender = session ? signedIn(by) : by
      const isRaw = typeof body === 'string' || body instanceof FormData || body instanceof ReadableStream
      const typed = body instanceof FormData || body === undefined ? {} : { 'content-type': type ?? 'application/json' }
      const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body), duplex: 'half' as const }
      const keyed = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const headers = { ...typed, ...keyed, ...headersFor(method, path, sender) }
      return fetch(origin + path, { method, headers, ...sent })
    },
    async stop() {
      await stop()
      await database.drop()
    },
  }
}

/** A person who may grade. */
function signedIn(workspaceId: string): Identity {
  const session = { id: workspaceId, mayGrade: true, isFresh: false }
  return { workspaceId, userId: workspaceId, role: 'member', keyId: null, session }
}

const testCriterion: Omit<StoredCriterion, 'id' | 'workspaceId'> = {
  name: 'Right',
  description: null,
  judgePrompt: 'It fails when wrong.',
  judgeModel: 'sim/judge',
  checks: null,
  status: 'draft',
  source: 'human',
  unit: 'request',
  population: '',
  populationFamily: '',
  onlineEnabled: false,
  onlinePercent: 5,
  onlineCapNano: 0n,
  driftSignal: null,
  driftReason: null,
  driftCause: null,
  driftCheckedAt: null,
  driftClearSweeps: 0,
  instrument: 1,
  createdBy: randomUUID(),
  createdAt: new Date(0),
}

function found<T extends { readonly workspaceId: string }>(value: T | undefined, where: { workspaceId: string }) {
  return value?.workspaceId === where.workspaceId ? value : null
}

function createLog() {
  const entries = new Map<string, { readonly workspaceId: string; readonly entry: LogEntry }>()
  const reads = { now: 0, max: 0 }
  let failure: Error | null = null
  const reader: Pick<LogReader, 'entry' | 'readRuns'> = {
    async readRuns({ workspaceId }, traceIds) {
      const own = [...entries.values()].filter((each) => each.workspaceId === workspaceId).map(({ entry }) => entry)
      return traceIds.flatMap((traceId) => {
        const steps = own.filter((entry) => entry.trace_id === traceId)
        const [first] = steps
        if (first === undefined) return []
        const { created_at: last_at, expires_at } = first
        const completed = steps.at(-1)?.finish_reason === 'stop'
        return [{ trace_id: traceId, completed, last_at, expires_at, step_count: steps.length, steps }]
      })
    },
    async entry({ workspaceId }, logId) {
      reads.now += 1
      reads.max = Math.max(reads.max, reads.now)
      await new Promise((resolve) => setImmediate(resolve))
      reads.now -= 1
      if (failure !== null) throw failure
      return found(entries.get(logId), { workspaceId })?.entry ?? null
    },
  }
  return {
    reader,
    maxReads: () => reads.max,
    fail(error: Error | null) {
      failure = error
    },
    put(choices: Partial<LogEntry>, workspaceId: string): string {
      const uuid = randomUUID()
      const id = publicId('log', uuid)
      entries.set(uuid, { workspaceId, entry: { ...testEntry, ...choices, id } })
      return id
    },
  }
}

const redact: Redact = async (_identity, documents) => {
  if (documents.some((document) => document.includes('redaction fails'))) throw new Error('redaction fails')
  return documents.map((document) =>
    document.includes('unredactable') ? null : document.replaceAll(testSecret, '[redacted]'),
  )
}
