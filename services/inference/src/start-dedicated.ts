import { connectProcessPool, workerTimeouts } from '@ratchet/db/connect-process-pool'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { pauseUnlessAborted } from '@ratchet/service-kit/timing/pause-unless-aborted'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Logger } from 'pino'
import type { InferenceConfig } from './config.ts'
import type { AdmitDeps } from './dedicated/admit-request.ts'
import { createPgTraffic } from './dedicated/pg-traffic.ts'
import { createReplicaDeployments, type ReplicaDeployments } from './dedicated/replica-deployments.ts'
import { createTrafficCounts, type TrafficReport } from './dedicated/traffic.ts'
import type { InferenceEvents } from './events.ts'
import type { AdapterOptions } from './providers/create-provider.ts'
import { engineProvider } from './providers/engine-provider.ts'

export interface DedicatedContext {
  readonly config: InferenceConfig
  readonly logger: Logger
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly events: Pick<InferenceEvents, 'ejected'>
  readonly now: () => Date
  /** Identifies this process from its start to its end. */
  readonly reporter: string
}

const everyMs = { report: 1_000, closeUnused: 60_000 }
/** Connections to one replica. */
const maxConnections = 1_000

/** Connections to the replicas of dedicated endpoints. */
export function startReplicas(
  { config, lifecycle, events }: Pick<DedicatedContext, 'config' | 'lifecycle' | 'events'>,
  adapters: AdapterOptions,
): ReplicaDeployments {
  const upstreams = new Set<ReturnType<typeof createUpstream>>()
  lifecycle.onStop(() => Promise.all([...upstreams].map((upstream) => upstream.destroy())))
  const replicas = createReplicaDeployments({
    createProvider(address) {
      const connectTimeoutMs = config.UPSTREAM_CONNECT_TIMEOUT_MS
      const upstream = createUpstream({ origin: address, connections: maxConnections, connectTimeoutMs })
      upstreams.add(upstream)
      return {
        provider: engineProvider({ upstream }, adapters),
        close() {
          const closed = () => upstreams.delete(upstream)
          void upstream.close().then(closed, closed)
        },
      }
    },
    clockMs: () => performance.now(),
    random: Math.random,
    onEjected: events.ejected,
  })
  const closeUnused = async () => replicas.closeUnused()
  lifecycle.onStop(repeatEvery({ everyMs: everyMs.closeUnused, work: closeUnused, onError() {} }))
  return replicas
}

/** Counts the requests of dedicated endpoints, and stores the counts every second, and when a request begins to wait. */
export function startDedicated(
  { config, logger, lifecycle, now, reporter }: DedicatedContext,
  replicas: Pick<ReplicaDeployments, 'running'>,
): AdmitDeps['dedicated'] {
  const options = { databaseUrl: config.DATABASE_URL, role: 'ratchet_inference', max: 1, ...workerTimeouts } as const
  const store = createPgTraffic(connectProcessPool(options, { logger, ...lifecycle }), now)
  const traffic = createTrafficCounts(now)
  let storing: Promise<void> | null = null
  const send = async (report: TrafficReport) => {
    await store.add({ ...report, reporter, running: replicas.running }).catch((error: unknown) => {
      traffic.giveBack(report)
      throw error
    })
  }
  /** One report after the other: the last one decides what is known. */
  const report = async () => {
    await storing?.catch(() => undefined)
    const taken = traffic.take()
    if (taken.traffic.length + taken.minutes.length === 0) return
    storing = send(taken)
    await storing
  }
  const onError = (error: unknown) => logger.warn({ err: error }, 'traffic of dedicated endpoints was not stored')
  lifecycle.onStop(() => report().catch(onError))
  lifecycle.onStop(repeatEvery({ everyMs: everyMs.report, work: report, onError }))
  void store.sweep().catch(onError)
  lifecycle.onStop(repeatEvery({ everyMs: hourMs, work: store.sweep, onError }))
  return {
    traffic,
    report: () => void report().catch(onError),
    pause: pauseUnlessAborted,
    clockMs: () => performance.now(),
  }
}
