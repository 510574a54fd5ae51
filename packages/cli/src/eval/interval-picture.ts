/** Odd, so that 0.5 has a column of its own. */
const columns = 41

/**
 * A rate and its interval between 0 and 1, with a bar at 0.5.
 *
 * @example intervalPicture(0.7, [0.6, 0.8]) // '0                     │   ├───●───┤         1'
 */
export function intervalPicture(rate: number, [low, high]: readonly [number, number]): string {
  const columnOf = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * (columns - 1))
  const [from, at, to, middle] = [columnOf(low), columnOf(rate), columnOf(high), columnOf(0.5)]
  const cell = (column: number) => {
    if (column === at) return '●'
    if (column === from) return '├'
    if (column === to) return '┤'
    const isInside = column > from && column < to
    if (column === middle) return isInside ? '┼' : '│'
    return isInside ? '─' : ' '
  }
  return `0 ${Array.from({ length: columns }, (_, column) => cell(column)).join('')} 1`
}
