import type { Pool } from '@ratchet/db/connect-pool'
import { createCalibrationRunHandler } from '../calibration/calibration-run.ts'
import { createPgCalibrations } from '../calibration/pg-calibrations.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import type { JudgementOutcome, LeasedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { type Judge, processJudgement } from '../judgements/process-judgement.ts'
import { createPgGrades } from '../labels/pg-grades.ts'
import { advanceRun, type RunHandler } from './advance-run.ts'
import { createPgRuns } from './pg-runs.ts'

export interface CalibrationWorker {
  /** Takes every run one step further that can go on. */
  advance(): Promise<void>
  /** Does judgements that wait, at most so many, once each. */
  judge(judge: Judge, most?: number): Promise<void>
  /** Both until nothing is left to be done. */
  finish(judge: Judge): Promise<void>
}

const anonymous: RunHandler = () => Promise.reject(new Error('not of this test'))

/** What a worker does for calibrations, by hand. */
export function calibrationWorker(pool: Pool, now: () => Date): CalibrationWorker {
  const judgements = createPgJudgements(pool)
  const runs = createPgRuns(pool)
  const calibration = createCalibrationRunHandler({
    criteria: createPgCriteria(pool),
    grades: createPgGrades(pool),
    judgements,
    now,
    calibrations: createPgCalibrations(pool),
    runs,
  })
  const others = { scan: anonymous, suggestion: anonymous, improvement: anonymous, drift_replay: anonymous }
  const deps = { runs, judgements, runHandlers: { calibration, ...others }, now }
  const worker: CalibrationWorker = {
    async advance() {
      const failures: unknown[] = []
      const onEvent = ({ cause }: { readonly cause?: unknown }) => void (cause === undefined || failures.push(cause))
      for (const id of await runs.ready(10))
        await advanceRun({ ...deps, onEvent, enqueueJudgements: async () => {} }, id)
      if (failures.length > 0) throw failures[0]
    },
    async judge(judge, most = 10_000) {
      const ids = await judgements.overdue(most)
      const each = { judgements, judge, now, onDone: async () => {}, onEvent: () => {} }
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

/** What a judge answers; it costs a thousandth of a cent. */
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

/** A judge that says what people say. */
export async function agreeing({ human }: LeasedJudgement): Promise<JudgementOutcome> {
  return answered({ verdict: human })
}
