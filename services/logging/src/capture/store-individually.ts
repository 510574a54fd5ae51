import type { StreamItem } from './stream-entry.ts'

export interface StoreIndividuallyOptions {
  /** Stores exchanges, all or none. */
  readonly store: (items: readonly StreamItem[]) => Promise<void>
  /** Copies exchanges that can never be stored to the dead-letter stream. */
  readonly deadLetter: (items: readonly StreamItem[]) => Promise<void>
  /** How many times `store` has succeeded, here or elsewhere. */
  readonly successes: () => number
}

/** When so many exchanges in a row fail and none was stored, the database is at fault and not the exchanges. */
const outageAfter = 3
/** Failures of one exchange, while others are stored, after which it is dead-lettered. */
const maxTries = 5

interface FailedItem {
  readonly tries: number
  /** How many times storing had succeeded by then. */
  readonly successes: number
}

/**
 * Stores the exchanges of a batch one by one after the batch failed as a whole, so that one which the database cannot
 * store does not block the others. It is claimed again later with its entry, and is dead-lettered after several
 * failures. Only failures between which other exchanges were stored count, so an outage dead-letters nothing.
 *
 * @param from index in the batch at which to begin
 * @throws the error of the last exchange when nothing can be stored
 */
export function createStoreIndividually({ store, deadLetter, successes }: StoreIndividuallyOptions) {
  const failures = new Map<string, FailedItem>()
  const countFailure = async (item: StreamItem) => {
    const known = failures.get(item.id) ?? { tries: 0, successes: -1 }
    const tries = known.tries + (successes() > known.successes ? 1 : 0)
    failures.set(item.id, { tries, successes: successes() })
    if (tries < maxTries) return
    await deadLetter([item])
    failures.delete(item.id)
  }
  return async (items: readonly StreamItem[], from: number): Promise<void> => {
    const start = from % Math.max(1, items.length)
    const failed: StreamItem[] = []
    let storedHere = 0
    for (const item of [...items.slice(start), ...items.slice(0, start)]) {
      try {
        await store([item])
        storedHere += 1
      } catch (cause) {
        failed.push(item)
        if (storedHere === 0 && failed.length === Math.min(outageAfter, items.length) && items.length > 1) throw cause
      }
    }
    for (const item of failed) await countFailure(item)
  }
}
