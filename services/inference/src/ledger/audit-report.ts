export interface AuditViolation {
  /** The rule that is broken, in words. */
  readonly invariant: string
  /** How many wallets, requests or top-ups break it, ≥ 1. */
  readonly count: number
  /** The id of one of them. */
  readonly example: string
}

/** The state of the books at one instant. */
export interface AuditReport {
  readonly violations: readonly AuditViolation[]
  readonly openRequests: number
  /** Seconds since the oldest open request was opened; 0 when there is none. */
  readonly oldestOpenSeconds: number
  /** Open requests more than a minute past their deadline: somebody should have closed them. */
  readonly overdueRequests: number
  readonly heldNano: bigint
  readonly writtenOffNano: bigint
}
