import { Button, Group, Modal, Stack } from '@mantine/core'
import { createApiKey, listApiKeys } from '@ratchet/contracts/dashboard/keys'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { KeyFields } from './key-fields.tsx'
import { KeyValues, keySettings, newKeyValues } from './key-limits.ts'
import { NewKey } from './new-key.tsx'

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
  const form = useContractForm<KeyValues>(KeyValues, newKeyValues)
  const act = useAct(createApiKey, { changes: [listApiKeys], onDone: ({ key }) => onMade(key) })
  const send = form.onSubmit((values) =>
    act.mutate({ body: keySettings(values) }, { onError: (error) => showErrorAt(form, error) }),
  )
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <KeyFields form={form} />
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
