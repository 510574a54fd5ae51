import { Button, Text } from '@mantine/core'
import { listTopUps, readSessionWallet, startTopUp, topUpBounds } from '@ratchet/contracts/billing'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { centsOfDollars } from '../../../kit/dollars.ts'
import { moneyText } from '../../../kit/money.ts'
import { Card } from '../../../kit/page.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { AmountForm } from './amount-form.tsx'
import type { WalletReply } from './wallet-reply.ts'

/** How money gets into the wallet. */
export function TopUpCard({ kind }: { readonly kind: WalletReply['top_ups'] }): ReactNode {
  return (
    <Card title="Top up">
      {kind === 'operator' ? (
        <Text>The operator of this installation credits wallets. Write to them, with the name of the workspace.</Text>
      ) : (
        <HostedTopUp />
      )}
    </Card>
  )
}

const bounds = `Whole cents, from $${topUpBounds.minCents / 100} to $${Math.floor(topUpBounds.maxCents / 100).toLocaleString('en-US')}.`

function HostedTopUp(): ReactNode {
  const workspace = useWorkspace()
  const reason = reasonAgainst('owner', workspace)
  const [amount, setAmount] = useState('')
  const act = useAct(startTopUp, {
    changes: [listTopUps, readSessionWallet],
    onDone: ({ url }) => window.location.assign(url),
  })
  const send = () => {
    const cents = centsOfDollars(amount)
    if (cents === null || cents < topUpBounds.minCents || cents > topUpBounds.maxCents) return bounds
    act.mutate({ body: { amount_cents: cents, return_path: `/w/${workspace.slug}/billing` } })
    return null
  }
  return (
    <>
      <AmountForm
        label="Amount in US dollars"
        placeholder="20"
        amount={amount}
        onAmount={setAmount}
        reason={reason}
        onSend={send}
      >
        {(disabled) => (
          <Button type="submit" disabled={disabled} loading={act.isPending}>
            Pay on Stripe's page
          </Button>
        )}
      </AmountForm>
      {act.error && <ErrorState error={act.error} />}
      {reason === null && <TopUps />}
    </>
  )
}

type TopUpRow = (typeof listTopUps.reply)['_output']['data'][number]

function TopUps(): ReactNode {
  const { data } = useEndpoint(listTopUps, {}, { topics: ['wallet'] })
  if (data === undefined || data.data.length === 0) return null
  return <DataTable label="Top-ups" columns={columns} rows={data.data} rowKey={({ id }) => id} />
}

const words: Record<TopUpRow['status'], readonly [State, string]> = {
  pending: ['open', 'waits for the payment'],
  credited: ['proven', 'credited'],
  refused: ['wrong', 'refused: the payment differs'],
}

const columns: readonly Column<TopUpRow>[] = [
  { id: 'at', header: 'Begun', cell: ({ created_at: at }) => <TimeText at={at} /> },
  { id: 'amount', header: 'Amount', isNumber: true, cell: (row) => moneyText(row.amount_nano, { unit: 'nano' }) },
  {
    id: 'status',
    header: 'State',
    cell: ({ status }) => <StateLabel state={words[status][0]}>{words[status][1]}</StateLabel>,
  },
]
