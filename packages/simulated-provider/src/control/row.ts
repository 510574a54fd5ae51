import type { TokenCounts } from '../wire/token-counts.ts'

/** The data of one request while it runs, from which the report is made. */
export interface Row {
  sequence: number
  path: string
  model: string | null
  stream: boolean
  rawHeaders: readonly string[]
  parameters: Record<string, unknown>
  startedAtMs: number
  completed: boolean
  peerLeftAtMs: number | null
  tokens: number
  bytes: number
  usage: TokenCounts | null
  status: number | null
  totals: ReportedTotals
}

/** Sums over every request since the last reset, including those whose row was deleted. */
export interface ReportedTotals {
  requests: number
  completed: number
  peer_left: number
  tokens_emitted: number
}
