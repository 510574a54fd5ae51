import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { changePassword } from '@ratchet/contracts/dashboard/sign-in'
import type { ReactNode } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { toast } from '../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'

export function Password(): ReactNode {
  const form = useContractForm(changePassword.body, { current_password: '', new_password: '' })
  const act = useAct(changePassword, {
    onDone: () => {
      form.reset()
      toast('The password is changed. Other devices are signed out.')
    },
  })
  const send = form.onSubmit((body) => act.mutate({ body }, { onError: (error) => showErrorAt(form, error) }))
  return (
    <Card title="Password">
      <form onSubmit={send}>
        <Stack gap={12}>
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters. Other devices are signed out."
            autoComplete="new-password"
            {...form.getInputProps('new_password')}
          />
          {act.error && <ErrorState error={act.error} />}
          <Group>
            <Button type="submit" variant="default" loading={act.isPending}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
