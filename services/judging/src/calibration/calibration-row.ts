import type { Verdict } from '@ratchet/contracts/criteria'

export type Cell = 'tp' | 'fn' | 'fp' | 'tn'

export interface CalibrationRow {
  readonly labelId: string
  readonly human: Verdict
  readonly judge: Verdict | null
  readonly explanation: string | null
  /** 1 / the sampling probability, as callers read it. */
  readonly weight: number
  /** JSON. */
  readonly messages: string
  /** JSON. */
  readonly response: string
}

export interface RowFilter {
  readonly runId: string
  readonly cell?: Cell | undefined
  readonly limit: number
  readonly offset: number
}

export interface CalibrationProgress {
  readonly done: number
  readonly costNano: bigint
}
