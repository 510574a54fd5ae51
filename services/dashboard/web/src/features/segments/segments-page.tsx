import { Anchor } from '@mantine/core'
import { listSegments, type Segment } from '@ratchet/contracts/segments'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useList } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { RateText, useSegmentEvidence } from './segment-rate.tsx'

/** Families of system prompts. */
export function SegmentsPage(): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const segments = useList(listSegments)
  const evidenceOf = useSegmentEvidence()
  const columns = useMemo(() => columnsWith(evidenceOf), [evidenceOf])
  return (
    <Page title="Segments" lead="Families of system prompts that differ only in their variables, the largest first.">
      <ListTable
        label="Segments"
        list={segments}
        columns={columns}
        rowKey={({ segment }) => segment}
        onOpen={({ segment: id }) => void navigate({ to: '/w/$slug/segments/$id', params: { slug, id } })}
        empty={
          <EmptyState
            title="No segments yet"
            action={
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/logs" params={{ slug }} />}>
                Open the logs
              </Anchor>
            }
          >
            A segment is made from the system prompts of logged requests.
          </EmptyState>
        }
      />
    </Page>
  )
}

const columnsWith = (evidenceOf: ReturnType<typeof useSegmentEvidence>): readonly Column<Segment>[] => [
  { id: 'label', header: 'Segment', width: 220, cell: (segment) => <SegmentLink segment={segment} /> },
  { id: 'sample', header: 'Newest system prompt', cell: ({ sample }) => <Sample text={sample} />, onPhone: false },
  { id: 'exchanges', header: 'Exchanges', isNumber: true, cell: ({ exchanges }) => count(exchanges) },
  { id: 'variants', header: 'Variants', isNumber: true, cell: (segment) => count(segment.exact_variants) },
  {
    id: 'rate',
    header: 'Pass rate, corrected',
    width: 220,
    cell: ({ segment }) => <RateText evidence={evidenceOf === null ? null : evidenceOf(segment)} />,
    onPhone: false,
  },
  { id: 'first', header: 'First', width: 120, cell: (segment) => <TimeText at={segment.first_at} />, onPhone: false },
  { id: 'last', header: 'Last', width: 120, cell: (segment) => <TimeText at={segment.last_at} />, onPhone: false },
]

function SegmentLink({ segment: { segment: id, label } }: { readonly segment: Segment }): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/segments/$id" params={{ slug, id }} />}>
      {label}
    </Anchor>
  )
}

const maxSample = 120

function Sample({ text }: { readonly text: string | null }): ReactNode {
  if (text === null) return <span className="dimmed">no system prompt</span>
  return <span>{text.length > maxSample ? `${text.slice(0, maxSample)}…` : text}</span>
}
