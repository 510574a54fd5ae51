import type { Usage } from '../wire/usage.ts'
import { type ReportedTotals, reportRow, type SimulatedReport } from './report.ts'

/** The running account of one request; the report is made from it when somebody asks. */
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
  usage: Usage | null
  status: number | null
  totals: ReportedTotals
}

/** Keeps the last `capacity` rows and totals of everything; capacity 0 keeps totals only. */
export interface Recorder {
  keepsRows: boolean
  begin(request: { path: string; rawHeaders: readonly string[]; atMs: number }): Row
  emitted(row: Row, tokens: number, bytes: number): void
  completed(row: Row): void
  peerLeft(row: Row, atMs: number): void
  report(filter?: { model?: string; since?: number }): SimulatedReport
  reset(): void
}

/** @param capacity rows kept, ≥ 0 */
export function createRecorder(capacity: number): Recorder {
  let rows: Row[] = []
  let totals = noTotals()
  let sequence = 0
  return {
    keepsRows: capacity > 0,
    begin({ path, rawHeaders, atMs }) {
      sequence += 1
      totals.requests += 1
      const row = newRow({ sequence, path, rawHeaders, startedAtMs: atMs, totals })
      if (capacity > 0) rows[sequence % capacity] = row
      return row
    },
    emitted(row, tokens, bytes) {
      row.tokens += tokens
      row.bytes += bytes
      row.totals.tokens_emitted += tokens
    },
    completed(row) {
      row.completed = true
      row.totals.completed += 1
    },
    peerLeft(row, atMs) {
      row.peerLeftAtMs = atMs
      row.totals.peer_left += 1
    },
    report({ model, since = 0 } = {}) {
      const requested = rows.filter((row) => row.sequence > since && (model === undefined || row.model === model))
      requested.sort((a, b) => a.sequence - b.sequence)
      return { requests: requested.map(reportRow), totals: { ...totals } }
    },
    // Requests still running keep the totals they began with, so they do not leak into the next count.
    reset() {
      rows = []
      totals = noTotals()
    },
  }
}

function noTotals(): ReportedTotals {
  return { requests: 0, completed: 0, peer_left: 0, tokens_emitted: 0 }
}

function newRow(start: Pick<Row, 'sequence' | 'path' | 'rawHeaders' | 'startedAtMs' | 'totals'>): Row {
  return {
    ...start,
    model: null,
    stream: false,
    parameters: {},
    completed: false,
    peerLeftAtMs: null,
    tokens: 0,
    bytes: 0,
    usage: null,
    status: null,
  }
}
