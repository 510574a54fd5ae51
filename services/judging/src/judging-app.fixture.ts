import { randomBytes, randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { createDrain } from '@ratchet/service-kit/drain'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import { signIdentity } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { type FixedClock, fixedClock } from '@ratchet/testing/fixed-clock'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { Express } from 'express'
import request from 'supertest'
import { createPgCalibrations } from './calibration/pg-calibrations.ts'
import { calibrationRoutes } from './calibration/routes.ts'
import { createPgCriteria } from './criteria/pg-criteria.ts'
import { criteriaRoutes } from './criteria/routes.ts'
import { createPgGateReads } from './gates/pg-gate-reads.ts'
import { gateRoutes } from './gates/routes.ts'
import { createPgJudgements } from './judgements/pg-judgements.ts'
import { createPgGrades } from './labels/pg-grades.ts'
import { createPgRuns } from './runs/pg-runs.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly text: string
}

export interface JudgingApp {
  readonly workspaceId: string
  /** With the rights of judging. */
  readonly pool: Pool
  /** With all rights. */
  readonly operator: Pool
  readonly clock: FixedClock
  /** Names of aliases whose gates rely on criteria, by their ids. */
  readonly gatesOf: Map<string, readonly string[]>
  /** Ids of runs and judgements that were rung for. */
  readonly rung: string[]
  /** A request of the workspace's owner. */
  ask(method: Method, path: string, body?: object, workspaceId?: string): Promise<Answer>
  /** Creates a judge and answers its public id. */
  addCriterion(more?: object): Promise<string>
  stop(): Promise<void>
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

const prices = { inputPerMtok: 2.5, outputPerMtok: 10 }

/** Knows three models of the simulated provider. */
const models: ModelCatalog = {
  async find(_identity, id) {
    if (id === 'sim/judge' || id === 'sim/large') return { id, isChat: true, capabilities: ['chat'], ...prices }
    return id === 'sim/embed' ? { id, isChat: false, capabilities: ['embeddings'], ...prices } : null
  },
}

/** The routes of judges and their calibrations over a database of their own. */
export async function startJudgingApp(): Promise<JudgingApp> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_judging', max: 6 })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const clock = fixedClock()
  const gatesOf = new Map<string, readonly string[]>()
  const rung: string[] = []
  const deps = {
    criteria: createPgCriteria(pool),
    runs: createPgRuns(pool),
    calibrations: createPgCalibrations(pool),
    grades: createPgGrades(pool),
    models,
    now: clock.now,
    newId: () => uuidV7(clock.now().getTime()),
    judgements: createPgJudgements(pool),
    gates: createPgGateReads(pool),
    gatesOf: async (_identity: unknown, id: string) => gatesOf.get(id) ?? [],
    enqueueRuns: async (ids: readonly string[]) => void rung.push(...ids),
    enqueueJudgements: async (ids: readonly string[]) => void rung.push(...ids),
  }
  const { app, ask } = signedApp(clock, (router) => {
    criteriaRoutes(router, deps)
    calibrationRoutes(router, deps)
    gateRoutes(router, deps)
  })
  const workspaceId = randomUUID()
  const asked: JudgingApp['ask'] = (method, path, body, by = workspaceId) => ask(app, { method, path, body, by })
  return {
    workspaceId,
    pool,
    operator,
    clock,
    gatesOf,
    rung,
    ask: asked,
    async addCriterion(more = {}) {
      const required = { name: 'Polite', judge_prompt: 'Fail an answer that is rude.', judge_model: 'sim/judge' }
      const { status, body, text } = await asked('post', '/v1/criteria', { ...required, ...more })
      if (status !== 201) throw new Error(`no criterion was created: ${text}`)
      return body.id
    },
    async stop() {
      for (const each of [pool, operator]) await each.end()
      await database.drop()
    },
  }
}

interface Asked {
  readonly method: Method
  readonly path: string
  readonly body: object | undefined
  readonly by: string
}

function signedApp(clock: FixedClock, routes: Parameters<typeof createHttpApp>[0]['routes']) {
  const key = { id: 'k1', secret: randomBytes(32) }
  const { now } = clock
  const app = createHttpApp({
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    serveMetrics: false,
    requestId: () => 'r1',
    routes: (router) => {
      router.use(requireIdentity({ audience: 'judging', keys: [key], now, logger: silentLogger }))
      routes(router)
    },
  })
  async function ask(to: Express, { method, path, body, by }: Asked): Promise<Answer> {
    const bound = { audience: 'judging', requestId: 'r1', method: method.toUpperCase(), path }
    const identity = { workspaceId: by, userId: by, keyId: by, role: 'owner' } as const
    const signed = signIdentity(key, bound, identity, now().getTime())
    const sent = request(to)
      [method](path)
      .set({ [requestIdHeader]: 'r1', [identityHeader]: signed })
    return body === undefined ? sent : sent.send(body)
  }
  return { app, ask }
}

/** The UUID of a judge's public id. */
export function criterionUuid(id: string): string {
  const uuid = uuidOf('criterion', id)
  if (uuid === null) throw new Error(`not the id of a criterion: ${id}`)
  return uuid
}
