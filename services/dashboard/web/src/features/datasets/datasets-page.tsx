import { Button, Group } from '@mantine/core'
import { type Dataset, listDatasets } from '@ratchet/contracts/datasets'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useList } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { useKey } from '../../keys/key-context.ts'
import { FilterBar } from '../../kit/filters/filter-bar.tsx'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../kit/states/not-permitted.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { kindText, sourceText, statusOf } from './words.ts'

/** Between two looks at datasets that are being made, milliseconds. */
const pollMs = 3_000

const route = getRouteApi('/w/$slug/datasets')

export function DatasetsPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/datasets' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const datasets = useList(listDatasets, { query: search })
  usePolling(
    datasets.refetch,
    datasets.rows.some(({ status }) => status === 'building'),
    pollMs,
  )
  const create = () => void navigate({ to: '/w/$slug/datasets/new', params: { slug }, search: {} })
  useKey('create', create, { enabled: reason === null })
  return (
    <Page
      title="Datasets"
      lead="Frozen sets of examples: curated from the log or uploaded, to train on and to evaluate with."
      actions={
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Group gap={8} wrap="wrap">
              <Button
                variant="default"
                disabled={disabled}
                onClick={() => void navigate({ to: '/w/$slug/datasets/upload', params: { slug } })}
              >
                Upload
              </Button>
              <Button
                variant="default"
                disabled={disabled}
                onClick={() => void navigate({ to: '/w/$slug/datasets/distill', params: { slug } })}
              >
                Ask a teacher
              </Button>
              <Button disabled={disabled} onClick={create}>
                New dataset
              </Button>
            </Group>
          )}
        </NotPermitted>
      }
    >
      <FilterBar
        schema={listDatasets.query as z.ZodObject}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Datasets"
        list={datasets}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/datasets/$id', params: { slug, id } })}
        empty={
          Object.keys(search).length > 0 ? (
            <EmptyState title="Nothing found">No dataset matches these filters.</EmptyState>
          ) : (
            <EmptyState
              title="No datasets yet"
              action={
                reason === null && (
                  <Link to="/w/$slug/datasets/new" params={{ slug }} search={{}}>
                    Curate one from the log
                  </Link>
                )
              }
            >
              A dataset keeps its examples when the log has forgotten them, and is the same for everybody who uses it.
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

const columns: readonly Column<Dataset>[] = [
  { id: 'name', header: 'Dataset', cell: ({ name }) => <strong>{name}</strong> },
  { id: 'kind', header: 'For', width: 110, cell: kindText },
  {
    id: 'status',
    header: 'Status',
    width: 120,
    cell: (each) => <StateLabel state={statusOf(each).state}>{statusOf(each).word}</StateLabel>,
  },
  { id: 'examples', header: 'Examples', width: 110, isNumber: true, cell: (each) => count(each.example_count) },
  {
    id: 'tokens',
    header: 'Tokens, about',
    width: 120,
    isNumber: true,
    cell: (each) => count(each.token_count_estimate),
    onPhone: false,
  },
  { id: 'source', header: 'From', width: 110, cell: sourceText, onPhone: false },
  { id: 'segment', header: 'Segment', cell: ({ segments }) => segments.join(', ') || '–', onPhone: false },
  { id: 'created', header: 'Created', width: 130, cell: (each) => <TimeText at={each.created_at} />, onPhone: false },
]
