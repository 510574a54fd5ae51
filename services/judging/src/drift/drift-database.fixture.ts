import { randomUUID } from 'node:crypto'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { measureJudge } from '../calibration/measure-judge.ts'
import { confusionRows } from '../calibration/rows.fixture.ts'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import type { JudgementOutcome, PlannedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import type { JudgeRun, NewRun } from '../runs/judge-run.ts'
import { passed, plannedFor } from '../runs/judged-work.fixture.ts'
import { createPgRuns } from '../runs/pg-runs.ts'
import type { DriftStore, ExaminedCriterion } from './drift-store.ts'
import { startOfDay, utcDay } from './find-rise.ts'
import { createPgDrift } from './pg-drift.ts'

type JudgeKey = Pick<StoredCriterion, 'id' | 'workspaceId'>

/** Judges with calibrations and verdicts in a database of their own. */
export interface DriftDatabase extends LabelDatabase {
  readonly drift: DriftStore
  /** A judge that was calibrated twenty days ago, as a sweep reads it. */
  calibrated(more?: Partial<StoredCriterion>): Promise<ExaminedCriterion>
  read(of: Pick<StoredCriterion, 'id'>): Promise<ExaminedCriterion>
  addRun(of: JudgeKey, more: Partial<NewRun>): Promise<JudgeRun>
  /** Stores a finished judgement. */
  judged(of: JudgeKey, done: DoneChoices): Promise<void>
}

export interface DoneChoices {
  readonly at: Date
  readonly planned?: Partial<PlannedJudgement>
  readonly outcome?: Partial<JudgementOutcome>
}

/** Noon of a UTC day, some days before one. */
export const noonBefore = (today: number) => (daysAgo: number) =>
  new Date(startOfDay(today - daysAgo).getTime() + dayMs / 2)

export async function driftDatabase(now: Date): Promise<DriftDatabase> {
  const database = await labelDatabase()
  const { pool, operator } = database
  const drift = createPgDrift(pool)
  const noon = noonBefore(utcDay(now))

  async function read({ id }: Pick<StoredCriterion, 'id'>): Promise<ExaminedCriterion> {
    const found = (await drift.examined()).find((each) => each.id === id)
    if (found === undefined) throw new Error('the judge is not examined')
    return found
  }

  const addRun = (of: JudgeKey, more: Partial<NewRun>) =>
    createPgRuns(pool).create({
      id: randomUUID(),
      workspaceId: of.workspaceId,
      criterionId: of.id,
      kind: 'drift_replay',
      instrument: 1,
      judgeModel: 'sim/judge',
      promptSha256: 'x',
      request: {},
      maxCostNano: null,
      createdBy: of.workspaceId,
      createdAt: now,
      ...more,
    })

  async function calibrated(more: Partial<StoredCriterion> = {}): Promise<ExaminedCriterion> {
    const criterion = storedCriterion({ id: randomUUID(), workspaceId: randomUUID(), ...more })
    await createPgCriteria(pool).create(criterion)
    const run = await addRun(criterion, { kind: 'calibration', createdAt: noon(20) })
    const result = { measures: measureJudge(confusionRows({ tp: 48, fn: 2, fp: 3, tn: 97 })) }
    await operator.query(`UPDATE judge_run SET status = 'DONE', finished_at = created_at, result = $2 WHERE id = $1`, [
      run.id,
      JSON.stringify(result),
    ])
    return read(criterion)
  }

  async function judged(of: JudgeKey, { at, planned = {}, outcome = {} }: DoneChoices): Promise<void> {
    const judgements = createPgJudgements(pool)
    const judgement = plannedFor(of, { source: 'online', ...planned })
    await judgements.plan([judgement])
    const lease = await judgements.lease(judgement.id, 60_000)
    if (lease === null) throw new Error('the judgement is not due')
    await judgements.complete(lease, { ...passed, ...outcome }, at)
  }

  return { ...database, drift, calibrated, read, addRun, judged }
}
