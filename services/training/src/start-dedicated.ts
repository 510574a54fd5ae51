import { randomBytes } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { pollForWork, shortPace } from '@ratchet/work-kit/polling/poll-for-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import type { ArtifactStore } from './artifacts/artifact-store.ts'
import { probes } from './attempts/trainer-spec-of.ts'
import { createCacheReadings } from './dedicated/cache-readings.ts'
import { type DriveEndpointsDeps, driveEndpoints } from './dedicated/drive-endpoints.ts'
import type { Hardware } from './dedicated/hardware.ts'
import { createPgEndpointDriver } from './dedicated/pg-driver.ts'
import { createPgEndpoints } from './dedicated/pg-endpoints.ts'
import { createPgMetrics } from './dedicated/pg-metrics.ts'
import { createPgReplicas } from './dedicated/pg-replicas.ts'
import { createPgServedVersions } from './dedicated/pg-versions.ts'
import { createProofs } from './dedicated/prove-version.ts'
import type { EngineEvent } from './dedicated/reconcile-deps.ts'
import { reconcileEngines } from './dedicated/reconcile-engines.ts'
import type { ReplicaStore } from './dedicated/replica-store.ts'
import type { DedicatedRouteDeps } from './dedicated/routes.ts'
import { createEngineClient, type EngineClient } from './engines/engine-client.ts'
import type { Engines } from './engines/engines.ts'
import type { JobMoney } from './money/job-money.ts'
import { availableIn } from './money/require-cover.ts'
import type { ModelDirectory } from './trainable-models/model-directory.ts'
import type { VersionStore } from './versions/version-store.ts'

interface DedicatedParts {
  readonly pool: Pool
  readonly inference: Pick<FleetClient, 'call'>
  readonly models: ModelDirectory
  readonly versions: Pick<VersionStore, 'get'>
  readonly hardware: readonly Hardware[]
  readonly newId: () => string
}

/** What the routes of dedicated endpoints need. */
export function startDedicatedApi({ pool, inference, ...parts }: DedicatedParts): DedicatedRouteDeps {
  return {
    ...parts,
    endpoints: createPgEndpoints(pool),
    metrics: createPgMetrics(pool),
    randomBytes,
    availableNano: availableIn(inference),
  }
}

interface WorkerParts {
  readonly pool: Pool
  readonly money: Pick<JobMoney, 'hold' | 'settle' | 'release'>
  readonly models: ModelDirectory
  readonly hardware: readonly Hardware[]
  /** Null: this worker has none. Then it looks after states and money only. */
  readonly engines: Engines | null
  readonly artifacts: Pick<ArtifactStore, 'get'>
  readonly newId: () => string
  readonly changes: WorkChanges
  readonly onStop: OnStop
  readonly onEndpoint: DriveEndpointsDeps['onEvent']
  readonly onEngine: (event: EngineEvent) => void
  readonly onError: (error: unknown) => void
  readonly onProgress: () => void
}

/** Intervals, milliseconds: searches for endpoints, and comparisons of engines with replicas. */
const everyMs = 1_000
/** As trainers answer them. */
const maxProbeTokens = 16

/** Advances endpoints, and looks after the engines of this worker. */
export function startDedicatedWork({ pool, engines, ...parts }: WorkerParts): void {
  const { money, newId, changes, onStop, onEndpoint, onError, onProgress } = parts
  driveEndpoints(
    { driver: createPgEndpointDriver(pool), money, newId, onEvent: onEndpoint, onError, onProgress },
    { changes, onStop, everyMs },
  )
  if (engines === null) return
  const clients = createEngineClients(onStop)
  const { models, hardware, onEngine } = parts
  const deps = {
    engines,
    replicas: createPgReplicas(pool),
    host: engines.endsWithWorker ? newId() : engines.name,
    slots: new Map(hardware.map(({ id, slots }) => [id, slots])),
    clientOf: clients.of,
    sourceOf: async ({
      workspaceId,
      createdBy,
      baseModel,
    }: {
      workspaceId: string
      createdBy: string
      baseModel: string
    }) =>
      (await models.list(workerIdentity(workspaceId, createdBy))).find(({ id }) => id === baseModel)?.source ?? null,
    prove: createProofs({
      engines,
      store: createPgServedVersions(pool),
      clientOf: clients.of,
      readArtifact: (sha256) => parts.artifacts.get(sha256),
      probes,
      maxProbeTokens,
    }),
    readCache: createCacheReadings({ clientOf: clients.of, nowMs: () => performance.now() }),
    onEvent: onEngine,
  }
  const reconcile = async () => {
    const followed = await reconcileEngines(deps)
    clients.keepOnly(new Set((await engines.list()).flatMap(({ address }) => address ?? [])))
    return followed
  }
  // Cleanups run in reverse order: first nothing is started any more, then requests go elsewhere, then the engines end.
  if (engines.endsWithWorker) onStop(() => endReplicas(deps.replicas, deps.host).catch(onError))
  onStop(pollForWork({ everyMs, changes, quiet: shortPace, work: reconcile, onError }))
}

/** Replicas whose engines end with this worker are replaced at once, by another one. */
async function endReplicas(replicas: ReplicaStore, host: string): Promise<void> {
  for (const { id } of await replicas.hosted(host)) {
    await replicas.end(id, { reason: 'Its worker stops.', hasFailed: false })
  }
}

/** A client for each engine that runs. */
function createEngineClients(onStop: OnStop) {
  const clients = new Map<string, EngineClient>()
  onStop(() => Promise.all([...clients.values()].map((client) => client.close())))
  return {
    of(address: string): EngineClient {
      const client = clients.get(address) ?? createEngineClient({ address })
      clients.set(address, client)
      return client
    },
    keepOnly(addresses: ReadonlySet<string>): void {
      for (const [address, client] of clients) {
        if (addresses.has(address)) continue
        clients.delete(address)
        void client.close().catch(() => undefined)
      }
    },
  }
}
