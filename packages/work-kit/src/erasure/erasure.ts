import type { PoolClient } from '@ratchet/db/connect-pool'

/** An erasure of all that belongs to a person in a workspace, as the services see it. */
export interface Erasure {
  readonly id: string
  readonly workspaceId: string
  /** The name of the end user. */
  readonly person: string
  /** The number of the end user in the ledger. */
  readonly personId: string
  readonly pseudonym: string
  readonly pass: number
}

/** Rows of one kind that belong to the person. */
export interface ErasureStep {
  /** As the receipt names them, such as `eval_samples`. */
  readonly kind: string
  /** How many rows there are. */
  count(erasure: Erasure): Promise<number>
  /**
   * Erases some of them. Resolves with their number, 0 when none is left. What the client writes is committed together with the
   * number, so that no row is counted twice or never.
   */
  erase(client: PoolClient, erasure: Erasure): Promise<number>
}

/** What a service does for an erasure. */
export interface ErasureRooms {
  /** Adds ids of things of the person to the references. It is called again and again. */
  readonly find: (erasure: Erasure) => Promise<void>
  readonly steps: readonly ErasureStep[]
  /** What stays, by kind: a number of rows, or names. */
  readonly kept?: (erasure: Erasure) => Promise<Readonly<Record<string, number | readonly string[]>>>
}

/** The rows cannot be erased yet: something that still runs needs them. */
export class ErasureWaits extends Error {
  override name = 'ErasureWaits'
}
