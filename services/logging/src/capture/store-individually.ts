import type { StreamEntry } from './capture-stream.ts'

export interface StoreIndividuallyOptions {
  /** Stores entries and finishes them, all or none. */
  readonly store: (entries: readonly StreamEntry[]) => Promise<void>
  /** Finishes entries that can never be stored, after copying them to the dead-letter stream. */
  readonly deadLetter: (entries: readonly StreamEntry[]) => Promise<void>
}

/** When so many entries in a row fail and none was stored, the database is at fault and not the entries. */
const outageAfter = 3
/** Failures of one entry, while others are stored, after which it is dead-lettered. */
const maxTries = 5

interface FailedEntry {
  readonly tries: number
  /** How many entries this worker had stored by then. */
  readonly stored: number
}

/**
 * Stores the entries of a batch one by one after the batch failed as a whole, so that an entry which the database cannot
 * store does not block the others. Such an entry stays unfinished, is claimed again later, and is dead-lettered after
 * several failures. Only failures between which other entries were stored count, so an outage dead-letters nothing.
 *
 * @param from index in the batch at which to begin
 * @throws the error of the last entry when nothing can be stored
 */
export function createStoreIndividually({ store, deadLetter }: StoreIndividuallyOptions) {
  const failures = new Map<string, FailedEntry>()
  let stored = 0

  const countFailure = async (entry: StreamEntry) => {
    const known = failures.get(entry.id) ?? { tries: 0, stored: -1 }
    const tries = known.tries + (stored > known.stored ? 1 : 0)
    failures.set(entry.id, { tries, stored })
    if (tries < maxTries) return
    await deadLetter([entry])
    failures.delete(entry.id)
  }
  return async (entries: readonly StreamEntry[], from: number): Promise<void> => {
    const start = from % entries.length
    const failed: StreamEntry[] = []
    let storedHere = 0
    for (const entry of [...entries.slice(start), ...entries.slice(0, start)]) {
      try {
        await store([entry])
        storedHere += 1
        stored += 1
      } catch (cause) {
        failed.push(entry)
        if (storedHere === 0 && failed.length === Math.min(outageAfter, entries.length) && entries.length > 1)
          throw cause
      }
    }
    for (const entry of failed) await countFailure(entry)
  }
}
