import { workerTimeouts } from '@ratchet/db/connect-process-pool'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { dayMs, hourMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/values/ids'
import { traceWork } from '@ratchet/telemetry/spans'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import { connectNotices } from '@ratchet/work-kit/live/connect-notices'
import { type DueWork, startDueWork } from '@ratchet/work-kit/polling/due-runner'
import { listenForWork } from '@ratchet/work-kit/polling/pg-work-changes'
import { pollForWork } from '@ratchet/work-kit/polling/poll-for-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import { createWorkPlaces, placesFor } from '@ratchet/work-kit/queue/work-places'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { StoredAlias } from './aliases/alias.ts'
import { createNotifyAlias, withAliasNotices, withGateNotices } from './aliases/notify-alias.ts'
import { createPgAliases } from './aliases/pg-aliases.ts'
import { createFindJudge } from './aliases/require-judge.ts'
import { aliasRooms } from './erasure/pg-erasure-rooms.ts'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import { type EvaluateAliasDeps, evaluateAlias } from './gate/evaluate-alias.ts'
import { gateRulesConfig, gateRulesOf } from './gate/gate-rules-config.ts'
import { createPgCanary } from './gate/pg-canary.ts'
import { createPgGateLooks } from './gate/pg-gate-looks.ts'
import { createPgTraffic } from './gate/pg-traffic.ts'
import { type MirrorDeps, mirrorRequest } from './shadows/mirror-request.ts'
import { createPgShadows } from './shadows/pg-shadows.ts'
import type { LeasedShadow } from './shadows/shadow.ts'
import { startWebhookDelivery, webhooksConfig } from './start-webhooks.ts'
import { createDeliveryEvents } from './webhooks/delivery-events.ts'

export const AliasWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: CallerKeys,
  /** Time between two evaluations of one gate, milliseconds. */
  GATE_EVERY_MS: z.coerce.number().int().min(100).default(10_000),
  /**
   * Time after which every exchange with an id of that moment is in the log, milliseconds. It is longer than the
   * monitor's, so that the gate finds the verdicts of monitored exchanges and does not order them again.
   */
  GATE_INGEST_LAG_MS: z.coerce.number().int().min(0).default(45_000),
  ...gateRulesConfig,
  /** Shadow requests of one workspace that one worker processes at the same time; a quarter more are for others. */
  SHADOW_CONCURRENCY: z.coerce.number().int().min(1).max(200).default(8),
  ...webhooksConfig,
})
export type AliasWorkerConfig = z.output<typeof AliasWorkerConfig>

/** Interval between searches for due work, milliseconds. */
const pollEveryMs = 500
/** Aliases evaluated at the same time. */
const maxEvaluations = 8
const judgingConnections = 16
const judgingClocks = { firstByteMs: 10_000, idleMs: 10_000, totalMs: 15_000 }

interface WorkContext extends WorkerParts {
  readonly changes: WorkChanges
  readonly events: WorkerEvents
}

/** Starts a worker of the aliases; `PORT` answers probes and metrics. Resolves with the port it is bound to. */
export function startAliasWorker(config: AliasWorkerConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_alias', max: 11, ...workerTimeouts } as const
  return startWorkerProcess({ name: 'alias-worker', database }, { config, logger, lifecycle }, (parts) => {
    const { pool, metrics, now } = parts
    const changes = listenForWork(parts)
    startWork(config, { ...parts, changes, events: createWorkerEvents(metrics, logger) })
    const events = createDeliveryEvents(metrics, logger)
    startWebhookDelivery(config, { pool, now, changes, onStop: lifecycle.onStop, events })
  })
}

function startWork(config: AliasWorkerConfig, context: WorkContext): void {
  const { pool, lifecycle, changes, events, now, progress } = context
  const { evaluating, mirroring } = createWork(config, context)
  const { canary } = evaluating
  const evaluations: DueWork<StoredAlias> = {
    take: (limit, inProgress) => canary.take(limit, config.GATE_EVERY_MS, inProgress),
    process: (alias) =>
      traceWork('evaluate alias', {}, () => evaluateAlias(evaluating, alias)).catch((cause: unknown) =>
        events.evaluation({ kind: 'failed', aliasId: alias.id, cause }),
      ),
    concurrency: maxEvaluations,
    onError: progress.whileUnavailable(events.evaluationsFailed),
    onProgress: progress.onProgress,
  }
  startDueWork(evaluations, { everyMs: pollEveryMs, changes, onStop: lifecycle.onStop })
  startMirroring(mirroring, config.SHADOW_CONCURRENCY, context)
  const [traffic, looks] = [createPgTraffic(pool), createPgGateLooks(pool)]
  // A process of inference that did not report for a day has ended.
  const purge = async () => {
    await canary.purge()
    await looks.purge()
    await traffic.purge(new Date(now().getTime() - dayMs))
  }
  lifecycle.onStop(repeatEvery({ everyMs: hourMs, work: purge, onError: events.purgeFailed }))
  startErasures(
    {
      service: 'alias',
      pool,
      databaseUrl: config.DATABASE_URL,
      lifecycle,
      logger: context.logger,
    },
    aliasRooms,
  )
}

/** Sends shadow requests, those first whose workspace has the fewest in progress. */
function startMirroring(deps: MirrorDeps, concurrency: number, { changes, events, progress, lifecycle }: WorkContext) {
  const { shadows } = deps
  const onError = events.shadowsFailed
  const places = createWorkPlaces<LeasedShadow>({
    take: shadows.take,
    process: (shadow) => traceWork('process shadow', {}, () => mirrorRequest(deps, shadow)),
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency,
    onError,
    onProgress: progress.onProgress,
  })
  const work = async () => (await places.fill()) + (await shadows.overdue(1)).length
  const stopPolling = pollForWork({ everyMs: pollEveryMs, changes, work, onError })
  lifecycle.onStop(() => Promise.all([places.stop(), stopPolling()]))
}

/** The dependencies of gate evaluations and of shadow requests. */
function createWork(config: AliasWorkerConfig, { pool, lifecycle, events, now, logger }: WorkContext) {
  const notifyAlias = createNotifyAlias(connectNotices(config.REDIS_URL, { lifecycle, logger }), now)
  const fleet = connectFleet(config, { ...lifecycle, now, connections: placesFor(config.SHADOW_CONCURRENCY) + 8 })
  const judging = connectService(
    {
      audience: 'judging',
      url: config.JUDGING_URL,
      keys: config.JUDGING_KEYS,
      connections: judgingConnections,
      clocks: judgingClocks,
    },
    { ...lifecycle, now },
  )
  const findJudge = createFindJudge(judging)
  const shared = {
    shadows: createPgShadows(pool),
    log: createLogReader(fleet.logging),
    judging,
    judgeOf: findJudge,
  }
  const evaluating: EvaluateAliasDeps = {
    ...shared,
    aliases: withAliasNotices(createPgAliases(pool), notifyAlias),
    canary: withGateNotices(createPgCanary(pool), notifyAlias),
    rules: gateRulesOf(config),
    ingestLagMs: config.GATE_INGEST_LAG_MS,
    now,
    newId: () => uuidV7(now().getTime()),
    firstIdAt: (at) => firstUuidV7At(at.getTime()),
    shadowIdOf: ({ id, settings }, logId) => deterministicId('shadow', id, settings.shadow_model ?? '', logId),
    onceIdOf: ({ id, epoch }, fact) => deterministicId('gate-once', id, String(epoch.number), fact),
    onEvent: events.evaluation,
  }
  const traitsOf = createModelTraits({ inference: fleet.inference, now })
  const mirroring: MirrorDeps = { ...shared, inference: fleet.inference, traitsOf, onEvent: events.shadow }
  return { evaluating, mirroring }
}
