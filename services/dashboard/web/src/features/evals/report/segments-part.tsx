import type { EvalSegments } from '@ratchet/contracts/eval-segments'
import type { ReactNode } from 'react'
import { useSegmentLabels } from '../../../api/use-segment-labels.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { IntervalRows } from '../../../pictures/interval-rows.tsx'
import { pText, signedPercent } from '../words.ts'

interface SegmentsPartProps {
  readonly model: string
  readonly segments: EvalSegments
}

/** Where a candidate does better or worse than elsewhere. */
export function SegmentsPart({ model, segments }: SegmentsPartProps): ReactNode {
  const labels = useSegmentLabels()
  const { list, other_samples: other, heterogeneity_p: p } = segments
  const rows = list.map(({ segment, samples, shrunken, shrunken_ci: interval, is_worse: isWorse }) => ({
    label: `${labels.get(segment) ?? segment} (${count(samples)})`,
    value: shrunken,
    interval,
    state: isWorse ? ('wrong' as const) : interval[0] > 0 ? ('proven' as const) : ('open' as const),
  }))
  return (
    <Card title={`${model} by segment`}>
      <IntervalRows title={`Wins minus losses of ${model}`} rows={rows} reference={0} format={signedPercent} />
      <p className="dimmed">
        Estimates that also use the other segments, the more the fewer samples they have.{' '}
        {p < 0.05 ? `Segments differ (p ${pText(p)}).` : `No difference between segments is proven (p ${pText(p)}).`}
        {other > 0 && ` ${count(other)} samples are in smaller segments.`}
      </p>
    </Card>
  )
}
