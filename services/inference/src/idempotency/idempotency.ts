import type { Dialect } from '../wire/dialect.ts'

export interface ClaimQuestion {
  readonly workspaceId: string
  /** The key as the client sent it (`readIdempotencyKey`). */
  readonly key: string
  /** The fingerprint of the request (`requestFingerprint`). */
  readonly fingerprint: Buffer
  /** Milliseconds for which the answer is replayed; a day when absent. */
  readonly keepMs?: number
}

/** The right to answer a key. It ends when its lease expires without an extension. */
export interface Claim {
  readonly workspaceId: string
  readonly keyHash: Buffer
  /** A number that no other claim of the key ever has. A write under an older number has no effect. */
  readonly generation: bigint
  /** The id under which this claim's work is charged, derived from the three fields above. */
  readonly billingId: string
  /** Milliseconds for which the answer is replayed. */
  readonly keepMs: number
}

/** An answer as it is recorded under a key. */
export interface RecordedAnswer {
  readonly status: number
  readonly dialect: Dialect
  /** The catalog id of the model that answered. */
  readonly servedModel: string
  /** Further headers that a replay must have, such as the alias; few and short. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The cost of the answer. A replay settles it once more, in case the first process died before it did. */
  readonly costNano: bigint
}

export type ClaimOutcome =
  /**
   * No other process answers the key. The caller must answer it, charge it under the claim's billing id, and record or
   * abandon it.
   */
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** The key was answered. `billingId` is the id that the answer was charged under. */
  | { readonly kind: 'replay'; readonly billingId: string; readonly answer: RecordedAnswer }
  /** The key belongs to a different request. */
  | { readonly kind: 'conflict_body' }
  /** Another process is answering the key. */
  | { readonly kind: 'running' }

/** Idempotency keys with the requests that are being answered and the recorded answers. */
export interface IdempotencyStore {
  /** @throws IdempotencyUnavailable when the database did not answer in time; a claim made meanwhile is abandoned */
  claim(question: ClaimQuestion): Promise<ClaimOutcome>
  /**
   * Renews the lease of a claim whose work continues.
   *
   * @returns false when the claim was taken over
   * @throws IdempotencyUnavailable
   */
  extend(claim: Claim): Promise<boolean>
  /**
   * Records the answer for as long as its claim states. Call it before the charge, so that every charged answer can be
   * replayed. A repetition changes nothing.
   *
   * - `recorded`: it is recorded; settle and deliver it.
   * - `lost`: the lease expired and another process took over. Release the hold: the other process charges.
   * - `too_large`: it is not recorded and the claim is abandoned. Settle and deliver it; a retry is answered anew. So is an
   *   answer that cost nothing, beyond the share that the workspace has for such answers.
   *
   * @throws IdempotencyUnavailable when it is unknown whether it was recorded
   */
  record(claim: Claim, answer: RecordedAnswer): Promise<'recorded' | 'lost' | 'too_large'>
  /** Abandons the claim, so that a retry is answered at once. Never rejects: in that case the lease expires later. */
  abandon(claim: Claim): Promise<void>
}

/** The database did not answer a statement in time. */
export class IdempotencyUnavailable extends Error {
  override name = 'IdempotencyUnavailable'
}

/** Maximum bytes of an answer that is recorded. */
export const maxRecordedBodyBytes = 10_485_760

/** Maximum bytes of recorded answers of a workspace that cost nothing. An answer that was paid is not limited so. */
export const maxFreeBytesOfWorkspace = 1_073_741_824
