import type { Pool } from '@ratchet/db/connect-pool'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createWorkspaceClients } from '@ratchet/db/workspace-clients'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys, calleeConfig, readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { firstUuidV7At } from '@ratchet/service-kit/values/ids'
import { connectNotices } from '@ratchet/work-kit/live/connect-notices'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createFindModelsNamed } from './aliases/check-settings.ts'
import { createNotifyAlias, withAliasNotices } from './aliases/notify-alias.ts'
import { createPgAliasEvents } from './aliases/pg-alias-events.ts'
import { createPgAliases } from './aliases/pg-aliases.ts'
import { createPgPolicy } from './aliases/pg-policy.ts'
import { createFindJudge } from './aliases/require-judge.ts'
import { createVersionChecks } from './aliases/version-checks.ts'
import { createApp } from './app.ts'
import { gateRulesConfig, gateRulesOf } from './gate/gate-rules-config.ts'
import { createPgCanary } from './gate/pg-canary.ts'
import { createPgGateLooks } from './gate/pg-gate-looks.ts'
import { createPgTraffic } from './gate/pg-traffic.ts'
import { readWork } from './pg-work.ts'
import { startWebhooks, webhooksConfig } from './start-webhooks.ts'

const url = z.url({ protocol: /^https?$/ })

export const AliasConfig = z.object({
  ...httpServiceConfig,
  ...calleeConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  INFERENCE_URL: url,
  INFERENCE_KEYS: CallerKeys,
  JUDGING_URL: url,
  JUDGING_KEYS: CallerKeys,
  EVAL_URL: url,
  EVAL_KEYS: CallerKeys,
  TRAINING_URL: url,
  TRAINING_KEYS: CallerKeys,
  ...gateRulesConfig,
  ...webhooksConfig,
})
export type AliasConfig = z.output<typeof AliasConfig>

/** Calls to another service at the same time. */
const connections = 16

/** Starts the API of aliases and webhooks, and resolves with the port it is bound to. */
export function startAlias(config: AliasConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_alias', max: 10, ...requestTimeouts } as const
  return startApi({ name: 'alias', database, readWork }, { config, logger, lifecycle }, (parts, pool) =>
    createAliasApp(config, lifecycle, parts, pool),
  )
}

function createAliasApp(config: AliasConfig, lifecycle: Lifecycle, parts: AppParts, pool: Pool): Express {
  const { now, newId, logger } = parts
  const clients = createWorkspaceClients(pool)
  const { inference, judging, evals, training } = connectAll(config, now, lifecycle)
  const notices = connectNotices(config.REDIS_URL, { lifecycle, logger })
  return createApp({
    ...parts,
    aliases: withAliasNotices(createPgAliases(pool), createNotifyAlias(notices, now)),
    events: createPgAliasEvents({ pool, clients }),
    canary: createPgCanary(pool),
    looks: createPgGateLooks(pool),
    traffic: createPgTraffic(pool),
    policyOf: createPgPolicy(pool),
    models: createModelCatalog(inference),
    modelsNamed: createFindModelsNamed(inference),
    findJudge: createFindJudge(judging),
    rules: gateRulesOf(config),
    eval: evals,
    versions: createVersionChecks(training),
    webhooks: startWebhooks(config, { pool, clients, now, newId }),
    ...readCallee(config),
    firstIdAt: (at) => firstUuidV7At(at.getTime()),
  })
}

/** An alias is written after these calls, and a person waits for it. */
const writeClocks = { firstByteMs: 10_000, idleMs: 10_000, totalMs: 15_000 }

function connectAll(config: AliasConfig, now: () => Date, { onStop }: Lifecycle) {
  const context = { onStop, now }
  const common = { connections, clocks: writeClocks } as const
  const { INFERENCE_URL, INFERENCE_KEYS, JUDGING_URL, JUDGING_KEYS, EVAL_URL, EVAL_KEYS } = config
  const { TRAINING_URL, TRAINING_KEYS } = config
  return {
    inference: connectService({ ...common, audience: 'inference', url: INFERENCE_URL, keys: INFERENCE_KEYS }, context),
    judging: connectService({ ...common, audience: 'judging', url: JUDGING_URL, keys: JUDGING_KEYS }, context),
    evals: connectService({ ...common, audience: 'eval', url: EVAL_URL, keys: EVAL_KEYS }, context),
    training: connectService({ ...common, audience: 'training', url: TRAINING_URL, keys: TRAINING_KEYS }, context),
  }
}
