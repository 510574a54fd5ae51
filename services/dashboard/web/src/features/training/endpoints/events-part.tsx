import { type DedicatedEndpoint, type DedicatedEvent, listDedicatedEvents } from '@ratchet/contracts/dedicated'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { isFollowed, statusOf, usdText } from './endpoint-words.ts'

const pollMs = 3_000

/** What happened to it, the newest first, with what it had cost until then. */
export function EventsPart({ endpoint }: { readonly endpoint: DedicatedEndpoint }): ReactNode {
  const events = useEndpoint(listDedicatedEvents, { params: { id: endpoint.id } })
  usePolling(events.refetch, isFollowed(endpoint), pollMs)
  return (
    <Card title="Events">
      <Loaded query={events}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="dimmed">Nothing has happened yet.</p>
          ) : (
            <DataTable label="Events" columns={columns} rows={data} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
    </Card>
  )
}

const columns: readonly Column<DedicatedEvent>[] = [
  { id: 'at', header: 'When', width: 120, cell: ({ at }) => <TimeText at={at} /> },
  {
    id: 'state',
    header: 'State after it',
    width: 160,
    cell: ({ state }) => <StateLabel state={statusOf(state).state}>{statusOf(state).word}</StateLabel>,
    onPhone: false,
  },
  { id: 'message', header: 'What', cell: ({ message }) => message },
  {
    id: 'cost',
    header: 'Cost until then',
    width: 120,
    isNumber: true,
    cell: ({ cost_usd: usd }) => usdText(usd),
    onPhone: false,
  },
]
