import { Anchor, Button } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { logHistogram } from '@ratchet/contracts/log-overview'
import { listLogs } from '@ratchet/contracts/logs'
import { listSegments, type Segment } from '@ratchet/contracts/segments'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Facts } from '../../kit/facts.tsx'
import { count } from '../../kit/numbers.ts'
import { Card, Page } from '../../kit/page.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { TimeText, useMinute } from '../../kit/time-text.tsx'
import { TimeBars } from '../../pictures/time-bars.tsx'
import { SegmentRates } from './segment-rate.tsx'
import { Variants } from './variant-list.tsx'
import { variantsOf } from './variants.ts'

const route = getRouteApi('/w/$slug/segments/$id')
const hourMs = 3_600_000
const shownMs = 30 * 24 * hourMs

/** One family of system prompts: its traffic and its variants. */
export function SegmentPage(): ReactNode {
  const { slug, id } = route.useParams()
  const segments = useEndpoint(listSegments, { query: { limit: 200 } })
  const known = segments.data?.data.find(({ segment }) => segment === id)
  const areAllListed = segments.data !== undefined && segments.data.total <= segments.data.data.length
  if (known === undefined && areAllListed) {
    return (
      <Page title="Segment" lead={<span className="code">{id}</span>} above={<AllSegments slug={slug} />}>
        <EmptyState title="Not here">No exchange of this workspace belongs to a segment with this id.</EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={known?.label ?? 'Segment'}
      lead={<span className="code">{id}</span>}
      above={<AllSegments slug={slug} />}
      actions={<SegmentLinks id={id} />}
    >
      {known && <SegmentFacts segment={known} />}
      <Card title="Pass rate, corrected for the errors of its judges">
        <SegmentRates segment={id} />
      </Card>
      <Card title="Traffic of the last 30 days">
        <Traffic id={id} />
      </Card>
      <Card title="Variants">
        <SegmentVariants id={id} />
      </Card>
    </Page>
  )
}

function AllSegments({ slug }: { readonly slug: string }): ReactNode {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/segments" params={{ slug }} />}>
      All segments
    </Anchor>
  )
}

/** What can be made of a segment. */
function SegmentLinks({ id }: { readonly id: string }): ReactNode {
  const { slug } = route.useParams()
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/w/$slug/logs" params={{ slug }} search={{ segment: id }} />}
      >
        Its entries in the logs
      </Button>
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="/w/$slug/datasets/new" params={{ slug }} search={{ segment: id }} />
        )}
      >
        Curate a dataset
      </Button>
      <Button
        renderRoot={(props) => (
          <Link {...props} to="/w/$slug/judges/new" params={{ slug }} search={{ population_family: id }} />
        )}
      >
        Make a judge for it
      </Button>
    </>
  )
}

/** The judges whose traffic this segment is. */
function SegmentJudges({ id }: { readonly id: string }): ReactNode {
  const { slug } = route.useParams()
  const judges = useEndpoint(listCriteria, { query: { limit: 200 } }).data?.data ?? []
  const own = judges.filter(({ population_family: family }) => family === id)
  if (own.length === 0) return 'none'
  return own.map(({ id: judge, name, trust }) => (
    <div key={judge}>
      <Anchor
        size="sm"
        renderRoot={(props) => <Link {...props} to="/w/$slug/judges/$judge" params={{ slug, judge }} />}
      >
        {name}
      </Anchor>
      , {trust}
    </div>
  ))
}

function SegmentFacts({ segment }: { readonly segment: Segment }): ReactNode {
  return (
    <Facts
      facts={[
        ['Exchanges', count(segment.exchanges)],
        ['Variants', count(segment.exact_variants)],
        ['First', <TimeText key="first" at={segment.first_at} />],
        ['Last', <TimeText key="last" at={segment.last_at} />],
        ['Judges of it alone', <SegmentJudges key="judges" id={segment.segment} />],
      ]}
    />
  )
}

function Traffic({ id }: { readonly id: string }): ReactNode {
  // The hour and not the minute, so that the same picture is not read every minute.
  const endMs = Math.ceil(useMinute() / hourMs) * hourMs
  const query = {
    segment: id,
    start: new Date(endMs - shownMs).toISOString(),
    end: new Date(endMs).toISOString(),
    buckets: 60,
  }
  const histogram = useEndpoint(logHistogram, { query }, { keepsOld: true })
  return (
    <Loaded query={histogram} skeleton={<div style={{ height: 102 }} />}>
      {({ buckets, bucket_ms: bucketMs }) => <TimeBars title="Exchanges" bars={buckets} bucketMs={bucketMs} />}
    </Loaded>
  )
}

function SegmentVariants({ id }: { readonly id: string }): ReactNode {
  const logs = useEndpoint(listLogs, { query: { segment: id, content: 'none', limit: 200 } })
  const rows = logs.data?.data
  const variants = useMemo(() => variantsOf(rows ?? []), [rows])
  return (
    <Loaded query={logs}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No exchanges">Its exchanges were deleted, or their retention ended.</EmptyState>
        ) : (
          <Variants variants={variants} exchanges={data.length} />
        )
      }
    </Loaded>
  )
}
