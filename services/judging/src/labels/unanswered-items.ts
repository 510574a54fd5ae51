/** An item that a draw offered to people, in the random order of its stratum. */
export interface OfferedPlace {
  /** Sort key of the random order. */
  readonly rank: string
  /** A frame and its stratum. */
  readonly stratum: string
  readonly isGraded: boolean
}

/**
 * Offered items without a grade before the last one with a grade. People saw them and graded others, so what is missing may be
 * what does not flatter the judge. Items after the last grade are only not graded yet: where people stop is no choice of items.
 */
export function unansweredItems<Place extends OfferedPlace>(offered: readonly Place[]): readonly Place[] {
  return [...Map.groupBy(offered, ({ stratum }) => stratum).values()].flatMap((places) => {
    const ranked = places.toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    const last = ranked.findLastIndex(({ isGraded }) => isGraded)
    return ranked.slice(0, last + 1).filter(({ isGraded }) => !isGraded)
  })
}
