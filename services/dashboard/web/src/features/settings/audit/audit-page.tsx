import { Select } from '@mantine/core'
import { type AuditEvent, downloadAudit, downloadSealedAudit, listAudit } from '@ratchet/contracts/dashboard/audit'
import { listMembers } from '@ratchet/contracts/dashboard/members'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { DownloadLink } from '../../../kit/download-link.tsx'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { Page } from '../../../kit/page.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { AuditDetails, whoOf } from './audit-details.tsx'

const route = getRouteApi('/w/$slug/settings/audit')
const filters = listAudit.query.omit({ actor: true }) as z.ZodObject

export function AuditPage(): ReactNode {
  const workspace = useWorkspace()
  const reason = reasonAgainst('owner', workspace)
  const { actor, action, subject } = route.useSearch()
  const file = (
    <DownloadLink
      path={downloadAudit.path.replace(':slug', workspace.slug)}
      query={{ actor, action, subject }}
      detail="The newest 10,000"
    >
      Download as CSV
    </DownloadLink>
  )
  const sealed = (
    <DownloadLink path={downloadSealedAudit.path.replace(':slug', workspace.slug)} detail="All, each entry sealed">
      Download the sealed log
    </DownloadLink>
  )
  const files = (
    <>
      {file}
      {sealed}
    </>
  )
  return (
    <Page
      title="Audit"
      lead="What people, keys and gates changed in this workspace, newest first."
      actions={reason === null ? files : undefined}
    >
      {reason === null ? <AuditList /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function AuditList(): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/settings/audit' })
  const events = useList(listAudit, { query: search })
  const members = useEndpoint(listMembers).data?.data ?? []
  const [open, setOpen] = useState<AuditEvent | null>(null)
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }) })
  return (
    <>
      <FilterBar schema={filters} values={search} onChange={change}>
        <Select
          aria-label="Person"
          placeholder="Everyone"
          clearable
          data={members.map(({ user_id: value, name: label }) => ({ value, label }))}
          value={search.actor ?? null}
          onChange={(actor) => change({ actor: actor ?? undefined })}
        />
      </FilterBar>
      <ListTable
        label="Changes"
        list={events}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        empty={
          Object.keys(search).length > 0 ? (
            <EmptyState title="Nothing found">No change matches these filters.</EmptyState>
          ) : (
            <EmptyState title="No changes yet">
              What people change from now on will be here, with what it was before.
            </EmptyState>
          )
        }
      />
      <SidePanel title={open?.action ?? ''} opened={open !== null} onClose={() => setOpen(null)}>
        {open && <AuditDetails event={open} />}
      </SidePanel>
    </>
  )
}

const columns: readonly Column<AuditEvent>[] = [
  { id: 'at', header: 'When', cell: ({ at }) => <TimeText at={at} />, width: 130 },
  {
    id: 'actor',
    header: 'Who',
    cell: (event) => whoOf(event),
  },
  { id: 'action', header: 'What', cell: ({ action }) => <span className="code">{action}</span> },
  { id: 'subject', header: 'Of what', cell: ({ subject }) => subject, onPhone: false },
]
