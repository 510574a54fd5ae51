import { type Calibration, listCalibrationRows } from '@ratchet/contracts/calibrations'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import type { ConfusionWeights } from '../../../pictures/mosaic.ts'
import { cellWeight } from './cell-weights.ts'

const maxRead = 200

/** The weights of the cells of a calibration; null until they are read. */
export function useCellWeights({ id, criterion_id: criterionId, confusion }: Calibration): ConfusionWeights | null {
  const read = { params: { id: criterionId, calibration_id: id } }
  const tp = useEndpoint(listCalibrationRows, { ...read, query: { cell: 'tp', limit: maxRead } }).data
  const fn = useEndpoint(listCalibrationRows, { ...read, query: { cell: 'fn', limit: maxRead } }).data
  const fp = useEndpoint(listCalibrationRows, { ...read, query: { cell: 'fp', limit: maxRead } }).data
  const tn = useEndpoint(listCalibrationRows, { ...read, query: { cell: 'tn', limit: maxRead } }).data
  if (tp === undefined || fn === undefined || fp === undefined || tn === undefined) return null
  return {
    tp: cellWeight(tp.data, confusion.tp),
    fn: cellWeight(fn.data, confusion.fn),
    fp: cellWeight(fp.data, confusion.fp),
    tn: cellWeight(tn.data, confusion.tn),
  }
}
