import type { DedicatedState } from '@ratchet/contracts/dedicated-state'

/** How names of dedicated endpoints begin. */
export const dedicatedPrefix = 'dedicated/'
/** The provider of their models. No provider of the catalog has this id. */
export const dedicatedProvider = 'dedicated'

/** A replica that answers requests. */
export interface DedicatedReplica {
  /** UUID. */
  readonly id: string
  /** `http://host:port` */
  readonly address: string
}

/** A name of a dedicated endpoint of a workspace: its own, or that of one of its adapters. */
export interface DedicatedRoute {
  /** UUID of the endpoint. */
  readonly id: string
  /** `dedicated/<routing key>` */
  readonly name: string
  /** Id of the model that its engines have, with or without an adapter. */
  readonly baseModel: string
  /** The name under which its engines answer: that of the model, or of the adapter of a version. */
  readonly servedAs: string
  readonly state: DedicatedState
  /** Those that are ready, and of an adapter those that have proven it. */
  readonly replicas: readonly DedicatedReplica[]
  /** Requests at the same time that a replica is for. */
  readonly targetConcurrency: number
  /** Tokens of prompt and answer. */
  readonly maxContextLength: number
  readonly priceNanoPerHour: bigint
  /** Median duration of its last starts, milliseconds; null without any. */
  readonly startMs: number | null
  readonly createdAt: Date
}

export function isDedicated(name: string): boolean {
  return name.startsWith(dedicatedPrefix)
}
