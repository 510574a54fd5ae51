import { Anchor } from '@mantine/core'
import { listTraces, type Trace } from '@ratchet/contracts/traces'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useList } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { FilterBar } from '../../kit/filters/filter-bar.tsx'
import { microOfUsd, moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { duration } from '../../kit/time.ts'
import { TimeText } from '../../kit/time-text.tsx'

const route = getRouteApi('/w/$slug/traces')

/** Agent runs, and other series of calls. */
export function TracesPage(): ReactNode {
  const slug = useWorkspaceSlug()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/traces' })
  const traces = useList(listTraces, { query: search, topics: ['logs'] })
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page title="Traces" lead="Runs of agents, and other series of calls with one trace id.">
      <FilterBar
        schema={listTraces.query as z.ZodObject}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Traces"
        list={traces}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/traces/$id', params: { slug, id } })}
        empty={
          <EmptyState
            title={isFiltered ? 'No trace matches' : 'No traces yet'}
            action={
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/logs" params={{ slug }} />}>
                Open the logs
              </Anchor>
            }
          >
            Requests belong to a trace when they carry a trace id, by a header or from OpenTelemetry, and are logged.
          </EmptyState>
        }
      />
    </Page>
  )
}

const columns: readonly Column<Trace>[] = [
  { id: 'last', header: 'Last step', width: 130, cell: ({ last_at: at }) => <TimeText at={at} /> },
  { id: 'id', header: 'Trace', cell: (trace) => <TraceLink id={trace.id} /> },
  { id: 'steps', header: 'Steps', isNumber: true, cell: ({ steps }) => count(steps) },
  { id: 'models', header: 'Models', cell: ({ models }) => models.join(', '), onPhone: false },
  { id: 'tags', header: 'Tags', cell: ({ tags }) => tags.join(', '), onPhone: false },
  { id: 'tokens', header: 'Tokens', isNumber: true, cell: (trace) => count(trace.total_tokens), onPhone: false },
  { id: 'cost', header: 'Cost', isNumber: true, cell: ({ cost_usd: usd }) => moneyText(microOfUsd(usd)) },
  { id: 'time', header: 'Lasted', isNumber: true, cell: (trace) => duration(lastedMs(trace)), onPhone: false },
  { id: 'state', header: 'State', width: 130, cell: (trace) => <TraceState trace={trace} /> },
]

function lastedMs({ first_at: first, last_at: last }: Trace): number {
  return Date.parse(last) - Date.parse(first)
}

function TraceLink({ id }: { readonly id: string }): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/traces/$id" params={{ slug, id }} />}>
      {id.length > 24 ? `${id.slice(0, 24)}…` : id}
    </Anchor>
  )
}

/** Whether a run is complete, and how many of its spans failed. */
function TraceState({ trace }: { readonly trace: Trace }): ReactNode {
  const { error_count: errors, completed } = trace
  if (errors > 0) return <StateLabel state="wrong">{errors} failed</StateLabel>
  return <StateLabel state={completed ? 'proven' : 'open'}>{completed ? 'completed' : 'open'}</StateLabel>
}
