/** An exchange that was charged and should be in the log. */
export interface ChargedExchange {
  readonly workspaceId: string
  readonly requestId: string
  /** Its day of expiry at the charge. It can expire earlier by now. */
  readonly expiresOn: string
}

/** Finds those of the exchanges that are not in the log, each once. */
export type FindMissing = (charged: readonly ChargedExchange[]) => Promise<readonly MissingExchange[]>

/** An exchange that was charged and is not in the log. */
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
