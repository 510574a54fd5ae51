import { Anchor } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listLatestScans } from '@ratchet/contracts/session-criteria'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { count, percent } from '../../kit/numbers.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { type SegmentEvidence, type SegmentRate, segmentEvidence } from './segment-rates.ts'

/** What is known about the pass rates of segments; null until it is read. */
export function useSegmentEvidence(): ((segment: string) => SegmentEvidence) | null {
  const judges = useEndpoint(listCriteria, { query: { limit: 200 } }, { topics: ['judges'] }).data?.data
  const scans = useEndpoint(listLatestScans, {}, { topics: ['judges'] }).data?.data
  return useMemo(() => {
    if (judges === undefined || scans === undefined) return null
    return (segment) => segmentEvidence(segment, judges, scans)
  }, [judges, scans])
}

/** The best known pass rate, in a cell. */
export function RateText({ evidence }: { readonly evidence: SegmentEvidence | null }): ReactNode {
  if (evidence === null) return null
  const [best] = evidence.rates
  if (best === undefined) return <span className="dimmed">needs {evidence.missing}</span>
  return (
    <span>
      {intervalText(best)} <span className="dimmed">by {best.judge.name}</span>
    </span>
  )
}

/** The pass rates of a segment by all judges that know one. */
export function SegmentRates({ segment }: { readonly segment: string }): ReactNode {
  const evidence = useSegmentEvidence()?.(segment)
  if (evidence === undefined) return null
  if (evidence.rates.length === 0) {
    return <p className="dimmed">Not known yet. It needs {evidence.missing}.</p>
  }
  return (
    <DataTable
      label="Pass rate by judge"
      rows={evidence.rates}
      rowKey={({ judge }) => judge.id}
      columns={[
        { id: 'judge', header: 'Judge', cell: ({ judge }: SegmentRate) => <JudgeLink judge={judge} /> },
        { id: 'rate', header: 'Pass rate, corrected', cell: intervalText },
        { id: 'judged', header: 'Judged', isNumber: true, cell: ({ judged }: SegmentRate) => count(judged) },
        { id: 'at', header: 'Scanned', cell: ({ at }: SegmentRate) => <TimeText at={at} />, onPhone: false },
      ]}
    />
  )
}

function intervalText({ rate, interval: [low, high] }: SegmentRate): string {
  return `${percent(rate)} (${percent(low)} to ${percent(high)})`
}

function JudgeLink({ judge: { id, name } }: Pick<SegmentRate, 'judge'>): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link {...props} to="/w/$slug/judges/$judge/scans" params={{ slug, judge: id }} />}
    >
      {name}
    </Anchor>
  )
}
