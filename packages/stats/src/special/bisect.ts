/**
 * Finds where between `from` and `to` a condition that is true at `to` becomes true, to the last digit.
 *
 * @param range `to` may be smaller or larger than `from`
 * @param holds false from `from` up to the boundary, true from the boundary to `to`
 * @returns the first number that satisfies the condition; `to` when no other does
 */
export function bisect(range: { readonly from: number; readonly to: number }, holds: (x: number) => boolean): number {
  let { from, to } = range
  for (;;) {
    const middle = from + (to - from) / 2
    if (middle === from || middle === to) return to
    if (holds(middle)) to = middle
    else from = middle
  }
}
