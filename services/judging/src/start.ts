import { judgeQueue, judgeRunQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { aliasConfig, connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectFleet, type FleetClients, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { createRowNotifier } from '@ratchet/service-kit/queue'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { watchWork } from '@ratchet/service-kit/watch-work'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createPgCalibrations } from './calibration/pg-calibrations.ts'
import { createGatesOf } from './criteria/create-gates-of.ts'
import { createPgCriteria } from './criteria/pg-criteria.ts'
import { createPgGateReads } from './gates/pg-gate-reads.ts'
import { createJudgeExchange } from './judgements/judge-exchange.ts'
import { createPgJudgements } from './judgements/pg-judgements.ts'
import { createPgVerdicts } from './judgements/pg-verdicts.ts'
import { createRedact } from './labels/create-redact.ts'
import { createPgGrades } from './labels/pg-grades.ts'
import { createPgLabels } from './labels/pg-labels.ts'
import { readWork } from './pg-work.ts'
import { createPgProgress } from './progress/pg-progress.ts'
import { createPgRuns } from './runs/pg-runs.ts'

export const JudgingConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  IDENTITY_KEYS: NamedKeys,
})
export type JudgingConfig = z.output<typeof JudgingConfig>

/** Calls to another service at the same time. */
const fleetConnections = 32
/** Only to delete a judge. */
const aliasConnections = 4

/** Starts the API of judges and grades and resolves with the port it is bound to. */
export async function startJudging(config: JudgingConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('judging')
  const pool = connectProcessPool(
    { databaseUrl: config.DATABASE_URL, role: 'ratchet_judging', max: 10, ...requestTimeouts },
    { ...lifecycle, logger },
  )
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1') },
    startChecks: { schema: createSchemaCheck(pool) },
    now,
  }
  const app = createApp({
    ...storesIn(pool),
    ...readersOf(connectFleet(config, { ...lifecycle, now, connections: fleetConnections }), now),
    ...createQueues(config, logger, lifecycle),
    gatesOf: createGatesOf(connectAlias(config, { ...lifecycle, now, connections: aliasConnections })),
    identityKeys: config.IDENTITY_KEYS,
    logger,
    metrics,
    health,
    serveMetrics: config.ADMIN_PORT === undefined,
    now,
    newId: () => uuidV7(now().getTime()),
  })
  watchWork({ metrics, read: () => readWork(pool), now, onStop: lifecycle.onStop, logger })
  return serveService(config, { app, health, metrics, lifecycle, logger })
}

function storesIn(pool: Pool) {
  return {
    criteria: createPgCriteria(pool),
    calibrations: createPgCalibrations(pool),
    runs: createPgRuns(pool),
    judgements: createPgJudgements(pool),
    gates: createPgGateReads(pool),
    grades: createPgGrades(pool),
    labels: createPgLabels(pool),
    progress: createPgProgress(pool),
    verdicts: createPgVerdicts(pool),
  }
}

function readersOf({ inference, logging }: FleetClients, now: () => Date) {
  return {
    log: createLogReader(logging),
    redact: createRedact(logging),
    models: createModelCatalog(inference),
    judgeExchange: createJudgeExchange({ inference, now }),
  }
}

/** Tells workers of runs and judgements. While Redis is away they find them by themselves. */
function createQueues({ REDIS_URL: redisUrl }: JudgingConfig, logger: Logger, { onStop }: Lifecycle) {
  const onError = (error: unknown) => logger.debug({ err: error }, 'redis is away')
  const queue = { redisUrl, onStop, onError }
  return {
    enqueueRuns: createRowNotifier(judgeRunQueue, queue, (runId) => ({ runId })),
    enqueueJudgements: createRowNotifier(judgeQueue, queue, (judgementId) => ({ judgementId })),
  }
}
