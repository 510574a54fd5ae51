/** Pixels. */
export const rowHeight = 37

/** The rows of a list that are held. */
export interface HeldRows {
  /** Rows of the list before them. */
  readonly firstIndex: number
  readonly count: number
}

/**
 * Where a table scrolls to when other rows are held, so that what is in sight stays in sight; null where it is already. A list
 * that has become much shorter was read anew, and begins at its first row.
 */
export function scrollAfter(before: HeldRows, held: HeldRows, scrollTop: number): number | null {
  const forgotten = held.firstIndex - before.firstIndex
  if (held.count < before.count / 2) return scrollTop === 0 ? null : 0
  return forgotten === 0 ? null : scrollTop - forgotten * rowHeight
}
