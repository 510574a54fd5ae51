/**
 * The place between `from` and `to` where a condition that holds at `to` begins to hold, to the last digit.
 *
 * @param range `to` may lie on either side of `from`
 * @param holds false from `from` up to the place, true from it on to `to`
 * @returns the number nearest to the place that satisfies it; `to` when no other does
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
