/** Weighted numbers of items by what people and the judge say. `fn`: people fail it, the judge passes it. */
export interface ConfusionWeights {
  readonly tp: number
  readonly fn: number
  readonly fp: number
  readonly tn: number
}

export type Cell = keyof ConfusionWeights

export interface CellBox {
  readonly cell: Cell
  /** All between 0 and 1, from the upper left. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly share: number
}

/** Columns that have less are drawn as wide as this, so that each cell can be seen and pressed. */
const minSide = 0.12

/** The boxes of a 2×2 mosaic: columns are what people say, rows what the judge says, areas the weighted shares. */
export function mosaicOf({ tp, fn, fp, tn }: ConfusionWeights): readonly CellBox[] {
  const total = tp + fn + fp + tn
  const failWidth = clampedShare(tp + fn, total)
  const column = (x: number, width: number, upper: [Cell, number], lower: [Cell, number]): CellBox[] => {
    const upperHeight = clampedShare(upper[1], upper[1] + lower[1])
    const share = (value: number) => (total === 0 ? 0 : value / total)
    return [
      { cell: upper[0], x, y: 0, width, height: upperHeight, share: share(upper[1]) },
      { cell: lower[0], x, y: upperHeight, width, height: 1 - upperHeight, share: share(lower[1]) },
    ]
  }
  return [...column(0, failWidth, ['tp', tp], ['fn', fn]), ...column(failWidth, 1 - failWidth, ['fp', fp], ['tn', tn])]
}

function clampedShare(part: number, total: number): number {
  const share = total === 0 ? 0.5 : part / total
  return Math.min(1 - minSide, Math.max(minSide, share))
}
