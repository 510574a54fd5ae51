import type { DedicatedState } from '@ratchet/contracts/dedicated-state'
import type { Scale, ScaleRow, Traffic } from './scale.ts'
import type { KnownWindow } from './windows.ts'

/** Why an endpoint stops. */
export type StopReason = 'user' | 'credit' | 'cap' | 'delete'
export type ReplicaState = 'waiting' | 'starting' | 'ready' | 'draining' | 'ended'

/** What decides about an endpoint, as its row has it. */
export interface EndpointRow extends ScaleRow {
  readonly state: DedicatedState
  readonly stateAt: Date
  /** Null while it may run. */
  readonly stoppingFor: StopReason | null
  readonly failedStarts: number
  readonly revision: number
  readonly appliedRevision: number
  readonly priceNanoPerHour: bigint
  readonly maxHourlyCostNano: bigint | null
  readonly drainingS: number
}

export interface ReplicaRow {
  readonly id: string
  readonly state: ReplicaState
  readonly createdAt: Date
  readonly drainingAt: Date | null
  /** When its engine was last found alive; null before the first time. */
  readonly seenAt: Date | null
  /** Requests that it answers now. */
  readonly running: number
}

/** What is true outside the row. */
export interface EndpointWorld {
  /** Of the clock of the database. */
  readonly now: Date
  /** Those that run, and those that ended and still have a window that is held. In the order of their creation. */
  readonly replicas: readonly ReplicaRow[]
  readonly traffic: Traffic
  /** Adapters that replicas that are ready have neither proven nor refused. */
  readonly undecidedAdapters: number
  /** Of the last hour and later, of all replicas, with every one that is not posted. */
  readonly windows: readonly KnownWindow[]
  /** Windows for which the wallet refused a hold in this turn, as `<replica> <number>`. */
  readonly refused: ReadonlySet<string>
}

export interface ReplicaEnd {
  readonly replicaId: string
  readonly reason: string
  /** Whether it counts as a start that failed. */
  readonly hasFailed: boolean
  /** It is charged at most to this moment; null: to now. */
  readonly until: Date | null
}

export type EndpointStep =
  /** Charges a window that is over, and releases the rest of its hold. */
  | { readonly kind: 'post'; readonly replicaId: string; readonly number: number }
  /** Nothing is held for the replica any more, and nothing will be. */
  | { readonly kind: 'forget'; readonly replicaId: string }
  | { readonly kind: 'hold'; readonly replicaId: string; readonly number: number; readonly amountNano: bigint }
  | { readonly kind: 'add' }
  /** The replica gets no more requests. It is charged until it has finished those that it has. */
  | { readonly kind: 'drain'; readonly replicaId: string; readonly reason: string }
  | ({ readonly kind: 'end' } & ReplicaEnd)
  | { readonly kind: 'scale'; readonly scale: Scale }
  | { readonly kind: 'stop'; readonly reason: 'credit' | 'cap' }
  | { readonly kind: 'enter'; readonly state: DedicatedState; readonly message: string | null }
  /** The change by the user is carried out. */
  | { readonly kind: 'applied' }
  | { readonly kind: 'wait'; readonly ms: number }
