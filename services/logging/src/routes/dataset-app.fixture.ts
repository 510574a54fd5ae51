import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { connectPool } from '@ratchet/db/connect-pool'
import { createDrain } from '@ratchet/service-kit/drain'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import { signIdentity } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { RawContent, RawExchange } from '../domain/raw-exchange.ts'
import { toLoggedExchange } from '../domain/to-logged-exchange.ts'
import { inlineRedactor } from '../redaction/inline-redactor.fixture.ts'
import { createPgDatasets } from '../store/pg-datasets.ts'
import { createPgExchangeReads } from '../store/pg-exchange-reads.ts'
import { createPgExchanges } from '../store/pg-exchanges.ts'
import { createPgFiles } from '../store/pg-files.ts'
import { createPgWorkspaceReads } from '../store/pg-workspace-reads.ts'
import { createDatasetRoutes } from './create-datasets.ts'
import { datasetRoutes } from './datasets.ts'
import { fileRoutes } from './files.ts'

/** An exchange to log; what is left out is ordinary. */
export interface Reported extends Partial<Omit<RawExchange, 'content'>> {
  readonly messages: readonly object[]
  readonly reply: string | object
  readonly tools?: readonly object[]
}

export interface DatasetApp {
  /** A request of the workspace's owner; the body as JSON unless it is a form. */
  ask(method: string, path: string, body?: object | FormData, workspaceId?: string): Promise<Response>
  /** Logs exchanges, a second apart; answers their public ids. */
  log(exchanges: readonly Reported[]): Promise<readonly string[]>
  readonly workspaceId: string
  readonly databaseUrl: string
  readonly inUse: Set<string>
  stop(): Promise<void>
}

const now = () => new Date()
const newId = () => uuidV7(Date.now())

/** The routes of datasets and files over a database of their own. */
export async function startDatasetApp(): Promise<DatasetApp> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', max: 4 })
  const operator = connectPool({ databaseUrl: database.url, max: 1 })
  const workspaceId = randomUUID()
  await operator.query(`INSERT INTO workspace VALUES ($1, 'w', 'W', now())`, [workspaceId])
  await operator.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)', [
    workspaceId,
  ])
  const key = { id: 'k1', secret: randomBytes(32) }
  const inUse = new Set<string>()
  const deps = {
    exchanges: createPgExchangeReads(pool),
    workspaces: createPgWorkspaceReads(pool),
    datasets: createPgDatasets(pool),
    files: createPgFiles(pool),
    now,
    newId,
    redactor: inlineRedactor,
    isDatasetInUse: async (id: string) => inUse.has(id),
  }
  const app = createHttpApp({
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    serveMetrics: false,
    requestId: () => 'r1',
    routes: (router) => {
      router.use(requireIdentity({ audience: 'logging', keys: [key], now, logger: silentLogger }))
      createDatasetRoutes(router, deps)
      datasetRoutes(router, deps)
      fileRoutes(router, deps)
    },
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const exchangeLog = createPgExchanges({ pool })
  return {
    workspaceId,
    databaseUrl: database.url,
    inUse,
    ask(method, path, body, by = workspaceId) {
      const bound = { audience: 'logging', requestId: 'r1', method, path }
      const identity = { workspaceId: by, userId: by, keyId: by, role: 'owner' } as const
      const headers = { [requestIdHeader]: 'r1', [identityHeader]: signIdentity(key, bound, identity, Date.now()) }
      if (body === undefined) return fetch(origin + path, { method, headers })
      if (body instanceof FormData) return fetch(origin + path, { method, headers, body })
      const json = { ...headers, 'content-type': 'application/json' }
      return fetch(origin + path, { method, headers: json, body: JSON.stringify(body) })
    },
    async log(exchanges) {
      const raw = exchanges.map((reported, index) => rawExchange(reported, { workspaceId, index }))
      await exchangeLog.write(raw.map(toLoggedExchange))
      return raw.map(({ id }) => `log_${id.replaceAll('-', '')}`)
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const each of [pool, operator]) await each.end()
      await database.drop()
    },
  }
}

interface Place {
  readonly workspaceId: string
  readonly index: number
}

function rawExchange({ messages, reply, tools, ...more }: Reported, { workspaceId, index }: Place): RawExchange {
  const response = typeof reply === 'string' ? { role: 'assistant', content: reply } : reply
  const content: RawContent = {
    messages,
    response: response as RawContent['response'],
    tools: tools ?? null,
    responseFormat: null,
    params: {},
  }
  return {
    id: newId(),
    workspaceId,
    requestId: randomUUID(),
    source: 'gateway',
    content,
    createdAt: new Date(Date.now() - 3_600_000 + index * 1_000),
    expiresAt: new Date(Date.now() + 86_400_000),
    servedModel: 'acme/fast',
    requestedModel: 'fast',
    provider: 'acme',
    alias: null,
    canary: false,
    fallbackFrom: null,
    tag: null,
    traceId: null,
    spanId: null,
    parentSpanId: null,
    conversationId: null,
    finishReason: 'stop',
    stream: false,
    cached: false,
    promptTokens: 1,
    completionTokens: 1,
    reasoningTokens: null,
    costNano: 1_000n,
    latencyMs: 1,
    ttftMs: null,
    ...more,
  }
}
