import { brandOf } from '@ratchet/contracts/brand'
import { batchLineQueue, batchQueue, evalRunQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys, calleeConfig, readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/process/webhook-config'
import { createLiveNotifier } from '@ratchet/work-kit/live/live-notifier'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import { createRowNotifier } from '@ratchet/work-kit/queue/queue'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createPgBatches } from './batches/pg-batches.ts'
import { createPgEvidence } from './gate/pg-evidence.ts'
import { createPgPreferences } from './preferences/pg-preferences.ts'
import { createSourceChooser } from './prompts/choose-source.ts'
import { createNotifyEval } from './runs/notify-eval.ts'
import { createPgEvals } from './runs/pg-evals.ts'
import { readWork } from './runs/pg-work.ts'
import { createPgSamples } from './samples/pg-samples.ts'

export const EvalConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  ...calleeConfig,
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: CallerKeys,
  ...webhookConfig,
})
export type EvalConfig = z.output<typeof EvalConfig>

/** Concurrent connections to each other service. */
const fleetConnections = 32

/** Starts the API of evals and resolves with the port it is bound to. */
export function startEval(config: EvalConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const context = { config, logger, lifecycle }
  const database = { role: 'ratchet_eval', max: 10, ...requestTimeouts } as const
  return startApi({ name: 'eval', database, readWork }, context, (parts, pool) => createEvalApp(context, parts, pool))
}

interface EvalContext {
  readonly config: EvalConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

function createEvalApp({ config, logger, lifecycle }: EvalContext, parts: AppParts, pool: Pool): Express {
  const { now } = parts
  const { inference, logging } = connectFleet(config, { ...lifecycle, now, connections: fleetConnections })
  const judging = { audience: 'judging', url: config.JUDGING_URL, keys: config.JUDGING_KEYS, connections: 4 } as const
  const log = createLogReader(logging)
  // While Redis is unavailable, workers find the eval in Postgres by themselves, and open pages poll.
  const onError = (error: unknown) => logger.debug({ err: error }, 'Redis is unavailable')
  const queue = { redisUrl: config.REDIS_URL, onStop: lifecycle.onStop, onError }
  return createApp({
    ...parts,
    evals: createPgEvals(pool),
    evidence: createPgEvidence(pool),
    samples: createPgSamples(pool),
    preferences: createPgPreferences(pool),
    models: createModelCatalog(inference),
    inference,
    logging,
    batches: createPgBatches(pool),
    brand: brandOf(config.BRAND_WORD),
    enqueueBatches: createRowNotifier(batchQueue, queue, (batchId) => ({ batchId })),
    enqueueLines: createRowNotifier(batchLineQueue, queue, (lineId) => ({ lineId })),
    judging: connectService(judging, { ...lifecycle, now }),
    log,
    sourceOf: createSourceChooser(log, logging),
    webhookRules: webhookRules(config),
    enqueueRuns: createRowNotifier(evalRunQueue, queue, (runId) => ({ runId })),
    notifyEval: createNotifyEval(createLiveNotifier(queue), now),
    ...readCallee(config),
  })
}
