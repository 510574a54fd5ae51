import type { StartCalibration } from '@ratchet/contracts/calibrations'
import type { CalibrationRequest } from './select-items.ts'

/** What a body asks for, with what it leaves out. */
export function requestOf({ label_filter: filter, max_rows: maxRows }: StartCalibration): CalibrationRequest {
  return {
    createdAfter: filter.created_after ?? null,
    graderId: filter.grader_id ?? null,
    sampling: filter.sampling ?? 'any',
    maxRows: maxRows ?? null,
  }
}
