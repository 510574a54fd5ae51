export interface AuditViolation {
  /** The violated rule in words. */
  readonly invariant: string
  /** Number of wallets, requests or top-ups that violate it, ≥ 1. */
  readonly count: number
  /** The id of one of them. */
  readonly example: string
}

/** The state of the ledger at one instant. */
export interface AuditReport {
  readonly violations: readonly AuditViolation[]
  readonly openRequests: number
  /** Seconds since the oldest open request was opened; 0 when there is none. Holds of training jobs do not count. */
  readonly oldestOpenSeconds: number
  /** Number of open requests more than a minute past their deadline, which a sweep should have closed. */
  readonly overdueRequests: number
  readonly heldNano: bigint
  readonly writtenOffNano: bigint
}
