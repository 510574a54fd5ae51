import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, workerTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { createDrain } from '@ratchet/service-kit/drain'
import { createAdminApp } from '@ratchet/service-kit/http-app'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/ids'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { showProgressOf } from '@ratchet/service-kit/show-progress'
import { type ProgressWatch, watchProgress } from '@ratchet/service-kit/watch-progress'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { traceWork } from '@ratchet/telemetry/spans'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { StoredAlias } from './aliases/alias.ts'
import { createFindJudge } from './aliases/find-judge.ts'
import { createPgAliases } from './aliases/pg-aliases.ts'
import { connectService } from './connect-service.ts'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import { type EvaluateAliasDeps, evaluateAlias } from './gate/evaluate-alias.ts'
import { evaluateAliases } from './gate/evaluate-aliases.ts'
import { createPgCanary } from './gate/pg-canary.ts'
import { createPgTraffic } from './gate/pg-traffic.ts'
import { createDueRunner } from './run-due.ts'
import { type MirrorDeps, mirrorRequest } from './shadows/mirror-request.ts'
import { createPgShadows } from './shadows/pg-shadows.ts'
import { startWebhookDelivery, webhooksConfig } from './start-webhooks.ts'
import { createDeliveryEvents } from './webhooks/delivery-events.ts'

export const AliasWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: NamedKeys,
  /** Milliseconds between two looks at one alias. */
  GATE_LOOK_MS: z.coerce.number().int().min(100).default(10_000),
  /**
   * Milliseconds after which an exchange that was being stored is stored or never will be under its id. Longer than the
   * monitor's, so that what the judge monitors anyway is not judged for the gate as well.
   */
  GATE_SETTLE_MS: z.coerce.number().int().min(0).default(45_000),
  /** Hours that a canary is watched before its gate may promote it by itself. */
  GATE_PROMOTE_AFTER_HOURS: z.coerce.number().min(0).default(24),
  /** Scored answers of each arm that people must have graded before that. */
  GATE_GRADES_PER_ARM: z.coerce.number().int().min(0).default(20),
  /** Mirrored requests that one worker has under way at the same time. */
  SHADOW_CONCURRENCY: z.coerce.number().int().min(1).max(200).default(8),
  ...webhooksConfig,
})
export type AliasWorkerConfig = z.output<typeof AliasWorkerConfig>

/** How often it is looked what is due, milliseconds. */
const wakeEveryMs = 500
const forgetEveryMs = 3_600_000
/** A process that was silent for as long will not report any more, milliseconds. */
const reporterSilentMs = 86_400_000
const hourMs = 3_600_000
const judgingConnections = 16

interface WorkContext {
  readonly pool: Pool
  readonly lifecycle: Lifecycle
  readonly events: WorkerEvents
  readonly now: () => Date
  readonly progress: ProgressWatch
}

/** Starts a worker of the aliases; `PORT` answers probes and metrics. Resolves with the port it is bound to. */
export async function startAliasWorker(
  config: AliasWorkerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('alias-worker')
  const pool = connectProcessPool(
    { databaseUrl: config.DATABASE_URL, role: 'ratchet_alias', max: 10, ...workerTimeouts },
    { ...lifecycle, logger },
  )
  const progress = showProgressOf(metrics, watchProgress(now), now)
  const events = createWorkerEvents(metrics, logger)
  startWork(config, { pool, lifecycle, events, now, progress })
  const { onStop } = lifecycle
  startWebhookDelivery(config, { pool, now, onStop, events: createDeliveryEvents(metrics, logger) })
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1'), progress: progress.check },
    startChecks: { schema: createSchemaCheck(pool) },
    lifeChecks: { progress: progress.checkLife },
    now,
  }
  return serveService(config, { app: createAdminApp({ health, metrics }), health, metrics, lifecycle, logger })
}

function startWork(config: AliasWorkerConfig, context: WorkContext): void {
  const { pool, lifecycle, events, now, progress } = context
  const { evaluating, mirroring } = createWork(config, context)
  const { canary } = evaluating
  const lookAt = (alias: StoredAlias) => traceWork('look at alias', {}, () => evaluateAlias(evaluating, alias))
  const everyMs = config.GATE_LOOK_MS
  const evaluation = () =>
    evaluateAliases({
      canary,
      everyMs,
      evaluation: lookAt,
      onEvent: events.evaluation,
      onProgress: progress.onProgress,
    })
  const onError = progress.whileUnavailable(events.evaluationsFailed)
  lifecycle.onStop(repeatEvery({ everyMs: wakeEveryMs, work: evaluation, onError }))
  const mirrors = createDueRunner({
    due: mirroring.shadows.overdue,
    run: (id) => traceWork('process shadow', {}, () => mirrorRequest(mirroring, id)),
    concurrency: config.SHADOW_CONCURRENCY,
    onError: events.shadowsFailed,
  })
  lifecycle.onStop(mirrors.idle)
  lifecycle.onStop(repeatEvery({ everyMs: wakeEveryMs, work: mirrors.fill, onError: events.shadowsFailed }))
  const traffic = createPgTraffic(pool)
  const forget = async () => {
    await canary.forget()
    await traffic.forget(new Date(now().getTime() - reporterSilentMs))
  }
  lifecycle.onStop(repeatEvery({ everyMs: forgetEveryMs, work: forget, onError: events.forgettingFailed }))
}

/** What looks at aliases, and what mirrors their requests. */
function createWork(config: AliasWorkerConfig, { pool, lifecycle, events, now }: WorkContext) {
  const fleet = connectFleet(config, { ...lifecycle, now, connections: config.SHADOW_CONCURRENCY + 8 })
  const judging = connectService(
    { audience: 'judging', url: config.JUDGING_URL, keys: config.JUDGING_KEYS, connections: judgingConnections },
    { ...lifecycle, now },
  )
  const findJudge = createFindJudge(judging)
  const shared = {
    shadows: createPgShadows(pool),
    log: createLogReader(fleet.logging),
    judging,
    judgeOf: async (...asked: Parameters<typeof findJudge>) => (await findJudge(...asked))?.judge ?? null,
  }
  const evaluating: EvaluateAliasDeps = {
    ...shared,
    aliases: createPgAliases(pool),
    canary: createPgCanary(pool),
    rules: {
      promoteAfterMs: config.GATE_PROMOTE_AFTER_HOURS * hourMs,
      gradesPerArm: config.GATE_GRADES_PER_ARM,
    },
    settleMs: config.GATE_SETTLE_MS,
    now,
    newId: () => uuidV7(now().getTime()),
    firstIdAt: (at) => firstUuidV7At(at.getTime()),
    shadowIdOf: ({ id, settings }, logId) => deterministicId('shadow', id, settings.shadow_model ?? '', logId),
    onceIdOf: ({ id, epoch }, said) => deterministicId('gate-once', id, String(epoch.number), said),
    onEvent: events.evaluation,
  }
  const traitsOf = createModelTraits({ inference: fleet.inference, now })
  const mirroring: MirrorDeps = { ...shared, inference: fleet.inference, traitsOf, onEvent: events.shadow }
  return { evaluating, mirroring }
}
