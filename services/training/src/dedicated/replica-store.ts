import type { DedicatedEndpoint, ServedVersion } from './endpoint.ts'
import type { ReplicaState } from './endpoint-step.ts'

/** A replica whose engine a worker looks after. */
export interface HostedReplica
  extends Pick<
    DedicatedEndpoint,
    'baseModel' | 'version' | 'adapters' | 'maxAdapters' | 'hardware' | 'maxContextLength' | 'precision'
  > {
  readonly id: string
  readonly workspaceId: string
  /** Whose endpoint it is, as far as the catalog asks for somebody. */
  readonly createdBy: string
  readonly state: Exclude<ReplicaState, 'ended'>
  /** Checks in a row that its engine failed. */
  readonly failedChecks: number
  /** Milliseconds since it got its machine. */
  readonly startedForMs: number
  /** What its engine was asked to answer as beside its own version, or has to give up. */
  readonly loaded: readonly LoadedAdapter[]
}

export interface LoadedAdapter extends ServedVersion {
  /** `leaving`: requests that were sent before it was taken away may still arrive. */
  readonly state: 'ready' | 'failed' | 'leaving'
  /** Milliseconds in this state. */
  readonly forMs: number
}

/** Replicas as the worker sees them in which their engines run. */
export interface ReplicaStore {
  /** Takes replicas that wait, as long as there is hardware for them. Returns how many there are that have not ended. */
  claim(host: string, slots: ReadonlyMap<string, number>): Promise<number>
  /** Those of the host that have not ended. */
  hosted(host: string): Promise<readonly HostedReplica[]>
  /** Which of these there are or were. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Its engine is there. `isStarting`: it has a machine. */
  seen(id: string, facts: { readonly isStarting: boolean }): Promise<void>
  /** So much of the KV cache of its engine is in use; null when the engine does not say. */
  cacheUsed(id: string, used: number | null): Promise<void>
  /** It answers requests from now on, and is charged. */
  ready(id: string, address: string): Promise<void>
  /** Whether its engine answers as a version; null as the error when it does, else why not. */
  adapterDecided(id: string, version: ServedVersion, error: string | null): Promise<void>
  /** Its engine has lost an adapter that it had proven: requests do not get there until it has proven it again. */
  adapterLost(id: string, versionId: string): Promise<void>
  /** Its engine has unloaded an adapter that was taken away. */
  adapterGone(id: string, versionId: string): Promise<void>
  failedCheck(id: string): Promise<void>
  end(id: string, end: { readonly reason: string; readonly hasFailed: boolean }): Promise<void>
}
