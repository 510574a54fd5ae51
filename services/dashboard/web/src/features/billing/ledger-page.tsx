import { type LedgerEntry, listLedger } from '@ratchet/contracts/billing'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useList } from '../../api/use-endpoint.ts'
import { stringifySearch } from '../../app/search.ts'
import { CopyText } from '../../kit/copy-text.tsx'
import { DownloadLink } from '../../kit/download-link.tsx'
import { FilterBar } from '../../kit/filters/filter-bar.tsx'
import { moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { Notice } from '../../kit/states/notice.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { LedgerSearch } from './search.ts'

const route = getRouteApi('/w/$slug/billing/ledger')

export function LedgerPage(): ReactNode {
  const reason = reasonAgainst('owner', useWorkspace())
  const search = route.useSearch()
  const csv = `/session/ledger${stringifySearch({ ...search, format: 'csv' })}`
  return (
    <Page
      title="Ledger"
      lead="Every movement of money, newest first, with the balance after it. Without a filter: the last 30 days."
      actions={reason === null ? <DownloadLink path={csv}>Download as CSV</DownloadLink> : undefined}
    >
      {reason === null ? <Entries /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function Entries(): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/billing/ledger' })
  const entries = useList(listLedger, { query: search, topics: ['wallet'] })
  return (
    <>
      <FilterBar
        schema={LedgerSearch}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Entries of the ledger"
        list={entries}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No entries">No money moved in this period.</EmptyState>}
      />
    </>
  )
}

type Entry = z.output<typeof LedgerEntry>

const reasons: Record<Entry['reason'], string> = {
  top_up: 'top-up',
  usage: 'usage',
  expiry: 'ended by the sweep',
  late_post: 'charged late',
  correction: 'correction',
}

/** Nothing that requests did. */
function isOfPeople(reason: Entry['reason']): boolean {
  return reason === 'top_up' || reason === 'correction'
}

const money = (nano: string) => moneyText(nano, { unit: 'nano', exact: true })

const columns: readonly Column<Entry>[] = [
  { id: 'at', header: 'When', cell: ({ at }) => <TimeText at={at} />, width: 130 },
  { id: 'reason', header: 'What', cell: ({ reason }) => reasons[reason] },
  { id: 'amount', header: 'Amount', isNumber: true, cell: ({ amount_nano: amount }) => money(amount) },
  { id: 'balance', header: 'Balance', isNumber: true, cell: ({ balance_nano: balance }) => money(balance) },
  {
    id: 'charges',
    header: 'Requests',
    isNumber: true,
    onPhone: false,
    cell: ({ charges, reason }) => (charges === null ? (isOfPeople(reason) ? '–' : '1') : count(charges)),
  },
  {
    id: 'reference',
    header: 'Reference',
    onPhone: false,
    cell: ({ reference }) => (reference === '' ? '–' : <CopyText text={reference} label="Copy the reference" />),
  },
  { id: 'note', header: 'Note', onPhone: false, cell: ({ note }) => note ?? '' },
]
