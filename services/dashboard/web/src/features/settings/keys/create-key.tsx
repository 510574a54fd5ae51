import { Button, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core'
import { createApiKey, listApiKeys } from '@ratchet/contracts/dashboard/keys'
import { PersonName } from '@ratchet/contracts/dashboard/values'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { useAct } from '../../../api/use-act.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { NewKey } from './new-key.tsx'

const limit = z.union([z.literal(''), z.int().min(1).max(1_000_000_000)])
const Values = z.object({ name: PersonName, requests_per_minute: limit, tokens_per_minute: limit })

interface CreateKeyProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Makes a key and shows it once. The key is only in the state of this dialog: not in the address, and in no cache. */
export function CreateKey({ opened, onClose }: CreateKeyProps): ReactNode {
  const [key, setKey] = useState<string | null>(null)
  const close = () => {
    setKey(null)
    onClose()
  }
  const isShown = key !== null
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isShown ? 'Store this key now' : 'Create a key'}
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
    >
      {isShown ? <NewKey apiKey={key} onStored={close} /> : <CreateForm onMade={setKey} onCancel={close} />}
    </Modal>
  )
}

interface CreateFormProps {
  readonly onMade: (key: string) => void
  readonly onCancel: () => void
}

function CreateForm({ onMade, onCancel }: CreateFormProps): ReactNode {
  const form = useContractForm<z.infer<typeof Values>>(Values, {
    name: '',
    requests_per_minute: '',
    tokens_per_minute: '',
  })
  const act = useAct(createApiKey, { changes: [listApiKeys], onDone: ({ key }) => onMade(key) })
  const send = form.onSubmit(({ name, requests_per_minute: requests, tokens_per_minute: tokens }) => {
    const limits = {
      requests_per_minute: requests === '' ? null : requests,
      tokens_per_minute: tokens === '' ? null : tokens,
    }
    act.mutate({ body: { name, ...limits } }, { onError: (error) => showErrorAt(form, error) })
  })
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <TextInput
          label="Name"
          description="What will use it."
          data-autofocus
          required
          {...form.getInputProps('name')}
        />
        <NumberInput
          label="Requests per minute"
          description="Empty for no limit."
          min={1}
          hideControls
          {...form.getInputProps('requests_per_minute')}
        />
        <NumberInput
          label="Tokens per minute"
          description="Empty for no limit."
          min={1}
          hideControls
          {...form.getInputProps('tokens_per_minute')}
        />
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
