import { Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { deleteWebhook, listWebhooks, updateWebhook, type Webhook } from '@ratchet/contracts/webhooks'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Deliveries } from './deliveries.tsx'

interface WebhookDetailsProps {
  readonly webhook: Webhook
  /** Why the person may not change it; null when she may. */
  readonly reason: string | null
  readonly onDeleted: () => void
}

export function WebhookDetails({ webhook, reason, onDeleted }: WebhookDetailsProps): ReactNode {
  const { id, events, description, enabled } = webhook
  const [deletes, setDeletes] = useState(false)
  const update = useAct(updateWebhook, { changes: [listWebhooks] })
  const remove = useAct(deleteWebhook, { changes: [listWebhooks], onDone: onDeleted })
  return (
    <Stack gap={16}>
      <Facts
        facts={[
          ['Events', events.join(', ')],
          ['Description', description ?? '–'],
        ]}
      />
      <Group gap={16}>
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Switch
              label="Send new messages"
              checked={enabled}
              disabled={disabled || update.isPending}
              onChange={({ currentTarget }) =>
                update.mutate({ params: { id }, body: { enabled: currentTarget.checked } })
              }
            />
          )}
        </NotPermitted>
        <Button variant="subtle" color="red" disabled={reason !== null} onClick={() => setDeletes(true)}>
          Delete
        </Button>
      </Group>
      {update.error && <ErrorState error={update.error} />}
      <Title order={2}>Deliveries</Title>
      <Deliveries webhookId={id} mayReplay={reason === null} />
      <Confirm
        opened={deletes}
        onClose={() => setDeletes(false)}
        title="Delete this webhook?"
        verb="Delete"
        isRunning={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ params: { id } })}
      >
        <Text>Messages that wait are not sent, and the list of deliveries goes with it.</Text>
      </Confirm>
    </Stack>
  )
}
