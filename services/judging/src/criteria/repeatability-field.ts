import type { Criterion } from '@ratchet/contracts/criteria'
import { type Repeats, repeatabilityOf } from '../calibration/repeats.ts'

/** How often a judge agrees with itself, on the wire. */
export function repeatabilityField(repeats: Repeats | null): Criterion['repeatability'] {
  if (repeats === null) return null
  const { rate, interval } = repeatabilityOf(repeats)
  return { rows: repeats.rows, same: repeats.same, rate, ci: [interval.low, interval.high] }
}
