import { Button } from '@mantine/core'
import { listDeliveries, replayDelivery, type WebhookDelivery } from '@ratchet/contracts/webhooks'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'

interface DeliveriesProps {
  readonly webhookId: string
  readonly mayReplay: boolean
}

const states: Record<WebhookDelivery['status'], State> = { pending: 'open', delivered: 'proven', failed: 'wrong' }

/** Messages of a webhook with their attempts. */
export function Deliveries({ webhookId, mayReplay }: DeliveriesProps): ReactNode {
  const deliveries = useList(listDeliveries, { params: { id: webhookId }, pageSize: 50 })
  const replay = useAct(replayDelivery, { changes: [listDeliveries] })
  const [openId, setOpenId] = useState<string | null>(null)
  const open = deliveries.rows.find(({ id }) => id === openId)
  const columns: readonly Column<WebhookDelivery>[] = [
    { id: 'at', header: 'When', cell: (delivery) => <TimeText at={delivery.created_at} /> },
    { id: 'type', header: 'Event', cell: ({ type }) => <span className="code">{type}</span> },
    { id: 'state', header: 'State', cell: ({ status }) => <StateLabel state={states[status]}>{status}</StateLabel> },
    { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts.length, isNumber: true },
    {
      id: 'actions',
      header: '',
      cell: ({ id }) => (
        <Button
          variant="subtle"
          disabled={!mayReplay}
          onClick={() => replay.mutate({ params: { id: webhookId, delivery_id: id } })}
        >
          Send again
        </Button>
      ),
    },
  ]
  return (
    <>
      {replay.error && <ErrorState error={replay.error} />}
      <ListTable
        label="Deliveries"
        list={deliveries}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpenId(id === openId ? null : id)}
        empty={<EmptyState title="No messages yet">Nothing has happened that this webhook is about.</EmptyState>}
      />
      {open && <CodeBlock code={attemptsText(open)} label="Attempts and message" />}
    </>
  )
}

function attemptsText({ attempts, payload }: WebhookDelivery): string {
  const lines = attempts.map(
    ({ at, status, error, duration_ms: ms }) => `${at}  ${status ?? error ?? 'no answer'}  ${Math.round(ms)} ms`,
  )
  return [...lines, JSON.stringify(payload, null, 2)].join('\n')
}
