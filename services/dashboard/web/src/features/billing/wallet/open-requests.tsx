import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyText } from '../../../kit/copy-text.tsx'
import { moneyText } from '../../../kit/money.ts'
import { countOf } from '../../../kit/numbers.ts'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import type { WalletReply } from './wallet-reply.ts'

type OpenHold = WalletReply['oldest_holds'][number]

/** Requests that hold money now, the oldest first. */
export function OpenRequests({ wallet }: { readonly wallet: WalletReply }): ReactNode {
  const { open_holds: open, oldest_holds: oldest } = wallet
  const [isShown, setIsShown] = useState(false)
  if (open === 0) return <p className="dimmed">No request holds money of its own at the moment.</p>
  return (
    <>
      <p>
        {countOf(open, 'open request')}{' '}
        <Button variant="subtle" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'} the oldest
        </Button>
      </p>
      {isShown && (
        <DataTable label="Open requests" columns={columns} rows={oldest} rowKey={({ request_id: id }) => id} />
      )}
    </>
  )
}

const columns: readonly Column<OpenHold>[] = [
  { id: 'opened', header: 'Since', cell: ({ opened_at: at }) => <TimeText at={at} /> },
  { id: 'model', header: 'Model', cell: ({ model }) => model },
  { id: 'held', header: 'Held', isNumber: true, cell: (hold) => moneyText(hold.hold_nano, { unit: 'nano' }) },
  {
    id: 'request',
    header: 'Request',
    onPhone: false,
    cell: ({ request_id: id }) => <CopyText text={id} label="Copy the id of the request" />,
  },
]
