import type { Pool } from '@ratchet/db/connect-pool'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import { createSurveys } from './data/data-reading.ts'
import { createSourceReader } from './data/source-reader.ts'
import type { DriveDistillationDeps } from './distill/drive-distillations.ts'
import { createPgDistillations, createPgDistillationWork } from './distill/pg-distillations.ts'
import type { DistillRouteDeps } from './distill/routes.ts'
import type { WorkerEvents } from './events.ts'
import { createJudgeDirectory } from './grpo/rewards/judge-directory.ts'
import { availableIn } from './money/require-cover.ts'

export interface DistillContext {
  readonly pool: Pool
  readonly inference: FleetClient
  readonly logging: FleetClient
  readonly now: () => Date
}

export interface DistillApiContext extends DistillContext {
  readonly judging: FleetClient
  readonly newId: () => string
}

/** The endpoint that starts datasets of a teacher's answers. */
export function startDistillApi({
  pool,
  inference,
  logging,
  judging,
  now,
  newId,
}: DistillApiContext): DistillRouteDeps {
  const work = createPgDistillationWork(pool)
  return {
    distillations: createPgDistillations(pool),
    samplesOf: async (distillation) => (await work.progress(distillation)).samples,
    inference,
    logging,
    sources: createSourceReader(logging),
    reading: createSurveys(),
    judges: createJudgeDirectory(judging),
    available: availableIn(inference),
    now,
    newId,
  }
}

export interface DistillFleet {
  readonly inference: FleetClient
  readonly logging: FleetClient
  readonly judgeExchange: JudgeExchange
  readonly events: Pick<WorkerEvents, 'distillationFailed' | 'databaseFailed'>
}

/** What asks teachers. */
export function startDistillWork(
  { pool, now, progress }: Pick<WorkerParts, 'pool' | 'now' | 'progress'>,
  { inference, logging, judgeExchange, events }: DistillFleet,
): DriveDistillationDeps {
  return {
    purpose: 'distill',
    work: createPgDistillationWork(pool),
    inference,
    logging,
    judgeExchange,
    now,
    onFailure: events.distillationFailed,
    onError: progress.whileUnavailable(events.databaseFailed),
    onProgress: progress.onProgress,
  }
}
