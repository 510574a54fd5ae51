import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/ids'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { watchWork } from '@ratchet/service-kit/watch-work'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createFindJudge } from './aliases/find-judge.ts'
import { createFindModelsNamed } from './aliases/find-models-named.ts'
import { createPgAliasEvents } from './aliases/pg-alias-events.ts'
import { createPgAliases } from './aliases/pg-aliases.ts'
import { createPgPolicy } from './aliases/pg-policy.ts'
import { createApp } from './app.ts'
import { connectService } from './connect-service.ts'
import { createPgCanary } from './gate/pg-canary.ts'
import { createPgTraffic } from './gate/pg-traffic.ts'
import { readWork } from './pg-work.ts'
import { startWebhooks, webhooksConfig } from './start-webhooks.ts'

const url = z.url({ protocol: /^https?$/ })

export const AliasConfig = z.object({
  ...httpServiceConfig,
  IDENTITY_KEYS: NamedKeys,
  INFERENCE_URL: url,
  INFERENCE_KEYS: NamedKeys,
  JUDGING_URL: url,
  JUDGING_KEYS: NamedKeys,
  EVAL_URL: url,
  EVAL_KEYS: NamedKeys,
  ...webhooksConfig,
})
export type AliasConfig = z.output<typeof AliasConfig>

/** Calls to another service at the same time. */
const connections = 16

/** Starts the API of aliases and webhooks, and resolves with the port it is bound to. */
export async function startAlias(config: AliasConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const now = () => new Date()
  const newId = () => uuidV7(now().getTime())
  const metrics = createProcessMetrics('alias')
  const pool = connectProcessPool(
    { databaseUrl: config.DATABASE_URL, role: 'ratchet_alias', max: 10, ...requestTimeouts },
    { ...lifecycle, logger },
  )
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1') },
    startChecks: { schema: createSchemaCheck(pool) },
    now,
  }
  const { inference, judging, evals } = connectAll(config, now, lifecycle)
  const app = createApp({
    aliases: createPgAliases(pool),
    events: createPgAliasEvents(pool),
    canary: createPgCanary(pool),
    traffic: createPgTraffic(pool),
    policyOf: createPgPolicy(pool),
    models: createModelCatalog(inference),
    modelsNamed: createFindModelsNamed(inference),
    findJudge: createFindJudge(judging),
    eval: evals,
    webhooks: startWebhooks(config, { pool, now, newId }),
    identityKeys: config.IDENTITY_KEYS,
    logger,
    metrics,
    health,
    serveMetrics: config.ADMIN_PORT === undefined,
    now,
    newId,
    firstIdAt: (at) => firstUuidV7At(at.getTime()),
  })
  watchWork({ metrics, read: () => readWork(pool), now, onStop: lifecycle.onStop, logger })
  return serveService(config, { app, health, metrics, lifecycle, logger })
}

function connectAll(config: AliasConfig, now: () => Date, { onStop }: Lifecycle) {
  const context = { onStop, now }
  const inference = { url: config.INFERENCE_URL, keys: config.INFERENCE_KEYS, connections }
  const judging = { url: config.JUDGING_URL, keys: config.JUDGING_KEYS, connections }
  const evals = { url: config.EVAL_URL, keys: config.EVAL_KEYS, connections }
  return {
    inference: connectService({ audience: 'inference', ...inference }, context),
    judging: connectService({ audience: 'judging', ...judging }, context),
    evals: connectService({ audience: 'eval', ...evals }, context),
  }
}
