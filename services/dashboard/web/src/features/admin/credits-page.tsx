import { type AdminCredit, listAllCredits } from '@ratchet/contracts/dashboard/admin-ledgers'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { moneyText } from '../../kit/money.ts'
import { Page } from '../../kit/page.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { ListTable } from '../../kit/table/list-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { FreshOnly } from './fresh-only.tsx'
import { useAdminList } from './use-admin-list.ts'

type Credit = z.output<typeof AdminCredit>

/** What was paid into wallets. */
export function CreditsPage(): ReactNode {
  const { list, signInAgain } = useAdminList(listAllCredits)
  return (
    <Page
      title="Credits and corrections"
      lead="What was paid into all wallets, by operators and through the payment provider, and what operators corrected, newest first."
    >
      <FreshOnly signInAgain={signInAgain}>
        <ListTable
          label="Credits and corrections"
          list={list}
          columns={columns}
          rowKey={({ reference }) => reference}
          empty={<EmptyState title="No credits">Credit a wallet on the page of workspaces.</EmptyState>}
        />
      </FreshOnly>
    </Page>
  )
}

const columns: readonly Column<Credit>[] = [
  { id: 'at', header: 'When', width: 130, cell: ({ at }) => <TimeText at={at} /> },
  { id: 'slug', header: 'Workspace', cell: ({ slug }) => <span className="code">{slug}</span> },
  { id: 'kind', header: 'What', onPhone: false, cell: ({ kind }) => (kind === 'top_up' ? 'credit' : 'correction') },
  {
    id: 'amount',
    header: 'Amount',
    isNumber: true,
    cell: ({ amount_nano: nano }) => moneyText(nano, { unit: 'nano', exact: true }),
  },
  { id: 'reference', header: 'Reference', onPhone: false, cell: ({ reference }) => reference },
]
