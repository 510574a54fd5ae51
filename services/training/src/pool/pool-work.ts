import type { EngineClient } from '../engines/engine-client.ts'
import type { EngineOrder, Engines } from '../engines/engines.ts'
import type { LoadDeps } from './load-adapter.ts'
import type { PoolBase } from './pool.ts'
import type { PoolStore } from './pool-store.ts'

export interface PoolDeps extends Omit<LoadDeps, 'engines' | 'store'> {
  /** UUID of this process. */
  readonly worker: string
  readonly engines: Engines
  readonly store: PoolStore
  readonly bases: readonly PoolBase[]
  /** What an engine of a base is started with, beside its name and its base. */
  readonly orderOf: (base: string) => Promise<Omit<EngineOrder, 'name' | 'baseModel' | 'maxAdapters'>>
  readonly maxAdapters: number
  readonly copies: number
  readonly clientOf: (address: string) => EngineClient
  readonly now: () => Date
  readonly onEvent: (event: PoolEvent) => void
  /** Called when something was loaded, so that the next pass need not wait. */
  readonly onChange: () => void
}

export const poolEvents = [
  'orphan_stopped',
  'replica_lost',
  'replica_replaced',
  'replica_ready',
  'loaded',
  'unloaded',
  'rejected',
  'failed',
] as const

export interface PoolEvent {
  readonly kind: (typeof poolEvents)[number]
  readonly replica: string
  readonly version?: string
  readonly error?: unknown
}

/** The engines of the pool, as one worker manages them. */
export interface PoolWork {
  /** Compares what should be with what is, and changes what differs. Resolves with the number of changes. */
  pass(): Promise<number>
  /** Ends what this process has started, and lets another worker manage the pool. */
  stop(): Promise<void>
}
