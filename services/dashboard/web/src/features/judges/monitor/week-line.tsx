import { logHistogram } from '@ratchet/contracts/log-overview'
import { listVerdicts } from '@ratchet/contracts/scans'
import { listTraces } from '@ratchet/contracts/traces'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { now } from '../../../clock.ts'
import { useJudge } from '../detail/judge-context.ts'
import { weekSentence } from './week-cost.ts'

const weekMs = 7 * 86_400_000
const newest = 50

/** What a share costs at the traffic of the last week, before it is saved. */
export function WeekLine({ percent }: { readonly percent: number }): ReactNode {
  const { id, unit, population: tag, population_family: segment } = useJudge()
  const [endMs] = useState(now)
  const isRuns = unit === 'trace'
  const [start, end] = [new Date(endMs - weekMs).toISOString(), new Date(endMs).toISOString()]
  const query = { start, end, ...(tag === '' ? {} : { tag }), ...(segment === '' ? {} : { segment }) }
  const exchanges = useEndpoint(logHistogram, { query: { ...query, buckets: 1 } }, { enabled: !isRuns }).data
  const runs = useEndpoint(listTraces, { query: { ...query, limit: 1 } }, { enabled: isRuns }).data
  const verdicts = useEndpoint(listVerdicts, { params: { id }, query: { limit: newest } }).data
  const items = isRuns ? runs?.total : exchanges?.buckets.reduce((sum, { count }) => sum + (count ?? 0), 0)
  if (items === undefined || verdicts === undefined) return null
  const costsUsd = verdicts.data.map(({ cost_usd: usd }) => usd)
  return (
    <p className="dimmed" aria-live="polite" style={{ margin: 0 }}>
      {weekSentence({ items, noun: isRuns ? 'runs' : 'exchanges', percent, costsUsd })}
    </p>
  )
}
