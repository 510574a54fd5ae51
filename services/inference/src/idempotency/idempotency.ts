import type { Dialect } from '../wire/dialect.ts'

export interface ClaimQuestion {
  readonly workspaceId: string
  /** As the client sent it (`readIdempotencyKey`). */
  readonly key: string
  /** Of the request (`requestFingerprint`). */
  readonly fingerprint: Buffer
  /** Milliseconds for which the answer is kept; a day when absent. */
  readonly keepMs?: number
}

/** The right to answer a key, until its lease runs out unextended. */
export interface Claim {
  readonly workspaceId: string
  readonly keyHash: Buffer
  /** Another one for every claim of a key, ever. */
  readonly generation: bigint
  /** The id under which this claim's work is billed, and no other's: a function of the three above. */
  readonly billingId: string
  /** Milliseconds for which the answer is kept. */
  readonly keepMs: number
}

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number
  readonly dialect: Dialect
  /** The catalog id of the model that gave it. */
  readonly servedModel: string
  /** Further headers that a replay must carry, such as the alias; few and short. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** What it costs, which a replay settles once more in case nobody did. */
  readonly costNano: bigint
}

export type ClaimOutcome =
  /** Nobody answers the key: the caller does, bills under the claim's billing id, and keeps or abandons. */
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** It was answered. `billingId` is what the answer was billed under. */
  | { readonly kind: 'replay'; readonly billingId: string; readonly answer: KeptAnswer }
  /** The key is another request's. */
  | { readonly kind: 'conflict_body' }
  /** Somebody else is answering it. */
  | { readonly kind: 'running' }

/** Which requests are being answered or were, by idempotency key. */
export interface IdempotencyStore {
  /** @throws IdempotencyUnavailable when the database did not say in time; a claim made meanwhile is given back */
  claim(question: ClaimQuestion): Promise<ClaimOutcome>
  /**
   * Renews the lease of work that goes on.
   *
   * @returns false when the claim is no longer the caller's
   * @throws IdempotencyUnavailable
   */
  extend(claim: Claim): Promise<boolean>
  /**
   * Keeps the answer for as long as its claim says. To be called before the charge, so that whoever finds a charge
   * made finds the answer too. Repeating it changes nothing.
   *
   * - `kept`: settle and deliver.
   * - `lost`: the lease ran out and somebody else took over. Release the hold: the key is billed by theirs.
   * - `too_large`: nothing was kept, the claim was given up. Settle and deliver; a repetition will run again.
   *
   * @throws IdempotencyUnavailable when it is not known whether it was kept
   */
  keep(claim: Claim, answer: KeptAnswer): Promise<'kept' | 'lost' | 'too_large'>
  /** Gives the claim up, so that a repetition runs at once. Never rejects: else the lease runs out. */
  abandon(claim: Claim): Promise<void>
}

/** The database did not take a statement in time. */
export class IdempotencyUnavailable extends Error {
  override name = 'IdempotencyUnavailable'
}

/** Bytes of the largest answer that is kept. */
export const largestKeptBody = 10_485_760
