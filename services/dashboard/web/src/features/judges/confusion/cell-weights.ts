import type { CalibrationRow } from '@ratchet/contracts/calibrations'

/**
 * What a cell stands for in the traffic: the sum of the weights of its rows. Where only some rows were read, the others are
 * taken to weigh as much as these.
 */
export function cellWeight(rows: readonly Pick<CalibrationRow, 'weight'>[], total: number): number {
  const sum = rows.reduce((all, { weight }) => all + weight, 0)
  return rows.length === 0 ? 0 : (sum / rows.length) * total
}
