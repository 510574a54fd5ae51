import type { Pool } from '@ratchet/db/connect-pool'
import { createChecks } from '@ratchet/judge-kit/checks/create-checks'
import type { FleetClients } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createJudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { Logger } from 'pino'
import { createAssistant } from './assist/create-assistant.ts'
import { createImprovementRunHandler } from './assist/improvement-run.ts'
import { createPgAssist } from './assist/pg-assist.ts'
import { createSuggestionRunHandler } from './assist/suggestion-run.ts'
import { createCalibrationRunHandler } from './calibration/calibration-run.ts'
import { createPgCalibrations } from './calibration/pg-calibrations.ts'
import { createCascadeCalibrationRunHandler } from './cascades/cascade-calibration-run.ts'
import { createCascadeScanRunHandler } from './cascades/cascade-scan-run.ts'
import { createPgCascades } from './cascades/pg-cascades.ts'
import { createPgCriteria } from './criteria/pg-criteria.ts'
import { createDriftReplayRunHandler } from './drift/drift-replay-run.ts'
import { createPgDrift } from './drift/pg-drift.ts'
import { createJudge } from './judgements/create-judge.ts'
import type { JudgementStore } from './judgements/judgement.ts'
import { createPgVerdicts } from './judgements/pg-verdicts.ts'
import type { Judge } from './judgements/process-judgement.ts'
import { createPgGrades } from './labels/pg-grades.ts'
import { createPgGradingFrames } from './labels/pg-grading-frames.ts'
import { createPgSnapshots } from './labels/pg-snapshots.ts'
import { createPgCapNotices } from './monitor/pg-cap-notices.ts'
import type { NotifyRound } from './review/notify-round.ts'
import { createPgRoundSigns } from './review/pg-round-signs.ts'
import { createRoundRunHandler } from './review/round-run.ts'
import type { RunHandler } from './runs/advance-run.ts'
import type { RunKind } from './runs/judge-run.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import { createScanRunHandler } from './scans/scan-run.ts'

export interface JudgesContext {
  readonly pool: Pool
  readonly fleet: FleetClients
  readonly log: LogReader
  readonly judgements: JudgementStore
  readonly notifyRound: NotifyRound
  readonly logger: Logger
  readonly now: () => Date
  readonly onStop: OnStop
}

export interface Judges {
  readonly judge: Judge
  readonly runHandlers: Readonly<Record<RunKind, RunHandler>>
}

/** Builds the judge and a handler for each kind of run. */
export function startJudges({ pool, fleet, log, judgements, notifyRound, logger, now, onStop }: JudgesContext): Judges {
  const judgeExchange = createJudgeExchange({ inference: fleet.inference, now, ...createChecks(onStop) })
  const snapshots = createPgSnapshots(pool)
  const criteria = createPgCriteria(pool)
  const grades = createPgGrades(pool)
  const slicedWork = createSlicedWork()
  const drift = createPgDrift(pool)
  const assistant = createAssistant({ inference: fleet.inference, now })
  const calibrations = createPgCalibrations(pool)
  const verdicts = createPgVerdicts(pool)
  const cascades = createPgCascades(pool)
  const runs = createPgRuns(pool)
  return {
    judge: createJudge({ judgeExchange, log, snapshots, judgements, capNotices: createPgCapNotices(pool), now }),
    runHandlers: {
      calibration: createCalibrationRunHandler({
        criteria,
        grades,
        slicedWork,
        judgements,
        calibrations,
        now,
      }),
      scan: createScanRunHandler({ criteria, judgements, verdicts, grades, log, now }),
      suggestion: createSuggestionRunHandler({ assist: createPgAssist(pool), log, assistant }),
      improvement: createImprovementRunHandler({ criteria, grades, slicedWork, judgements, snapshots, assistant }),
      round: createRoundRunHandler({
        criteria,
        judgements,
        frames: createPgGradingFrames(pool),
        log,
        readSigns: createPgRoundSigns(pool),
        logger,
        onReady: (run) => notifyRound(run, 0),
        now,
      }),
      drift_replay: createDriftReplayRunHandler({ drift, judgements, now }),
      cascade_calibration: createCascadeCalibrationRunHandler({
        cascades,
        criteria,
        grades,
        slicedWork,
        judgements,
        calibrations,
      }),
      cascade_scan: createCascadeScanRunHandler({
        cascades,
        criteria,
        judgements,
        runs,
        verdicts,
        grades,
        log,
        now,
      }),
    },
  }
}
