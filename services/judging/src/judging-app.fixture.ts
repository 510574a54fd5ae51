import { randomUUID } from 'node:crypto'
import { uuidOf } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { checksWithoutScripts } from '@ratchet/judge-kit/checks/checks.fixture'
import type { RunScript } from '@ratchet/judge-kit/checks/script'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type FixedClock, fixedClock } from '@ratchet/testing/fixed-clock'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { testApp } from '@ratchet/testing/service-app'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import request from 'supertest'
import { assistRoutes } from './assist/routes.ts'
import { createPgCalibrations } from './calibration/pg-calibrations.ts'
import { calibrationRoutes } from './calibration/routes.ts'
import { createPgCascades } from './cascades/pg-cascades.ts'
import { cascadeRoutes } from './cascades/routes.ts'
import { createPgCriteria } from './criteria/pg-criteria.ts'
import { criteriaRoutes } from './criteria/routes.ts'
import { createPgGateReads } from './gates/pg-gate-reads.ts'
import { gateRoutes } from './gates/routes.ts'
import { logVerdictRoutes } from './judgements/log-verdict-routes.ts'
import { createPgJudgements } from './judgements/pg-judgements.ts'
import { createPgVerdicts } from './judgements/pg-verdicts.ts'
import { createGradeWork } from './labels/grade-work.ts'
import { createPgGrades } from './labels/pg-grades.ts'
import { createNotifyJudges, withCalibrationNotices, withCriterionNotices } from './runs/notify-judges.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import { createPgLatestScans } from './scans/pg-latest-scans.ts'
import { scanRoutes } from './scans/routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients do
type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export interface JudgingApp {
  readonly workspaceId: string
  /** Pool with the privileges of judging. */
  readonly pool: Pool
  /** With all privileges. */
  readonly operator: Pool
  readonly clock: FixedClock
  /** Names of aliases whose gates use a criterion, by its UUID. */
  readonly gatesOf: Map<string, readonly string[]>
  /** Names of unfinished GRPO runs that a criterion judges, by its UUID. */
  readonly runsOf: Map<string, readonly string[]>
  /** The exchanges that a draw from the log gives. */
  readonly logged: { readonly rows: object[] }
  /** Ids of runs and judgements that were enqueued. */
  readonly enqueued: string[]
  /** Topics that open pages were notified of, after the id of their workspace. */
  readonly notified: string[]
  /** Sends a request as the owner of the workspace: with a key, or signed in where only people may call. */
  request(
    method: Method,
    path: string,
    body?: object,
    workspaceId?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  /** Creates a judge and returns its public id. */
  addCriterion(more?: object): Promise<string>
  stop(): Promise<void>
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

const prices = { inputPerMtok: 2.5, outputPerMtok: 10, maxOutputTokens: 16_384 }

const models: ModelCatalog = {
  async find(_identity, id) {
    if (id === 'sim/judge' || id === 'sim/large') return { id, isChat: true, capabilities: ['chat'], ...prices }
    return id === 'sim/embed' ? { id, isChat: false, capabilities: ['embeddings'], ...prices } : null
  },
}

/** The routes of judges, calibrations and gates, with a database of their own. */
export async function startJudgingApp(runScript: RunScript = checksWithoutScripts.runScript): Promise<JudgingApp> {
  const database = await freshDatabase()
  // A test of hundreds of judgements at once waits for its connections.
  const patient = { connectTimeoutMs: 30_000 }
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_judging', max: 6, ...patient })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const clock = fixedClock()
  const gatesOf = new Map<string, readonly string[]>()
  const runsOf = new Map<string, readonly string[]>()
  const enqueued: string[] = []
  const logged: JudgingApp['logged'] = { rows: [] }
  const notified: string[] = []
  const notifyJudges = createNotifyJudges(
    async (workspaceId, { topic }) => void notified.push(`${workspaceId} ${topic}`),
    clock.now,
  )
  const deps = {
    criteria: withCriterionNotices(createPgCriteria(pool), notifyJudges),
    runs: createPgRuns(pool),
    calibrations: withCalibrationNotices(createPgCalibrations(pool), notifyJudges),
    cascades: createPgCascades(pool),
    log: {
      sample: async () => ({ total: logged.rows.length, rows: logged.rows }),
      feedback: async () => new Map(),
    } as unknown as LogReader,
    grades: createPgGrades(pool),
    gradeWork: createGradeWork(),
    models,
    schemas: createSchemaChecks(),
    slicedWork: checksWithoutScripts.slicedWork,
    runScript,
    now: clock.now,
    newId: () => uuidV7(clock.now().getTime()),
    judgements: createPgJudgements(pool),
    gates: createPgGateReads(pool),
    verdicts: createPgVerdicts(pool),
    latestScans: createPgLatestScans(pool),
    firstAnswers: createPgFirstAnswers(pool, 'judging_answer'),
    gatesOf: async (_identity: unknown, id: string) => gatesOf.get(id) ?? [],
    runsOf: async (_identity: unknown, id: string) => runsOf.get(id) ?? [],
    enqueueRuns: async (ids: readonly string[]) => void enqueued.push(...ids),
    enqueueJudgements: async (ids: readonly string[]) => void enqueued.push(...ids),
  }
  const { app, headersFor } = testApp({
    audience: 'judging',
    now: clock.now,
    routes(router) {
      criteriaRoutes(router, deps)
      calibrationRoutes(router, deps)
      cascadeRoutes(router, deps)
      gateRoutes(router, deps)
      logVerdictRoutes(router, deps)
      scanRoutes(router, deps)
      assistRoutes(router, deps)
    },
  })
  const workspaceId = randomUUID()
  const send: JudgingApp['request'] = async (method, path, body, by = workspaceId, more = {}) => {
    const session = { id: randomUUID(), mayGrade: true, isFresh: false }
    const person = { workspaceId: by, userId: by, keyId: null, role: 'owner', session } as const
    const call = request(app)
      [method](path)
      .set({ ...headersFor(method, path, path.startsWith('/session/') ? person : by), ...more })
    return body === undefined ? call : call.send(body)
  }
  return {
    workspaceId,
    pool,
    operator,
    clock,
    gatesOf,
    runsOf,
    logged,
    enqueued,
    notified,
    request: send,
    async addCriterion(more = {}) {
      const required = { name: 'Polite', judge_prompt: 'Fail an answer that is rude.', judge_model: 'sim/judge' }
      const { status, body, text } = await send('post', '/v1/criteria', { ...required, ...more })
      if (status !== 201) throw new Error(`no criterion was created: ${text}`)
      return body.id
    },
    async stop() {
      for (const each of [pool, operator]) await each.end()
      await database.drop()
    },
  }
}

export function criterionUuid(id: string): string {
  const uuid = uuidOf('criterion', id)
  if (uuid === null) throw new Error(`not the id of a criterion: ${id}`)
  return uuid
}
