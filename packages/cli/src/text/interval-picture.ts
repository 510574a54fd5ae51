/** Odd, so that the middle has its own column. */
const columns = 41

export interface PictureScale {
  /** Values at the two ends. */
  readonly from: number
  readonly to: number
  /** Values with a bar. */
  readonly marks: readonly number[]
}

const rates: PictureScale = { from: 0, to: 1, marks: [0.5] }

/**
 * Draws a figure and its interval on a scale, by default from 0 to 1 with a bar at 0.5.
 *
 * @example intervalPicture(0.7, [0.6, 0.8]) // '0                     │   ├───●───┤         1'
 */
export function intervalPicture(
  at: number,
  [low, high]: readonly [number, number],
  { from, to, marks }: PictureScale = rates,
): string {
  const columnOf = (value: number) => Math.round(Math.min(1, Math.max(0, (value - from) / (to - from))) * (columns - 1))
  const [first, point, last] = [columnOf(low), columnOf(at), columnOf(high)]
  const marked = new Set(marks.map(columnOf))
  const cell = (column: number) => {
    if (column === point) return '●'
    if (column === first) return '├'
    if (column === last) return '┤'
    const isInside = column > first && column < last
    if (marked.has(column)) return isInside ? '┼' : '│'
    return isInside ? '─' : ' '
  }
  return `${from} ${Array.from({ length: columns }, (_, column) => cell(column)).join('')} ${to}`
}
