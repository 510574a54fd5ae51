import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { createWorkspace, readMe } from '@ratchet/contracts/dashboard/account'
import { listAllWorkspaces } from '@ratchet/contracts/dashboard/admin'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { useAct } from '../../api/use-act.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { toast } from '../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'

interface CreateWorkspaceProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Makes a workspace, for the operator or for somebody else. */
export function CreateWorkspace({ opened, onClose }: CreateWorkspaceProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title="Create a workspace">
      {opened && <CreateForm onClose={onClose} />}
    </Modal>
  )
}

const { slug, name, owner_email: ownerEmail } = createWorkspace.body.shape
const Values = z.object({ name, slug, owner_email: z.union([z.literal(''), ownerEmail.unwrap()]) })

function CreateForm({ onClose }: Pick<CreateWorkspaceProps, 'onClose'>): ReactNode {
  const form = useContractForm(Values, { name: '', slug: '', owner_email: '' })
  const [link, setLink] = useState<string | null>(null)
  const act = useAct(createWorkspace, {
    changes: [listAllWorkspaces, readMe],
    onDone: (made) => {
      if (typeof made.owner_link?.link === 'string') return setLink(made.owner_link.link)
      onClose()
      toast(`The workspace ${made.name} is created.`)
    },
  })
  const send = form.onSubmit(({ owner_email: email, ...own }) =>
    act.mutate(
      { body: email === '' ? own : { ...own, owner_email: email } },
      { onError: (error) => showErrorAt(form, error) },
    ),
  )
  if (link !== null) return <OwnerLink link={link} onClose={onClose} />
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <TextInput
          label="Address"
          description="Small letters, digits and hyphens, as in /w/acme. It stays as it is."
          required
          {...form.getInputProps('slug')}
        />
        <TextInput
          label="E-mail of the owner"
          description="Empty: you own it. Somebody without an account gets one."
          inputMode="email"
          {...form.getInputProps('owner_email')}
        />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
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

function OwnerLink({ link, onClose }: { readonly link: string; readonly onClose: () => void }): ReactNode {
  return (
    <Stack gap={12}>
      <Text>
        The workspace is created. Send its owner this link, with which they choose a password. It works once, for a day.
      </Text>
      <CodeBlock code={link} label="Link for a password" />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
