import type { StreamItem } from './capture-stream.ts'

export interface StoreIndividuallyOptions {
  /** Stores exchanges, all or none. */
  readonly store: (items: readonly StreamItem[]) => Promise<void>
  /** Copies exchanges that can never be stored to the dead-letter stream. */
  readonly deadLetter: (items: readonly StreamItem[]) => Promise<void>
}

/** When so many exchanges in a row fail and none was stored, the database is at fault and not the exchanges. */
const outageAfter = 3
/** Failures of one exchange, while others are stored, after which it is dead-lettered. */
const maxTries = 5

interface FailedItem {
  readonly tries: number
  /** How many exchanges this worker had stored by then. */
  readonly stored: number
}

/**
 * Stores the exchanges of a batch one by one after the batch failed as a whole, so that one which the database cannot
 * store does not block the others. It is claimed again later with its entry, and is dead-lettered after several
 * failures. Only failures between which other exchanges were stored count, so an outage dead-letters nothing.
 *
 * @param from index in the batch at which to begin
 * @returns the exchanges that have to be tried again
 * @throws the error of the last exchange when nothing can be stored
 */
export function createStoreIndividually({ store, deadLetter }: StoreIndividuallyOptions) {
  const failures = new Map<string, FailedItem>()
  let stored = 0

  /** Whether the exchange was dead-lettered. */
  const countFailure = async (item: StreamItem) => {
    const known = failures.get(item.id) ?? { tries: 0, stored: -1 }
    const tries = known.tries + (stored > known.stored ? 1 : 0)
    failures.set(item.id, { tries, stored })
    if (tries < maxTries) return false
    await deadLetter([item])
    failures.delete(item.id)
    return true
  }
  return async (items: readonly StreamItem[], from: number): Promise<readonly StreamItem[]> => {
    const start = from % items.length
    const failed: StreamItem[] = []
    let storedHere = 0
    for (const item of [...items.slice(start), ...items.slice(0, start)]) {
      try {
        await store([item])
        storedHere += 1
        stored += 1
      } catch (cause) {
        failed.push(item)
        if (storedHere === 0 && failed.length === Math.min(outageAfter, items.length) && items.length > 1) throw cause
      }
    }
    const again: StreamItem[] = []
    for (const item of failed) if (!(await countFailure(item))) again.push(item)
    return again
  }
}
