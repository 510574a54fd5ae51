/** State of an adapter in an engine: `ready` once its answers were proven, `leaving` while requests may still arrive. */
export type AdapterState = 'loading' | 'ready' | 'leaving' | 'failed'

export interface PoolAdapter {
  /** UUID. */
  readonly versionId: string
  readonly workspaceId: string
  /** The name under which engines load it. */
  readonly adapter: string
  readonly state: AdapterState
  readonly since: Date
}

/** An engine of the pool. */
export interface PoolReplica {
  readonly name: string
  readonly baseModel: string
  readonly address: string | null
  readonly state: 'starting' | 'ready'
  readonly adapters: readonly PoolAdapter[]
}

/** A version that the pool serves. */
export interface PoolVersion {
  /** UUID. */
  readonly id: string
  readonly workspaceId: string
  readonly baseModel: string
  readonly adapter: string
  /** When it was last asked for, or since when it is served. */
  readonly usedAt: Date
}

/** The engines that an operator wants for a base. */
export interface PoolBase {
  readonly baseModel: string
  readonly replicas: number
}

/** Names of engines of the pool begin with this. */
export const poolPrefix = 'pool-'
