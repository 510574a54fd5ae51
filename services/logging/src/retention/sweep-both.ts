import type { ExchangeRetention } from './retention.ts'

/** Deletes expired exchanges in two stores. */
export function sweepBoth(first: ExchangeRetention, second: ExchangeRetention): ExchangeRetention {
  return {
    async sweep(now) {
      const one = await first.sweep(now)
      const other = await second.sweep(now)
      return {
        droppedPartitions: one.droppedPartitions + other.droppedPartitions,
        deletedRows: one.deletedRows + other.deletedRows,
        shortenedRows: one.shortenedRows + other.shortenedRows,
      }
    },
  }
}
