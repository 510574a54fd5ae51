export interface WaterfallSpan {
  readonly id: string
  readonly label: string
  readonly startMs: number
  readonly endMs: number
  /** How deep it lies in the tree. */
  readonly depth: number
  readonly isCritical: boolean
  readonly hasFailed: boolean
}

export interface WaterfallBar {
  /** As shares of the whole time. */
  readonly from: number
  readonly share: number
}

/** Where a span lies in the time from the first start to the last end. */
export function waterfallBars(spans: readonly WaterfallSpan[]): readonly WaterfallBar[] {
  const first = Math.min(...spans.map(({ startMs }) => startMs))
  const last = Math.max(...spans.map(({ endMs }) => endMs))
  const total = last - first || 1
  return spans.map(({ startMs, endMs }) => ({ from: (startMs - first) / total, share: (endMs - startMs) / total }))
}

/** The rows that can be seen, with a few above and below. */
export function rowsInSight(
  scrollTop: number,
  height: number,
  rowHeight: number,
  rows: number,
): readonly [number, number] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - 5)
  return [first, Math.min(rows, Math.ceil((scrollTop + height) / rowHeight) + 5)]
}
