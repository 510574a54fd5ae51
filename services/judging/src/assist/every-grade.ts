import type { CalibrationRequest } from '../calibration/select-items.ts'

/** All grades that there are. */
export const everyGrade: CalibrationRequest = { createdAfter: null, graderId: null, sampling: 'any', maxRows: null }
