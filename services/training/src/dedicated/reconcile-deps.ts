import type { EngineClient } from '../engines/engine-client.ts'
import type { Engines } from '../engines/engines.ts'
import type { ReadCache } from './cache-readings.ts'
import type { Prove } from './prove-version.ts'
import type { HostedReplica, ReplicaStore } from './replica-store.ts'

export interface ReconcileEnginesDeps {
  readonly engines: Engines
  readonly replicas: ReplicaStore
  /** The worker, or the kind of engines when any worker reaches them. */
  readonly host: string
  /** Replicas that may have a machine at once, by hardware. */
  readonly slots: ReadonlyMap<string, number>
  readonly clientOf: (address: string) => Pick<EngineClient, 'isHealthy' | 'models' | 'unload' | 'requests'>
  /** Where engines find the weights of a model; null when the catalog has no such model any more. */
  readonly sourceOf: (replica: Pick<HostedReplica, 'workspaceId' | 'createdBy' | 'baseModel'>) => Promise<string | null>
  /** Loads a version and compares its answers with those of its trainer; null while that runs. */
  readonly prove: Prove
  readonly readCache: ReadCache
  readonly onEvent: (event: EngineEvent) => void
}

export type EngineEvent =
  /** An engine that no replica has was stopped. */
  | { readonly kind: 'orphan_stopped'; readonly engine: string }
  | { readonly kind: 'replica_failed'; readonly replicaId: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly replicaId: string | null; readonly error: unknown }
