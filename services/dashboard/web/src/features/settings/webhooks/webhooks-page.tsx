import { Button } from '@mantine/core'
import { listWebhooks, type Webhook } from '@ratchet/contracts/webhooks'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { CreateWebhook } from './create-webhook.tsx'
import { WebhookDetails } from './webhook-details.tsx'

export function WebhooksPage(): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const webhooks = useList(listWebhooks)
  const [openId, setOpenId] = useState<string | null>(null)
  const [creates, setCreates] = useState(false)
  useKey('create', () => setCreates(true), { enabled: reason === null })
  const open = webhooks.rows.find(({ id }) => id === openId)
  const create = (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={() => setCreates(true)}>
          Create a webhook
        </Button>
      )}
    </NotPermitted>
  )
  return (
    <Page title="Webhooks" lead="Signed messages to your systems when something is decided." actions={create}>
      <ListTable
        label="Webhooks"
        list={webhooks}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpenId(id)}
        empty={
          <EmptyState title="No webhooks yet" action={create}>
            A webhook hears when an eval is done, when a judge drifts, and when a canary is promoted or rolled back.
          </EmptyState>
        }
      />
      <SidePanel title={open?.url ?? ''} opened={open !== undefined} onClose={() => setOpenId(null)}>
        {open && <WebhookDetails webhook={open} reason={reason} onDeleted={() => setOpenId(null)} />}
      </SidePanel>
      <CreateWebhook opened={creates} onClose={() => setCreates(false)} />
    </Page>
  )
}

const columns: readonly Column<Webhook>[] = [
  { id: 'url', header: 'URL', cell: ({ url }) => <span style={{ overflowWrap: 'anywhere' }}>{url}</span> },
  { id: 'events', header: 'Events', cell: ({ events }) => events.join(', '), onPhone: false },
  {
    id: 'created',
    header: 'Created',
    cell: (webhook) => <TimeText at={webhook.created_at} />,
    width: 130,
    onPhone: false,
  },
  {
    id: 'state',
    header: 'State',
    width: 90,
    cell: ({ enabled }) => <StateLabel state={enabled ? 'proven' : 'none'}>{enabled ? 'on' : 'off'}</StateLabel>,
  },
]
