import { listVerdicts } from '@ratchet/contracts/scans'
import { useEndpoint } from '../../../api/use-endpoint.ts'

const fewVerdicts = 30

/** The share of answers that a judge failed in scans and in the monitor; null when it looked at few. */
export function useFailShare(criterionId: string): number | null {
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
