import type { CalibrationRequest } from '../calibration/select-items.ts'

export const everyGrade: CalibrationRequest = {
  createdAfter: null,
  graderId: null,
  sampling: 'any',
  maxRows: null,
  includesPicked: true,
}
