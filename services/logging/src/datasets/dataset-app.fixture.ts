import { randomUUID } from 'node:crypto'
import type { readLogVerdicts } from '@ratchet/contracts/internal-judging'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { serveTestApp, testApp } from '@ratchet/testing/service-app'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import type { z } from 'zod'
import { createPgExchanges } from '../exchanges/pg-exchanges.ts'
import type { RawContent, RawExchange } from '../exchanges/raw-exchange.ts'
import { createPgFiles } from '../files/pg-files.ts'
import { fileRoutes } from '../files/routes.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangePicks } from '../picks/pg-exchange-picks.ts'
import { inlineRedactor } from '../redaction/inline-redactor.fixture.ts'
import { toLoggedExchange } from '../redaction/to-logged-exchange.ts'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import { createPgWorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { buildingRoutes } from './building-routes.ts'
import { type CreateDatasetDeps, createDatasetRoutes } from './create-routes.ts'
import { unlimitedCuration } from './curation-places.ts'
import { createDataUse } from './data-use.ts'
import { createPgDatasets } from './pg-datasets.ts'
import { type ExampleOrder, readExample } from './read-example.ts'
import { datasetRoutes } from './routes.ts'
import { createVerdictsOfLogs, type LogVerdict } from './verdicts-of-logs.ts'

/** An exchange to log; absent members have a default. */
export interface Reported extends Partial<Omit<RawExchange, 'content'>> {
  readonly messages: readonly object[]
  readonly reply: string | object
  readonly tools?: readonly object[]
}

export interface DatasetApp {
  /** Sends a request of the workspace's owner; the body is JSON unless it is a form. */
  send(
    method: string,
    path: string,
    body?: object | FormData,
    workspaceId?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /** Logs exchanges, a second apart, and returns their public ids. */
  log(exchanges: readonly Reported[]): Promise<readonly string[]>
  readonly workspaceId: string
  readonly databaseUrl: string
  /** Ids of datasets that an eval still has to read; null while the eval service does not answer. */
  readonly evals: { reading: ReadonlySet<string> | null }
  /** The same of datasets and files, for fine-tuning jobs. */
  readonly training: { reading: ReadonlySet<string> | null }
  /** The judges and their verdicts by the id of the log entry, as judging would answer. */
  /** Evals, by id, with their samples. */
  readonly done: Map<string, { readonly read: object; readonly samples: readonly object[] }>
  readonly judges: Map<string, ReadonlyMap<string, LogVerdict>>
  /** Numbers of log entries per call to judging. */
  readonly asked: number[]
  /** Connected with all rights. */
  readonly operator: Pool
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
  const evals: DatasetApp['evals'] = { reading: new Set() }
  const done: DatasetApp['done'] = new Map()
  const training: DatasetApp['training'] = { reading: new Set() }
  const judges: DatasetApp['judges'] = new Map()
  const asked: number[] = []
  const deps = {
    exchanges: createPgExchangeReads(pool),
    picks: createPgExchangePicks(pool),
    workspaces: createPgWorkspaceReads(pool),
    datasets: createPgDatasets(pool),
    verdictsOf: createVerdictsOfLogs(judgingWith(judges, asked)),
    curationPlaces: unlimitedCuration,
    slicedWork: createSlicedWork(),
    files: createPgFiles(pool),
    firstAnswers: createPgFirstAnswers(pool, 'logging_answer'),
    now,
    newId,
    redactor: inlineRedactor,
    uploads: { example: async (order: ExampleOrder) => readExample(order) },
    evals: evalsWith(done),
    dataUse: createDataUse({
      eval: readersOf(evals, ['dataset_id', 'evals']),
      training: readersOf(training, ['source_id', 'jobs']),
    }),
  }
  const { app, headersFor } = testApp({
    audience: 'logging',
    now,
    routes(router) {
      createDatasetRoutes(router, deps)
      datasetRoutes(router, deps)
      buildingRoutes(router, deps)
      fileRoutes(router, deps)
    },
  })
  const { origin, stop } = await serveTestApp(app)
  const exchangeLog = createPgExchanges({ pool, newBlockId: () => crypto.randomUUID(), skeletons: inlineSkeletons })
  return {
    workspaceId,
    databaseUrl: database.url,
    evals,
    training,
    done,
    judges,
    asked,
    operator,
    send(method, path, body, by = workspaceId, more = {}) {
      const headers = { ...headersFor(method, path, by), ...more }
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
      await stop()
      for (const each of [pool, operator]) await each.end()
      await database.drop()
    },
  }
}

/** The eval service, with some evals and their samples. */
function evalsWith(done: DatasetApp['done']): CreateDatasetDeps['evals'] {
  return {
    async call(endpoint, { params, query }) {
      const found = done.get((params as { readonly id: string }).id)
      if (found === undefined) throw new FleetCallError('No eval has this id.', { status: 404, code: 'not_found' })
      if (endpoint.path.endsWith(':id')) return found.read as never
      const { limit = 0, offset = 0 } = query as { readonly limit?: number; readonly offset?: number }
      const data = found.samples.slice(offset, offset + limit)
      return { data, has_more: offset + data.length < found.samples.length } as never
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

/** Answers as judging does; a judge with the verdict of no entry is unavailable. */
function judgingWith(judges: DatasetApp['judges'], asked: number[]): Parameters<typeof createVerdictsOfLogs>[0] {
  return {
    async call(endpoint, input) {
      const { criterion_id: id, log_ids: logIds } = input.body as z.output<typeof readLogVerdicts.body>
      asked.push(logIds.length)
      const verdicts = judges.get(id)
      if (verdicts === undefined)
        throw new FleetCallError('none', { status: 404, code: 'not_found', param: 'criterion_id' })
      if (verdicts.size === 0) throw new FleetCallError('unavailable', { status: 0 })
      const data = logIds.flatMap((log_id) => {
        const verdict = verdicts.get(log_id)
        return verdict === undefined ? [] : [{ log_id, verdict }]
      })
      return endpoint.reply.parse({ data }) as z.output<(typeof endpoint)['reply']>
    },
  }
}

/** Answers as the service does whose jobs read what is in `reading`. */
function readersOf(
  service: DatasetApp['evals'],
  [idName, countName]: readonly [string, string],
): Pick<FleetClient, 'call'> {
  return {
    async call(endpoint, input) {
      if (service.reading === null) throw new FleetCallError('unavailable', { status: 0 })
      const id = (input.query as Readonly<Record<string, string>>)[idName] ?? ''
      const count = service.reading.has(id) ? 1 : 0
      return endpoint.reply.parse({ [countName]: count }) as z.output<(typeof endpoint)['reply']>
    },
  }
}
