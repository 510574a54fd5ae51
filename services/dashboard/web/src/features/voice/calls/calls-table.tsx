import { listMyCalls } from '@ratchet/contracts/session-voice'
import type { Call } from '@ratchet/contracts/voice/calls'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { isUnderWay, statusOf, talkText } from '../call-words.ts'

interface CallsTableProps {
  readonly query: { readonly agent_id?: string; readonly status?: Call['status'] }
}

const pollMs = 3_000

/** Calls, the newest first. */
export function CallsTable({ query }: CallsTableProps): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const calls = useList(listMyCalls, { query })
  usePolling(calls.refetch, calls.rows.some(isUnderWay), pollMs)
  return (
    <ListTable
      list={calls}
      label="Calls"
      columns={columns}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/w/$slug/voice/calls/$id', params: { slug, id }, search: {} })}
      empty={
        <EmptyState title="No calls yet">Calls from this page and from the voice interface are listed here.</EmptyState>
      }
    />
  )
}

const columns: readonly Column<Call>[] = [
  { id: 'at', header: 'Created', width: 130, cell: ({ created_at: at }) => <TimeText at={at} /> },
  { id: 'status', header: 'Status', cell: (call) => <Status call={call} /> },
  { id: 'talk', header: 'Talk', width: 90, isNumber: true, cell: talkText },
  { id: 'version', header: 'Version', width: 90, isNumber: true, cell: ({ agent_version: v }) => v, onPhone: false },
  { id: 'arm', header: 'Arm', width: 90, cell: ({ arm }) => arm ?? '', onPhone: false },
  { id: 'env', header: 'Kind', width: 80, cell: ({ env }) => env, onPhone: false },
]

function Status({ call }: { readonly call: Call }): ReactNode {
  const { word, state } = statusOf(call)
  return <StateLabel state={state}>{word}</StateLabel>
}
