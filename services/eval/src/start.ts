import { evalRunQueue } from '@ratchet/contracts/queues'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { createUpstream } from '@ratchet/http/create-upstream'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { createFleetClient, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { createRowNotifier } from '@ratchet/service-kit/queue'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { watchWork } from '@ratchet/service-kit/watch-work'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/webhook-config'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp, type EvalDeps } from './app.ts'
import { createPgEvidence } from './gate/pg-evidence.ts'
import { createSourceChooser } from './prompts/choose-source.ts'
import { createPgEvals } from './runs/pg-evals.ts'
import { readWork } from './runs/pg-work.ts'
import { createPgSamples } from './samples/pg-samples.ts'

export const EvalConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  IDENTITY_KEYS: NamedKeys,
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: NamedKeys,
  ...webhookConfig,
})
export type EvalConfig = z.output<typeof EvalConfig>

/** Concurrent connections to each other service. */
const fleetConnections = 32

/** Starts the API of evals and resolves with the port it is bound to. */
export async function startEval(config: EvalConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('eval')
  const pool = connectProcessPool(
    { databaseUrl: config.DATABASE_URL, role: 'ratchet_eval', max: 10, ...requestTimeouts },
    { ...lifecycle, logger },
  )
  const { inference, logging } = connectFleet(config, { ...lifecycle, now, connections: fleetConnections })
  const log = createLogReader(logging)
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1') },
    startChecks: { schema: createSchemaCheck(pool) },
    now,
  }
  const app = createApp({
    evals: createPgEvals(pool),
    evidence: createPgEvidence(pool),
    samples: createPgSamples(pool),
    models: createModelCatalog(inference),
    inference,
    judging: connectJudging(config, now, lifecycle),
    log,
    sourceOf: createSourceChooser(log, logging),
    webhookRules: webhookRules(config),
    enqueueRuns: createRunNotifier(config, logger, lifecycle),
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

function connectJudging(
  { JUDGING_URL, JUDGING_KEYS: [key] }: EvalConfig,
  now: () => Date,
  { onStop }: Lifecycle,
): FleetClient {
  const upstream = createUpstream({ origin: new URL(JUDGING_URL).origin, connections: 4, connectTimeoutMs: 1_000 })
  onStop(() => upstream.destroy())
  return createFleetClient({ audience: 'judging', upstream, key, now, newId: () => uuidV7(now().getTime()) })
}

/** Notifies workers of an eval. While Redis is unavailable, workers find the eval in Postgres by themselves. */
function createRunNotifier(
  { REDIS_URL: redisUrl }: EvalConfig,
  logger: Logger,
  { onStop }: Lifecycle,
): EvalDeps['enqueueRuns'] {
  const onError = (error: unknown) => logger.debug({ err: error }, 'redis is unavailable')
  return createRowNotifier(evalRunQueue, { redisUrl, onStop, onError }, (runId) => ({ runId }))
}
