/** An exchange that was charged and should be in the log. */
export interface MissingExchange {
  readonly workspaceId: string
  readonly requestId: string
}

export interface Reconciliation {
  /** Charges that were compared with the log. */
  readonly compared: number
  readonly missing: readonly MissingExchange[]
  /** Whether older charges remain for the next call. */
  readonly isBehind: boolean
}
