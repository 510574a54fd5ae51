/** What one service found and erased. */
export interface ErasurePart {
  readonly service: string
  /** The last pass that it has done. */
  readonly pass: number
  /** Numbers by kind, as `erased`. */
  readonly found: unknown
  readonly erased: unknown
  readonly kept: unknown
  readonly waitsFor: string | null
}

/** An erasure of an end user as it is stored. */
export interface ShownErasure {
  readonly id: string
  /** Null when it has ended. */
  readonly person: string | null
  readonly state: string
  readonly requestedBy: string | null
  readonly requestedAt: Date
  readonly confirmedBy: string | null
  readonly confirmedAt: Date | null
  readonly endedAt: Date | null
  readonly receipt: string | null
  readonly receiptSha256: string | null
  readonly parts: readonly ErasurePart[]
}
