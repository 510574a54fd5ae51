import type { CalibrationRequest } from '../calibration/select-items.ts'

/** More items would cost several times as many verdicts, and would hardly change the thresholds. */
const maxGradedItems = 2_000

/** Of all graders, but only grades of items whose draw is known. */
export const everyKnownDraw: CalibrationRequest = {
  createdAfter: null,
  graderId: null,
  sampling: 'any',
  includesPicked: false,
  maxRows: maxGradedItems,
}
