import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { createDrain } from '@ratchet/service-kit/drain'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import { signIdentity } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { labelDatabase } from './label-database.fixture.ts'
import { createPgLabels } from './pg-labels.ts'
import type { Redact } from './redact.ts'
import { labelRoutes } from './routes.ts'

export interface Asked {
  readonly body?: string | object | FormData | ReadableStream<Uint8Array>
  readonly type?: string
  readonly by?: string
}

/** The routes of grades over a database of their own, a log and criteria in memory. */
export interface LabelApp {
  readonly workspaceId: string
  readonly operator: Pool
  /** How many log entries were being read at most at a time. */
  readonly maxReads: () => number
  /** How the log answers instead of with its entries. */
  failLog(error: Error | null): void
  /** Puts an exchange into the log; gives its public id. */
  log(entry?: Partial<LogEntry>, workspaceId?: string): string
  /** Gives its public id. */
  addCriterion(choices?: Partial<StoredCriterion>): string
  ask(method: string, path: string, asked?: Asked): Promise<Response>
  stop(): Promise<void>
}

export const testSecret = 'sk-secret-0123456789'

export async function startLabelApp(): Promise<LabelApp> {
  const database = await labelDatabase()
  const workspaceId = randomUUID()
  const key = { id: 'k1', secret: randomBytes(32) }
  const criteria = new Map<string, StoredCriterion>()
  const log = createLog()
  const now = () => new Date()
  const deps = {
    labels: createPgLabels(database.pool),
    criteria: { get: async (where: { id: string; workspaceId: string }) => found(criteria.get(where.id), where) },
    log: log.reader,
    redact,
    now,
    newId: () => uuidV7(Date.now()),
  }
  const app = createHttpApp({
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    serveMetrics: false,
    requestId: () => 'r1',
    routes: (router) => {
      router.use(requireIdentity({ audience: 'judging', keys: [key], now, logger: silentLogger }))
      labelRoutes(router, deps)
    },
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
    ask(method, path, { body, type, by = workspaceId } = {}) {
      const bound = { audience: 'judging', requestId: 'r1', method, path }
      const identity = { workspaceId: by, userId: by, keyId: by, role: 'owner' } as const
      const vouched = { [requestIdHeader]: 'r1', [identityHeader]: signIdentity(key, bound, identity, Date.now()) }
      const isRaw = typeof body === 'string' || body instanceof FormData || body instanceof ReadableStream
      const typed = body instanceof FormData || body === undefined ? {} : { 'content-type': type ?? 'application/json' }
      const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body), duplex: 'half' as const }
      return fetch(origin + path, { method, headers: { ...typed, ...vouched }, ...sent })
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await database.drop()
    },
  }
}

const testCriterion: Omit<StoredCriterion, 'id' | 'workspaceId'> = {
  name: 'Right',
  description: null,
  judgePrompt: 'It fails when wrong.',
  judgeModel: 'sim/judge',
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
  const reads = { now: 0, most: 0 }
  let failure: Error | null = null
  const reader: Pick<LogReader, 'entry'> = {
    async entry({ workspaceId }, logId) {
      reads.now += 1
      reads.most = Math.max(reads.most, reads.now)
      await new Promise((resolve) => setImmediate(resolve))
      reads.now -= 1
      if (failure !== null) throw failure
      return found(entries.get(logId), { workspaceId })?.entry ?? null
    },
  }
  return {
    reader,
    maxReads: () => reads.most,
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

const testEntry: Omit<LogEntry, 'id'> = {
  object: 'log',
  created_at: '2026-11-01T00:00:00.000Z',
  expires_at: '2026-12-01T00:00:00.000Z',
  model: 'acme/fast',
  served_model: 'acme/fast',
  requested_model: 'fast',
  alias: null,
  canary: false,
  fallback_from: null,
  provider: 'acme',
  tag: 'chat',
  trace_id: 't1',
  span_id: null,
  parent_span_id: null,
  step_index: 0,
  segment: 's1',
  segment_exact: 'e1',
  finish_reason: 'stop',
  stream: false,
  cached: false,
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  reasoning_tokens: null,
  cost_usd: 0,
  latency_ms: 1,
  ttft_ms: null,
  redaction: { count: 0, kinds: [] },
  source: 'gateway',
  messages: [{ role: 'user', content: '2 + 2?' }],
  response: { role: 'assistant', content: 'Four.' },
  tools: null,
  response_format: null,
  params: {},
}

const redact: Redact = async (_identity, documents) =>
  documents.map((document) =>
    document.includes('unredactable') ? null : document.replaceAll(testSecret, '[redacted]'),
  )
