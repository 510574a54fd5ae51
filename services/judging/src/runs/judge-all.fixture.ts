import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { createCalibrationRunHandler } from '../calibration/calibration-run.ts'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { createCascadeCalibrationRunHandler } from '../cascades/cascade-calibration-run.ts'
import { createCascadeScanRunHandler } from '../cascades/cascade-scan-run.ts'
import { createPgCascades } from '../cascades/pg-cascades.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import type { JudgementOutcome, LeasedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { type Judge, processJudgement } from '../judgements/process-judgement.ts'
import { createPgGrades } from '../labels/pg-grades.ts'
import type { SampleReads } from '../scans/draw-sample.ts'
import { advanceRun, type RunHandler } from './advance-run.ts'
import { createPgRuns } from './pg-runs.ts'

export interface CalibrationWorker {
  /** Does one step of every run that is ready. */
  advance(): Promise<void>
  /** Processes pending judgements once each. */
  judge(judge: Judge, maxCount?: number): Promise<void>
  /** Judges and advances until no run is ready. */
  finish(judge: Judge): Promise<void>
}

const unused: RunHandler = () => Promise.reject(new Error('not of this test'))

const noLog: SampleReads = {
  sample: () => Promise.reject(new Error('not of this test')),
  drawRuns: () => Promise.reject(new Error('not of this test')),
  readRuns: () => Promise.reject(new Error('not of this test')),
}

/** The work of a worker on calibrations and cascades, without a queue. */
export function calibrationWorker(pool: Pool, now: () => Date, log: SampleReads = noLog): CalibrationWorker {
  const judgements = createPgJudgements(pool)
  const runs = createPgRuns(pool)
  const stores = {
    criteria: createPgCriteria(pool),
    grades: createPgGrades(pool),
    slicedWork: createSlicedWork(),
    judgements,
    now,
    calibrations: createPgCalibrations(pool),
    cascades: createPgCascades(pool),
    verdicts: createPgVerdicts(pool),
    log,
    runs,
  }
  const handlers = {
    calibration: createCalibrationRunHandler(stores),
    cascade_calibration: createCascadeCalibrationRunHandler(stores),
    cascade_scan: createCascadeScanRunHandler(stores),
  }
  const others = { scan: unused, suggestion: unused, improvement: unused, drift_replay: unused, round: unused }
  const deps = { runs, judgements, runHandlers: { ...handlers, ...others }, now }
  const worker: CalibrationWorker = {
    async advance() {
      const failures: unknown[] = []
      const onEvent = ({ cause }: { readonly cause?: unknown }) => void (cause === undefined || failures.push(cause))
      for (const id of await runs.ready(10))
        await advanceRun({ ...deps, onEvent, onStep: () => {}, enqueueJudgements: async () => {} }, id)
      if (failures.length > 0) throw failures[0]
    },
    async judge(judge, maxCount = 10_000) {
      const ids = await judgements.overdue(maxCount)
      const informed: Judge = async (judgement) => judge({ ...judgement, human: await humanOf(pool, judgement) })
      const each = { judgements, judge: informed, now, onDone: async () => {}, onEvent: () => {} }
      await Promise.all(ids.map((id) => processJudgement(each, id)))
    },
    async finish(judge) {
      await worker.judge(judge)
      while ((await runs.ready(1)).length > 0) {
        await worker.advance()
        await worker.judge(judge)
      }
    },
  }
  return worker
}

/** What people said about a graded item. A second judgement of it does not have that itself. */
async function humanOf(pool: Pool, { human, labelId }: LeasedJudgement): Promise<LeasedJudgement['human']> {
  if (human !== null || labelId === null) return human
  const { rows } = await pool.query<{ label: Verdict }>('SELECT label FROM label WHERE id = $1', [labelId])
  return rows[0]?.label ?? null
}

export function answered(more: Partial<JudgementOutcome>): JudgementOutcome {
  return {
    verdict: null,
    failure: null,
    explanation: 'Because.',
    judgeModelResolved: 'sim-judge-1',
    judgeFingerprint: 'fp_1',
    promptTokens: 100,
    completionTokens: 10,
    costNano: 10_000n,
    ...more,
  }
}

/** A judge that gives the verdict of people. */
export async function agreeing({ human }: LeasedJudgement): Promise<JudgementOutcome> {
  return answered({ verdict: human })
}
