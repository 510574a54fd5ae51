import { reportRow, type SimulatedReport } from './report.ts'
import type { ReportedTotals, Row } from './row.ts'

/** Stores the last `capacity` rows and the totals of all; capacity 0 stores only totals. */
export interface Recorder {
  keepsRows: boolean
  begin(request: { path: string; rawHeaders: readonly string[]; atMs: number }): Row
  emitted(row: Row, tokens: number, bytes: number): void
  completed(row: Row): void
  peerLeft(row: Row, atMs: number): void
  report(filter?: { model?: string; since?: number }): SimulatedReport
  reset(): void
}

/** @param capacity number of stored rows, ≥ 0 */
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
    // Running requests keep the totals with which they began, so that they do not count after the reset.
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
