import { type AliasEvent, listAliasEvents } from '@ratchet/contracts/aliases'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { usePeople } from '../../../api/use-people.ts'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { eventWords, routeText } from '../alias-words.ts'
import { EventDetails } from './event-details.tsx'

const route = getRouteApi('/w/$slug/aliases/$name/audit')

/** What people and gates changed, newest first. */
export function AuditTab(): ReactNode {
  const { name } = route.useParams()
  const { event: openId } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/aliases/$name/audit' })
  const events = useList(listAliasEvents, { params: { name }, topics: [`alias:${name}`] })
  const personOf = usePeople()
  const columns = useMemo(() => columnsOf(personOf), [personOf])
  const open = events.rows.find(({ id }) => id === openId)
  const show = (event: string | undefined) => void navigate({ search: event === undefined ? {} : { event } })
  return (
    <>
      <ListTable
        label="Changes"
        list={events}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => show(id)}
        empty={<EmptyState title="No change">Every change of this alias will be here.</EmptyState>}
      />
      <SidePanel
        title={open === undefined ? '' : eventWords[open.kind]}
        opened={open !== undefined}
        onClose={() => show(undefined)}
      >
        {open && <EventDetails event={open} />}
      </SidePanel>
    </>
  )
}

function columnsOf(personOf: (userId: string) => string): readonly Column<AliasEvent>[] {
  return [
    { id: 'at', header: 'When', width: 130, cell: ({ created_at: at }) => <TimeText at={at} /> },
    {
      id: 'who',
      header: 'Who',
      width: 160,
      cell: ({ actor }) => (actor.user_id === null ? 'the gate' : personOf(actor.user_id)),
    },
    { id: 'what', header: 'What', cell: ({ kind }) => eventWords[kind] },
    {
      id: 'after',
      header: 'Route after it',
      cell: ({ after }) => (after === null ? 'none' : routeText(after)),
      onPhone: false,
    },
    { id: 'reason', header: 'Reason', cell: ({ reason }) => reason ?? '', onPhone: false },
  ]
}
