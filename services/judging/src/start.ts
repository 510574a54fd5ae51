import { judgeQueue, judgeRunQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createChecks } from '@ratchet/judge-kit/checks/create-checks'
import { aliasConfig, connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectFleet, type FleetClients, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { connectConversations, voiceConfig } from '@ratchet/judge-kit/fleet/connect-voice'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import { createJudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys, calleeConfig, readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { createLiveNotifier } from '@ratchet/work-kit/live/live-notifier'
import { startApi } from '@ratchet/work-kit/processes/start-api'
import { createRowNotifier } from '@ratchet/work-kit/queue/queue'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createPgCalibrations } from './calibration/pg-calibrations.ts'
import { createPgCascades } from './cascades/pg-cascades.ts'
import { createGatesOf } from './criteria/create-gates-of.ts'
import { createRunsOf } from './criteria/create-runs-of.ts'
import { createPgCriteria } from './criteria/pg-criteria.ts'
import { createPgCriterionEvents } from './criteria/pg-criterion-events.ts'
import { createPgGateReads } from './gates/pg-gate-reads.ts'
import { createPgJudgements } from './judgements/pg-judgements.ts'
import { createPgVerdicts } from './judgements/pg-verdicts.ts'
import { createRedact } from './labels/create-redact.ts'
import { createGradeRollout } from './labels/grade-rollout.ts'
import { createGradeWork } from './labels/grade-work.ts'
import { createPgGrades } from './labels/pg-grades.ts'
import { createPgGradingFrames } from './labels/pg-grading-frames.ts'
import { createPgGradingPace } from './labels/pg-grading-pace.ts'
import { createPgLabelMarks } from './labels/pg-label-marks.ts'
import { createPgLabels } from './labels/pg-labels.ts'
import { readWork } from './pg-work.ts'
import { createPgProgress } from './progress/pg-progress.ts'
import { createNotifyRound } from './review/notify-round.ts'
import { createPgReview } from './review/pg-review.ts'
import {
  createNotifyJudges,
  type NotifyJudges,
  withCalibrationNotices,
  withCriterionNotices,
} from './runs/notify-judges.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import { createPgLatestScans } from './scans/pg-latest-scans.ts'

export const JudgingConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  ...voiceConfig,
  TRAINING_URL: z.url({ protocol: /^https?$/ }),
  TRAINING_KEYS: CallerKeys,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  ...calleeConfig,
})
export type JudgingConfig = z.output<typeof JudgingConfig>

const fleetConnections = 32
/** Few, because only the deletion of a judge calls the alias service. */
const aliasConnections = 4

/** Starts the API of judges and grades. Resolves with the port that it is bound to. */
export function startJudging(config: JudgingConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_judging', max: 10, ...requestTimeouts } as const
  return startApi({ name: 'judging', database, readWork }, { config, logger, lifecycle }, (parts, pool) => {
    const caller = { ...lifecycle, now: parts.now }
    const training = connectTraining(config, caller)
    const { notices, ...queues } = createQueues(config, logger, lifecycle)
    return createApp({
      ...parts,
      ...storesIn(pool, createNotifyJudges(notices, parts.now)),
      ...readersOf(
        connectFleet(config, { ...caller, connections: fleetConnections }),
        caller,
        connectConversations(config, caller),
      ),
      ...queues,
      gatesOf: createGatesOf(connectAlias(config, { ...caller, connections: aliasConnections })),
      runsOf: createRunsOf(training),
      gradeRollout: createGradeRollout(training),
      ...readCallee(config),
    })
  })
}

/** Few, because changes of judges and grades of training alone call it. */
const trainingConnections = 4

function connectTraining(
  { TRAINING_URL: url, TRAINING_KEYS: keys }: JudgingConfig,
  caller: CallerContext,
): FleetClient {
  return connectService({ audience: 'training', url, keys, connections: trainingConnections }, caller)
}

function storesIn(pool: Pool, notifyJudges: NotifyJudges) {
  return {
    criteria: withCriterionNotices(createPgCriteria(pool), notifyJudges),
    calibrations: withCalibrationNotices(createPgCalibrations(pool), notifyJudges),
    cascades: createPgCascades(pool),
    runs: createPgRuns(pool),
    judgements: createPgJudgements(pool),
    gates: createPgGateReads(pool),
    grades: createPgGrades(pool),
    labels: createPgLabels(pool),
    frames: createPgGradingFrames(pool),
    progress: createPgProgress(pool),
    readPace: createPgGradingPace(pool),
    verdicts: createPgVerdicts(pool),
    latestScans: createPgLatestScans(pool),
    gradeWork: createGradeWork(),
    events: createPgCriterionEvents(pool),
    firstAnswers: createPgFirstAnswers(pool, 'judging_answer'),
    readMarks: createPgLabelMarks(pool),
    ...createPgReview(pool),
  }
}

function readersOf(
  { inference, logging }: FleetClients,
  { now, onStop }: CallerContext,
  conversation: LogReader['conversation'],
) {
  const schemas = createSchemaChecks()
  const checks = createChecks(onStop, schemas)
  return {
    log: createLogReader(logging, conversation),
    redact: createRedact(logging),
    models: createModelCatalog(inference),
    judgeExchange: createJudgeExchange({ inference, now, ...checks }),
    runScript: checks.runScript,
    slicedWork: checks.slicedWork,
    schemas,
  }
}

/** Notifies workers of runs and judgements. While Redis is unavailable, workers find them by polling. */
function createQueues({ REDIS_URL: redisUrl }: JudgingConfig, logger: Logger, { onStop }: Lifecycle) {
  const onError = (error: unknown) => logger.debug({ err: error }, 'Redis is unavailable')
  const queue = { redisUrl, onStop, onError }
  const notices = createLiveNotifier(queue)
  return {
    notices,
    enqueueRuns: createRowNotifier(judgeRunQueue, queue, (runId) => ({ runId })),
    enqueueJudgements: createRowNotifier(judgeQueue, queue, (judgementId) => ({ judgementId })),
    notifyRound: createNotifyRound(notices),
  }
}
