import { listVerdicts } from '@ratchet/contracts/scans'
import { listLatestScans } from '@ratchet/contracts/session-criteria'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { segmentFailShare } from './failing-segments.ts'
import type { RoundValues } from './round-values.ts'

const fewVerdicts = 30

type Population = Pick<RoundValues, 'criterion_id' | 'tag' | 'segment'>

/** The share of the answers of a population that its judge fails; null while that is not known. */
export function usePopulationFailShare({ criterion_id: id, tag, segment }: Population): number | null {
  const overall = useFailShare(id)
  const scans = useEndpoint(listLatestScans).data?.data
  if (tag === '' && segment === '') return overall
  const scan = scans?.find(({ criterion_id: criterion }) => criterion === id)
  return tag === '' ? segmentFailShare(scan, segment) : null
}

/** The share of answers that a judge failed in scans and in the monitor; null when it looked at few. */
function useFailShare(criterionId: string): number | null {
  const enabled = criterionId !== ''
  const params = { id: criterionId }
  const totals = [
    useEndpoint(listVerdicts, { params, query: { limit: 1, source: 'scan' } }, { enabled }),
    useEndpoint(listVerdicts, { params, query: { limit: 1, source: 'scan', verdict: 'fail' } }, { enabled }),
    useEndpoint(listVerdicts, { params, query: { limit: 1, source: 'online' } }, { enabled }),
    useEndpoint(listVerdicts, { params, query: { limit: 1, source: 'online', verdict: 'fail' } }, { enabled }),
  ].map(({ data }) => data?.total)
  const [scans, scanFails, online, onlineFails] = totals
  if (scans === undefined || scanFails === undefined || online === undefined || onlineFails === undefined) return null
  return scans + online < fewVerdicts ? null : (scanFails + onlineFails) / (scans + online)
}
