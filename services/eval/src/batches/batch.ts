import type { BatchEndpoint, BatchError, BatchStatus } from '@ratchet/contracts/batches'
import type { Lease, LeasedItem } from '@ratchet/work-kit/leases/leased-item'

export interface Batch {
  /** UUID, also of its hold. */
  readonly id: string
  readonly workspaceId: string
  readonly endpoint: BatchEndpoint
  /** The model that all requests name; null when there are several. */
  readonly model: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  /** Headers of each request. */
  readonly headers: Readonly<Record<string, string>>
  /** Public id. */
  readonly inputFileId: string
  readonly status: BatchStatus
  readonly errors: readonly BatchError[] | null
  readonly counts: BatchCounts
  readonly costNano: bigint
  /** The maximum cost of the requests that have not begun. */
  readonly reservedNano: bigint
  /** UUIDs. */
  readonly outputFileId: string | null
  readonly errorFileId: string | null
  readonly createdBy: string
  readonly keyId: string | null
  readonly createdAt: Date
  readonly inProgressAt: Date | null
  readonly expiresAt: Date
  readonly finalizingAt: Date | null
  readonly cancellingAt: Date | null
  readonly endedAt: Date | null
}

export interface BatchCounts {
  readonly total: number
  readonly completed: number
  readonly failed: number
}

export interface LeasedBatch extends Batch, Lease {
  /** Failed steps since it last advanced, this one included. */
  readonly attempts: number
}

export type NewBatch = Pick<
  Batch,
  | 'id'
  | 'workspaceId'
  | 'endpoint'
  | 'metadata'
  | 'headers'
  | 'inputFileId'
  | 'createdBy'
  | 'keyId'
  | 'createdAt'
  | 'expiresAt'
>

/** A line of a file that can be run. */
export interface BatchRequest {
  /** From 1. */
  readonly line: number
  readonly customId: string
  /** JSON text. */
  readonly body: string
}

export interface PricedRequest extends BatchRequest {
  /** UUID. */
  readonly id: string
  readonly maxCostNano: bigint
}

/** How a request ended: with the answer to it, or with the reason why there is none. */
export type LineEnd = LineAnswer | { readonly error: LineFailure }

export interface LineAnswer {
  readonly statusCode: number
  readonly requestId: string
  /** JSON text. */
  readonly response: string
  readonly costNano: bigint
}

/**
 * `request_failed`: processes that answered it ended again and again. `caller_revoked`: the key that created the batch is no
 * longer valid, or its user no member.
 */
export type LineFailure = 'batch_expired' | 'batch_cancelled' | 'request_failed' | 'caller_revoked'

export interface LeasedLine extends LeasedItem {
  readonly customId: string
  readonly body: string
  readonly batch: Pick<Batch, 'id' | 'workspaceId' | 'endpoint' | 'headers' | 'createdBy' | 'keyId'>
}

/** A line that has ended, as its file shows it. */
export interface EndedLine {
  readonly id: string
  readonly line: number
  readonly customId: string
  readonly statusCode: number | null
  readonly requestId: string | null
  readonly response: string | null
  readonly error: string | null
}
