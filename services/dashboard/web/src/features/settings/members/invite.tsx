import { Button, Group, Modal, Radio, Stack, Switch, Text, TextInput } from '@mantine/core'
import { createInvitation, listInvitations } from '@ratchet/contracts/dashboard/members'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { roles } from './roles.ts'

/** Makes an invitation. Its link is mailed, or shown once, to be sent by whatever way people use. */
export function Invite({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }): ReactNode {
  const [link, setLink] = useState<string | null>(null)
  const close = () => {
    setLink(null)
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={link === null ? 'Invite a person' : 'Send this link'}>
      {link === null ? (
        <InviteForm onMade={setLink} onCancel={close} />
      ) : (
        <Stack gap={12}>
          <Text>It works once, for 7 days, and only for the address that you entered.</Text>
          <CodeBlock code={link} label="Link of the invitation" />
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

interface InviteFormProps {
  readonly onMade: (link: string) => void
  readonly onCancel: () => void
}

function InviteForm({ onMade, onCancel }: InviteFormProps): ReactNode {
  const form = useContractForm(createInvitation.body, {
    email: '',
    role: 'member' as (typeof roles)[number]['value'],
    may_grade: false,
  })
  const act = useAct(createInvitation, {
    changes: [listInvitations],
    onDone: ({ link, email }) => {
      if (link !== null) return onMade(link)
      toast(`The invitation is on its way to ${email}.`)
      onCancel()
    },
  })
  const send = form.onSubmit((body) => act.mutate({ body }, { onError: (error) => showErrorAt(form, error) }))
  return (
    <form onSubmit={send}>
      <Stack gap={14}>
        <TextInput label="E-mail" type="email" data-autofocus required {...form.getInputProps('email')} />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap={8} mt={6}>
            {roles.map(({ value, label, description }) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        {form.values.role === 'member' && (
          <Switch label="May grade" {...form.getInputProps('may_grade', { type: 'checkbox' })} />
        )}
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
