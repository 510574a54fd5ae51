import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { listPersonErasures, requestPersonErasure } from '@ratchet/contracts/dashboard/erasures'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useAct } from '../../../api/use-act.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'

interface RequestErasureProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onBegun: (id: string) => void
}

export function RequestErasure({ opened, onClose, onBegun }: RequestErasureProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Find an end user">
      {opened && <RequestForm onClose={onClose} onBegun={onBegun} />}
    </Modal>
  )
}

type Values = z.input<typeof requestPersonErasure.body>

function RequestForm({ onClose, onBegun }: Omit<RequestErasureProps, 'opened'>): ReactNode {
  const form = useContractForm<Values>(requestPersonErasure.body, { person: '' })
  const act = useAct(requestPersonErasure, {
    changes: [listPersonErasures],
    onDone: ({ id }) => {
      onClose()
      onBegun(id)
    },
  })
  const send = form.onSubmit((body) => act.mutate({ body }, { onError: (error) => showErrorAt(form, error) }))
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <TextInput
          label="End user"
          description="As your application names them: in the field user of requests, or in the header for it."
          required
          data-autofocus
          {...form.getInputProps('person')}
        />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Count
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
