/**
 * Finds the smallest whole number in `above` + 1..`to` that satisfies a condition. The condition must be monotone.
 *
 * @param holds assumed to be true at `to`, where it is not called
 */
export function firstWholeNumber(
  range: { readonly above: number; readonly to: number },
  holds: (value: number) => boolean,
): number {
  let { above, to } = range
  while (to - above > 1) {
    const middle = Math.floor((above + to) / 2)
    if (holds(middle)) to = middle
    else above = middle
  }
  return to
}
