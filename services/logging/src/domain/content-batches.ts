import type { ExchangeKey } from './exchange-reads.ts'

interface BatchLimits {
  readonly bytes: number
  readonly rows: number
}

/** What the content of one batch may take, so that a reader of megabytes costs a process little memory. */
const contentBatch: BatchLimits = { bytes: 1_000_000, rows: 100 }

/** Cuts exchanges into batches whose content fits the limits; one that is larger by itself is a batch. */
export function contentBatches<Row extends ExchangeKey>(rows: readonly Row[], limits = contentBatch): Row[][] {
  const batches: Row[][] = []
  let bytes = 0
  for (const row of rows) {
    const last = batches.at(-1)
    const fits = last !== undefined && last.length < limits.rows && bytes + row.sizeBytes <= limits.bytes
    bytes = fits ? bytes + row.sizeBytes : row.sizeBytes
    if (fits) last.push(row)
    else batches.push([row])
  }
  return batches
}
