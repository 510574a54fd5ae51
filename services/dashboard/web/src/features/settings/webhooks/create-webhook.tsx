import { Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import {
  createWebhook,
  listWebhooks,
  type Webhook,
  type WebhookEventType,
  webhookEventTypes,
  webhookFormats,
} from '@ratchet/contracts/webhooks'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'

/** Makes a webhook and shows its secret once. */
export function CreateWebhook({
  opened,
  onClose,
}: {
  readonly opened: boolean
  readonly onClose: () => void
}): ReactNode {
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => {
    setSecret(null)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={secret === null ? 'Create a webhook' : 'Store this secret now'}
      closeOnClickOutside={secret === null}
      closeOnEscape={secret === null}
    >
      {secret === null ? (
        <CreateForm onMade={setSecret} onCancel={close} />
      ) : (
        <Stack gap={12}>
          <Text>Your system checks the signature of every message with it. It is not shown again.</Text>
          <CodeBlock code={secret} label="Secret of the webhook" />
          <Group justify="flex-end">
            <Button onClick={close}>I stored it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

const formatWords: Readonly<Record<Webhook['format'], string>> = {
  standard: 'A program, signed',
  slack: 'A channel of Slack',
  teams: 'A channel of Teams',
}

interface CreateFormProps {
  readonly onMade: (secret: string) => void
  readonly onCancel: () => void
}

function CreateForm({ onMade, onCancel }: CreateFormProps): ReactNode {
  const initial = {
    url: '',
    events: [...webhookEventTypes] as WebhookEventType[],
    description: null as string | null,
    format: 'standard' as Webhook['format'],
  }
  const form = useContractForm(createWebhook.body, initial)
  const act = useAct(createWebhook, { changes: [listWebhooks], onDone: ({ secret }) => onMade(secret) })
  const send = form.onSubmit((body) => act.mutate({ body }, { onError: (error) => showErrorAt(form, error) }))
  return (
    <form onSubmit={send}>
      <Stack gap={14}>
        <TextInput
          label="URL"
          description="https, and a public address."
          type="url"
          data-autofocus
          required
          {...form.getInputProps('url')}
        />
        <Select
          label="For"
          allowDeselect={false}
          data={webhookFormats.map((value) => ({ value, label: formatWords[value] }))}
          {...form.getInputProps('format')}
        />
        <Checkbox.Group label="Events" {...form.getInputProps('events')}>
          <Stack gap={6} mt={6}>
            {webhookEventTypes.map((type) => (
              <Checkbox key={type} value={type} label={<span className="code">{type}</span>} />
            ))}
          </Stack>
        </Checkbox.Group>
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
