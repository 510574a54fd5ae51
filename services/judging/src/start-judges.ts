import type { Pool } from '@ratchet/db/connect-pool'
import type { FleetClients } from '@ratchet/judge-kit/fleet/connect-fleet'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { RunKind } from './domain/judge-run.ts'
import type { JudgementStore } from './domain/judgement.ts'
import { createAssistant } from './fleet/create-assistant.ts'
import { createJudge } from './judges/create-judge.ts'
import { createJudgeExchange } from './judges/judge-exchange.ts'
import { createCalibrationRunHandler } from './runs/calibration-run.ts'
import { createDriftReplayRunHandler } from './runs/drift-replay-run.ts'
import { createImprovementRunHandler } from './runs/improvement-run.ts'
import { createScanRunHandler } from './runs/scan-run.ts'
import { createSuggestionRunHandler } from './runs/suggestion-run.ts'
import { createPgAssist } from './store/pg-assist.ts'
import { createPgCalibrations } from './store/pg-calibrations.ts'
import { createPgCriteria } from './store/pg-criteria.ts'
import { createPgDrift } from './store/pg-drift.ts'
import { createPgGrades } from './store/pg-grades.ts'
import { createPgRuns } from './store/pg-runs.ts'
import { createPgSnapshots } from './store/pg-snapshots.ts'
import { createPgVerdicts } from './store/pg-verdicts.ts'
import type { RunHandler } from './work/advance-run.ts'
import type { Judge } from './work/do-judgement.ts'

export interface JudgesContext {
  readonly pool: Pool
  readonly fleet: FleetClients
  readonly log: LogReader
  readonly judgements: JudgementStore
  readonly now: () => Date
}

export interface Judges {
  readonly judge: Judge
  readonly runHandlers: Readonly<Record<RunKind, RunHandler>>
}

/** The judge that does judgements, and what takes each kind of run further. */
export function startJudges({ pool, fleet, log, judgements, now }: JudgesContext): Judges {
  const judgeExchange = createJudgeExchange({ inference: fleet.inference, now })
  const snapshots = createPgSnapshots(pool)
  const criteria = createPgCriteria(pool)
  const grades = createPgGrades(pool)
  const drift = createPgDrift(pool)
  const assistant = createAssistant({ inference: fleet.inference, now })
  const calibrations = createPgCalibrations(pool)
  const verdicts = createPgVerdicts(pool)
  return {
    judge: createJudge({ judgeExchange, log, snapshots, judgements, now }),
    runHandlers: {
      calibration: createCalibrationRunHandler({
        criteria,
        grades,
        judgements,
        calibrations,
        runs: createPgRuns(pool),
        now,
      }),
      scan: createScanRunHandler({ criteria, judgements, verdicts, log, now }),
      suggestion: createSuggestionRunHandler({ assist: createPgAssist(pool), log, assistant }),
      improvement: createImprovementRunHandler({ criteria, grades, judgements, snapshots, assistant }),
      drift_replay: createDriftReplayRunHandler({ drift, judgements, now }),
    },
  }
}
