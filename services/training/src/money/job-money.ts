/** A hold of a job. A job that is resumed takes its next hold; each is settled or released. */
export interface JobHold {
  readonly workspaceId: string
  /** UUID of the job. */
  readonly jobId: string
  /** From 1. The same job and number always name the same hold, so every call may be repeated. */
  readonly holdNumber: number
  /** Id of the user who created the job. */
  readonly createdBy: string
  /** Catalog id of the model that is trained. */
  readonly model: string
  /** The key that asked for it, by which charges out of the hold are counted; null: asked by a person. */
  readonly keyId?: string | null
  /** What its charges are listed as; `training` by default. */
  readonly kind?: 'training' | 'dedicated'
}

/**
 * Money of training jobs, in nano-dollars that are whole micro-dollars. Costs are those of the job since its creation, so a
 * posting is the difference to what was posted before, over all holds of the job: a repeated call, or one with a lower cost,
 * posts nothing.
 *
 * Each throws a `ServiceError` `service_unavailable` when the ledger cannot be reached; then the call is repeated.
 */
export interface JobMoney {
  /**
   * Holds the amount in total, which raises a hold with the same number that has less. A job has one open hold at a time.
   * False when the wallet does not cover the amount; then the hold is as it was.
   */
  hold(hold: JobHold, amountNano: bigint): Promise<boolean>
  /** Charges the job up to this cost out of the hold, and keeps the rest of it held. The tokens are those that were trained for it. */
  checkpoint(hold: JobHold, costNano: bigint, trainedTokens: bigint): Promise<void>
  /** Charges the job up to this cost, and releases the rest of the hold. */
  settle(hold: JobHold, costNano: bigint, trainedTokens: bigint): Promise<void>
  /** Releases the hold and charges nothing more. */
  release(hold: JobHold): Promise<void>
}
