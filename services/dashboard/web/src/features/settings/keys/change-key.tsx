import { Button, Group, Modal, Stack } from '@mantine/core'
import { type ApiKey, changeApiKey, listApiKeys } from '@ratchet/contracts/dashboard/keys'
import type { ReactNode } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { KeyFields } from './key-fields.tsx'
import { KeyValues, keyChanges, keyValues } from './key-limits.ts'

interface ChangeKeyProps {
  /** Null when the dialog is closed. */
  readonly apiKey: ApiKey | null
  readonly onClose: () => void
}

/** Changes what a key that is in force may do; the key itself stays. */
export function ChangeKey({ apiKey, onClose }: ChangeKeyProps): ReactNode {
  return (
    <Modal opened={apiKey !== null} onClose={onClose} title={`Change ${apiKey?.name ?? ''}`}>
      {apiKey !== null && <ChangeForm key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
    </Modal>
  )
}

function ChangeForm({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }): ReactNode {
  const form = useContractForm<KeyValues>(KeyValues, keyValues(apiKey))
  const act = useAct(changeApiKey, {
    changes: [listApiKeys],
    onDone: ({ name }) => {
      onClose()
      toast(`${name} is changed.`)
    },
  })
  const send = form.onSubmit((values) =>
    act.mutate(
      { params: { id: apiKey.id }, body: keyChanges(apiKey, values) },
      { onError: (error) => showErrorAt(form, error) },
    ),
  )
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <KeyFields form={form} />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!form.isDirty()} loading={act.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
