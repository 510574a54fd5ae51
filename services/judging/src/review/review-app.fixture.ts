import { randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import type { Identity } from '@ratchet/contracts/identity'
import type { LiveNotice } from '@ratchet/contracts/live-notice'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { checksWithoutScripts } from '@ratchet/judge-kit/checks/checks.fixture'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type FixedClock, fixedClock } from '@ratchet/testing/fixed-clock'
import { testApp } from '@ratchet/testing/service-app'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import type { Router } from 'express'
import request from 'supertest'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { calibrationRoutes } from '../calibration/routes.ts'
import { auditRoutes } from '../criteria/audit-routes.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgCriterionEvents } from '../criteria/pg-criterion-events.ts'
import { criteriaRoutes } from '../criteria/routes.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { createGradeWork } from '../labels/grade-work.ts'
import { labelDatabase } from '../labels/label-database.fixture.ts'
import { createPgGrades } from '../labels/pg-grades.ts'
import { createPgGradingFrames } from '../labels/pg-grading-frames.ts'
import { createPgLabelMarks } from '../labels/pg-label-marks.ts'
import { createPgLabels } from '../labels/pg-labels.ts'
import type { Redact } from '../labels/redact.ts'
import { labelRoutes } from '../labels/routes.ts'
import { sessionLabelRoutes } from '../labels/session-routes.ts'
import { advanceRun, type RunHandler } from '../runs/advance-run.ts'
import { answered } from '../runs/judge-all.fixture.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import { createMemoryLog, type MemoryLog } from './memory-log.fixture.ts'
import { createNotifyRound } from './notify-round.ts'
import { createPgReview } from './pg-review.ts'
import { createPgRoundSigns } from './pg-round-signs.ts'
import { createRoundRunHandler } from './round-run.ts'
import { reviewRoutes } from './routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients do
type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly text: string
}

export interface ReviewApp {
  readonly pool: Pool
  readonly operator: Pool
  readonly clock: FixedClock
  readonly log: MemoryLog
  readonly notices: readonly (LiveNotice & { readonly workspaceId: string })[]
  /** Ids of runs that were enqueued. */
  readonly enqueued: readonly string[]
  /** A person who may grade. */
  person(role: Identity['role'], workspaceId: string): Identity
  send(by: Identity, method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object): Promise<Answer>
  /** The public id of a new judge. */
  addJudge(by: Identity, more?: object): Promise<string>
  /** Buys the verdicts of all rounds that wait for them. */
  prepare(judge: (item: JudgedText) => Verdict | 'over_cap'): Promise<void>
  stop(): Promise<void>
}

export interface JudgedText {
  readonly criterionId: string
  readonly text: string
}

export const secret = 'sk-secret-0123456789'

const redact: Redact = async (_identity, documents) =>
  documents.map((document) => document.replaceAll(secret, '[redacted]'))

const models: ModelCatalog = {
  async find(_identity, id) {
    return { id, isChat: true, capabilities: ['chat'], inputPerMtok: 2.5, outputPerMtok: 10, maxOutputTokens: 16_384 }
  },
}

/** The routes that people use, with a database of their own and a log in memory. */
export async function startReviewApp(): Promise<ReviewApp> {
  const database = await labelDatabase()
  const { pool, operator } = database
  const clock = fixedClock()
  const log = createMemoryLog(clock.now)
  const notices: (LiveNotice & { readonly workspaceId: string })[] = []
  const enqueued: string[] = []
  const notifyRound = createNotifyRound(async (id, notice) => void notices.push({ workspaceId: id, ...notice }))
  const deps = {
    ...createPgReview(pool),
    criteria: createPgCriteria(pool),
    calibrations: createPgCalibrations(pool),
    runs: createPgRuns(pool),
    grades: createPgGrades(pool),
    labels: createPgLabels(pool),
    frames: createPgGradingFrames(pool),
    readMarks: createPgLabelMarks(pool),
    events: createPgCriterionEvents(pool),
    firstAnswers: createPgFirstAnswers(pool, 'judging_answer'),
    gatesOf: async () => [],
    runsOf: async () => [],
    gradeRollout: () => Promise.reject(new Error('no runs here')),
    log: log.reader,
    gradeWork: createGradeWork(),
    models,
    schemas: createSchemaChecks(),
    slicedWork: checksWithoutScripts.slicedWork,
    runScript: checksWithoutScripts.runScript,
    redact,
    notifyRound,
    now: clock.now,
    newId: () => uuidV7(clock.now().getTime()),
    enqueueRuns: async (ids: readonly string[]) => void enqueued.push(...ids),
  }
  const routes = (router: Router) => {
    criteriaRoutes(router, deps)
    calibrationRoutes(router, deps)
    labelRoutes(router, deps)
    sessionLabelRoutes(router, deps)
    reviewRoutes(router, deps)
    auditRoutes(router, deps)
  }
  const { app, headersFor } = testApp({ audience: 'judging', now: clock.now, routes })
  const send: ReviewApp['send'] = async (by, method, path, body) => {
    const call = request(app)
      [method](path)
      .set(headersFor(method, path, by))
    return body === undefined ? call : call.send(body)
  }
  return {
    pool,
    operator,
    clock,
    log,
    notices,
    enqueued,
    send,
    person: (role, workspaceId) => ({
      workspaceId,
      userId: randomUUID(),
      role,
      keyId: null,
      session: { id: randomUUID(), mayGrade: true, isFresh: false },
    }),
    async addJudge(by, more = {}) {
      const required = { name: 'Right', judge_prompt: 'It fails when wrong.', judge_model: 'sim/judge' }
      const { status, body, text } = await send(by, 'post', '/v1/criteria', { ...required, ...more })
      if (status !== 201) throw new Error(`no judge was created: ${text}`)
      return body.id
    },
    prepare: (judge) => prepare({ ...deps, pool }, judge),
    async stop() {
      await database.drop()
    },
  }
}

interface PrepareDeps {
  readonly pool: Pool
  readonly log: MemoryLog['reader']
  readonly now: () => Date
  readonly notifyRound: ReturnType<typeof createNotifyRound>
}

const unused: RunHandler = () => Promise.reject(new Error('not of this test'))

async function prepare({ pool, log, now, notifyRound }: PrepareDeps, judge: Parameters<ReviewApp['prepare']>[0]) {
  const judgements = createPgJudgements(pool)
  const runs = createPgRuns(pool)
  const round = createRoundRunHandler({
    criteria: createPgCriteria(pool),
    judgements,
    frames: createPgGradingFrames(pool),
    log,
    readSigns: createPgRoundSigns(pool),
    logger: silentLogger,
    onReady: (run) => notifyRound(run, 0),
    now,
  })
  const others = { calibration: unused, scan: unused, suggestion: unused, improvement: unused, drift_replay: unused }
  const ofCascades = { cascade_calibration: unused, cascade_scan: unused }
  const failures: unknown[] = []
  const onRun = ({ cause }: { readonly cause?: unknown }) => void (cause === undefined || failures.push(cause))
  const running = {
    runs,
    judgements,
    runHandlers: { ...others, ...ofCascades, round },
    now,
    enqueueJudgements: async () => {},
    onStep: () => {},
  }
  const verdictOn: Parameters<typeof processJudgement>[0]['judge'] = async ({ workspaceId, criterionId, item }) => {
    const logId = item.kind === 'log' ? item.logId : item.kind === 'run' ? (item.stepIds.at(-1) ?? '') : ''
    const entry = await log.entry({ workspaceId } as Identity, logId)
    const said = judge({ criterionId: publicId('criterion', criterionId), text: String(entry?.response.content) })
    return said === 'over_cap' ? answered({ failure: 'over_cap' }) : answered({ verdict: said })
  }
  const judging = { judgements, judge: verdictOn, now, onDone: async () => {}, onEvent: () => {} }
  for (let ready = await runs.ready(10); ready.length > 0; ready = await runs.ready(10)) {
    for (const id of ready) await advanceRun({ ...running, onEvent: onRun }, id)
    if (failures.length > 0) throw failures[0]
    for (let due = await judgements.overdue(500); due.length > 0; due = await judgements.overdue(500)) {
      for (const id of due) await processJudgement(judging, id)
    }
  }
}

export function uuidOfRound(id: string): string {
  return uuidOf('round', id) ?? ''
}
