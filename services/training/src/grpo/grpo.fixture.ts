import { randomBytes, randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { testApp } from '@ratchet/testing/service-app'
import type { Router } from 'express'
import request from 'supertest'
import { gradeRoutes } from '../audits/routes.ts'
import { createSurveys } from '../data/data-reading.ts'
import { linesOf, manyExamples } from '../data/examples.fixture.ts'
import { type TrainerParts, type TrainingRun, trainingRun } from '../driver/training-run.fixture.ts'
import { environmentToolRoutes } from '../environment-tools/routes.ts'
import { startToolApi, startToolCalls, type ToolsConfig } from '../start-tools.ts'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import { createPgVersions } from '../versions/pg-versions.ts'
import { type GrpoDeps, grpoRoutes } from './app.ts'
import { driveSteps } from './judging/drive-steps.ts'
import { createPgJudging } from './judging/pg-judging.ts'
import { createPgRunProgress } from './progress/pg-progress.ts'
import type { FoundJudge } from './rewards/judge-directory.ts'
import { createPgFinish } from './runs/pg-finish.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import { createPgSteps } from './steps/pg-steps.ts'
import { stepRoutes } from './steps/routes.ts'
import { runSpec } from './steps/run-spec.ts'
import { judgeOf, modelOf, type Passes, type TestJudges } from './test-judges.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly headers: Readonly<Record<string, string>>
}

export const rewardId = randomUUID()
export const otherId = randomUUID()
export const runsJudgeId = randomUUID()
export const criterion = (uuid: string) => publicId('criterion', uuid)

/** A proven judge, whose model makes a mistake at random in so many of its verdicts. */
export function judge(criterionId: string, more: Partial<FoundJudge> = {}): FoundJudge {
  return {
    criterionId,
    judgeModel: 'sim/judge',
    prompt: 'The answer has a mistake.',
    instrument: 1,
    unit: 'request',
    isRetired: false,
    trust: 'trustworthy',
    canAct: true,
    tpr: 0.95,
    tnr: 0.95,
    tprCi: [0.9, 0.98],
    tnrCi: [0.9, 0.98],
    failGradesNeeded: null,
    passGradesNeeded: null,
    verdictUsd: 0.0001,
    ...more,
  }
}

const small: BaseModel = {
  id: 'sim/small',
  source: 'sim/small',
  sourceSha256: null,
  trainers: ['sim'],
  prices: new Map(),
  grpo: { trainNanoPerMtok: 2_400_000_000n, sampleNanoPerMtok: 800_000_000n },
  maxContext: 32_768,
  loraRanks: [8, 16],
  full: false,
  supportsTools: true,
  chatTemplateSha256: null,
  license: 'Apache-2.0',
  retiresAt: null,
  tokensPerSecond: 50_000,
}

function modelFrom({ source = small.source, trainer = 'sim' }: GrpoRunOptions): BaseModel {
  return { ...small, source, trainers: [trainer] }
}

export interface GrpoRunApp extends TrainingRun {
  readonly workspaceId: string
  readonly judging: TestJudges
  readonly datasetId: string
  send(
    method: 'get' | 'post' | 'delete',
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  /** Creates a small run with this body. Returns it. */
  create(more?: Json): Promise<Json>
  read(id: string): Promise<Json>
  /** Judges steps and finishes runs until the returned function is called. */
  startJudging(): () => Promise<void>
}

export const small16 = {
  groupSize: 4,
  promptsPerStep: 4,
  maxSteps: 12,
  checkpointEverySteps: 3,
  learningRate: 2e-5,
  loraRank: 8,
}

export interface GrpoRunOptions {
  /** Where the weights of the base model are, and who trains it; absent: it is simulated. */
  readonly source?: string
  readonly trainer?: string
  readonly attemptLeaseMs?: number
  /** Whether judges pass an answer; absent: they see the marks of simulated ones. */
  readonly passes?: Passes
}

/** The API of runs with a database, trainers, and judges that see marks in answers. */
export async function grpoRunApp(options: GrpoRunOptions = {}): Promise<GrpoRunApp> {
  const { attemptLeaseMs = 1_000, passes } = options
  const judging: TestJudges = {
    judges: new Map([
      [rewardId, judge(rewardId)],
      [otherId, judge(otherId, { judgeModel: 'sim-anthropic/judge' })],
      [runsJudgeId, judge(runsJudgeId, { unit: 'trace' })],
    ]),
    keys: [],
    refuse: null,
    asked: [],
    fooledBy: new Set(),
    costNano: 1_000n,
    walletNano: 10_000_000_000n,
  }
  const judges = { find: async (_: unknown, id: string) => judging.judges.get(id) ?? null }
  const now = () => new Date()
  const toolsConfig: ToolsConfig = {
    ENCRYPTION_KEYS: [{ id: 'k1', secret: randomBytes(32) }],
    WEBHOOK_CUSTOM_HOSTS: true,
    WEBHOOK_ALLOWED_HOSTS: new Set(),
    WEBHOOK_LOOPBACK_HTTP: true,
  }
  const toolCallsOf = (pool: Pool) => startToolCalls(toolsConfig, { pool, now })
  const grpo = (router: Router, { pool, tokens, artifacts, limits }: TrainerParts) => {
    const steps = createPgSteps(pool)
    const toolCalls = toolCallsOf(pool)
    const stepDeps = { steps, runs: createPgRuns(pool), judges, toolCalls, newId: randomUUID }
    stepRoutes(router, { stepDeps, tokens, delay: () => new Promise((resolve) => setImmediate(resolve)) })
    return (attempt: Parameters<typeof runSpec>[1]) => runSpec({ artifacts, limits, steps, toolCalls, now }, attempt)
  }
  const run = await trainingRun({ grpo, toolCallsOf, attemptLeaseMs })
  const workspaceId = randomUUID()
  const checks = createSchemaChecks()
  const judgeExchange = judgeOf(judging, passes)
  const fitsSchema = (schema: object, value: unknown) => checks.checkOf(schema as never)(value as never) === null
  const toolCalls = toolCallsOf(run.pool)
  const deps: GrpoDeps = {
    runs: createPgRuns(run.pool),
    runProgress: createPgRunProgress(run.pool),
    models: { list: async () => [modelFrom(options)] },
    versions: createPgVersions(run.pool),
    catalog: {
      find: async (_, id) => ({
        id,
        isChat: true,
        capabilities: [],
        inputPerMtok: 1,
        outputPerMtok: 1,
        maxOutputTokens: 1_000,
      }),
    },
    sources: run.sources,
    reading: createSurveys(),
    judges,
    available: async () => judging.walletNano,
    toolCalls,
    judgeExchange,
    inference: { send: modelOf(judging) },
    fitsSchema,
    schemaProblem: checks.problem,
    money: run.money,
    now,
    newId: randomUUID,
    newSeed: () => 7,
  }
  const { app, headersFor } = testApp({
    audience: 'training',
    now,
    routes: (router) => {
      grpoRoutes(router, deps)
      gradeRoutes(router, { gradeStores: [deps.runProgress], newId: randomUUID })
      const logging = { call: () => Promise.reject(new Error('no log here')) }
      environmentToolRoutes(router, startToolApi(toolsConfig, { pool: run.pool, now, newId: randomUUID, logging }))
    },
  })
  const datasetUuid = randomUUID()
  run.addData(datasetUuid, linesOf(...manyExamples(400)))
  const datasetId = publicId('dataset', datasetUuid)
  const send: GrpoRunApp['send'] = async (method, path, body, headers = {}) => {
    const signed = headersFor(method, path, workspaceId)
    const sent = request(app)
      [method](path)
      .set({ ...signed, ...headers })
    const answer = await (body === undefined ? sent : sent.send(body))
    return { status: answer.status, body: answer.body, headers: answer.headers }
  }
  return {
    ...run,
    workspaceId,
    judging,
    datasetId,
    send,
    async create(more = {}) {
      const answer = await send('post', '/v1/grpo/runs', { ...bodyOf(datasetId), ...more })
      if (answer.status !== 202) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    read: async (id) => (await send('get', `/v1/grpo/runs/${id}`)).body,
    startJudging() {
      const stops: (() => unknown)[] = []
      const store = createPgJudging(run.pool)
      const onFailure = (error: unknown) => void run.money.failures.push(error)
      driveSteps(
        { store, runs: deps.runs, judgeExchange, toolCalls, fitsSchema, onFailure },
        {
          changes: { isListening: () => false, onChange: () => undefined },
          onStop: (stop) => void stops.push(stop),
          everyMs: 20,
          onError: onFailure,
          onProgress: () => undefined,
        },
      )
      const finishing = createPgFinish(run.pool)
      const timer = setInterval(() => void finishing.finish().catch(onFailure), 50)
      return async () => {
        clearInterval(timer)
        for (const stop of stops) await stop()
      }
    },
  }
}

export const bodyOf = (datasetId: string): Json => ({
  name: 'Polite',
  baseModel: 'sim/small',
  datasetId,
  reward: { criteria: [{ criterionId: criterion(rewardId) }] },
  holdout: { criterionId: criterion(otherId), everySteps: 4, prompts: 32 },
  hyperparameters: small16,
  maxCostUsd: 5,
})

export const refusal = (status: number, code: string) => new FleetCallError('refused', { status, code })
