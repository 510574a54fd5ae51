import { Button, Group, Stack, TextInput } from '@mantine/core'
import { changeMe, readMe } from '@ratchet/contracts/dashboard/account'
import { listMembers } from '@ratchet/contracts/dashboard/members'
import type { ReactNode } from 'react'
import { useMe } from '../../api/me.ts'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { toast } from '../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'

export function OwnName(): ReactNode {
  const { user } = useMe()
  const form = useContractForm(changeMe.body, { name: user?.name ?? '' })
  const act = useAct(changeMe, { changes: [readMe, listMembers], onDone: () => toast('Your name is changed.') })
  const send = form.onSubmit((body) => act.mutate({ body }, { onError: (error) => showErrorAt(form, error) }))
  return (
    <Card title="Name">
      <form onSubmit={send}>
        <Stack gap={12}>
          <TextInput
            label="Your name"
            description="Members of your workspaces see it."
            autoComplete="name"
            {...form.getInputProps('name')}
          />
          {act.error && <ErrorState error={act.error} />}
          <Group>
            <Button type="submit" variant="default" loading={act.isPending}>
              Change the name
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
