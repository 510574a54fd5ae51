import type { StreamEntry } from './capture-stream.ts'

export interface MoveApartOptions {
  /** Stores entries and finishes them, all or none. */
  readonly move: (entries: readonly StreamEntry[]) => Promise<void>
  /** Finishes entries that can never be stored, and keeps them elsewhere. */
  readonly giveUp: (entries: readonly StreamEntry[]) => Promise<void>
}

/** Entries in a row that fail before anything was stored: then it is not they that are at fault. */
const outageAfter = 3
/** Times that an entry is left behind, while others are stored, until it is given up. */
const maxTries = 5

interface LeftBehind {
  readonly tries: number
  /** What had been stored by then. */
  readonly stored: number
}

/**
 * Moves the entries of a batch one by one that fails as a whole: one that the database cannot cope with must not hold up
 * the others. It is left unfinished, comes back when it is claimed, and is given up in the end if others were stored in
 * between; while nothing can be stored nobody is.
 *
 * @param from where in the batch to begin
 * @throws what the last entry failed with when nothing can be stored
 */
export function createMoveApart({ move, giveUp }: MoveApartOptions) {
  const leftBehind = new Map<string, LeftBehind>()
  let stored = 0

  const leave = async (entry: StreamEntry) => {
    const known = leftBehind.get(entry.id) ?? { tries: 0, stored: -1 }
    const tries = known.tries + (stored > known.stored ? 1 : 0)
    leftBehind.set(entry.id, { tries, stored })
    if (tries < maxTries) return
    await giveUp([entry])
    leftBehind.delete(entry.id)
  }
  return async (entries: readonly StreamEntry[], from: number): Promise<void> => {
    const start = from % entries.length
    const failed: StreamEntry[] = []
    let moved = 0
    for (const entry of [...entries.slice(start), ...entries.slice(0, start)]) {
      try {
        await move([entry])
        moved += 1
        stored += 1
      } catch (cause) {
        failed.push(entry)
        if (moved === 0 && failed.length === Math.min(outageAfter, entries.length) && entries.length > 1) throw cause
      }
    }
    for (const entry of failed) await leave(entry)
  }
}
