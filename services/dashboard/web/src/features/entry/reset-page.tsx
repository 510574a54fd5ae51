import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { resetPassword } from '@ratchet/contracts/dashboard/sign-in'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { Frame } from './frame.tsx'

const route = getRouteApi('/reset/$token')

/** Sets a new password with the token of a link. */
export function ResetPage(): ReactNode {
  const { token } = route.useParams()
  const [password, setPassword] = useState('')
  const act = useAct(resetPassword, { onDone: () => window.location.assign('/sign-in') })
  return (
    <Frame title="New password" lead="You are signed out everywhere, and sign in with the new one.">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          act.mutate({ body: { token, new_password: password } })
        }}
      >
        <Stack gap={14}>
          <PasswordInput
            label="New password"
            description="At least 12 characters."
            autoComplete="new-password"
            minLength={12}
            required
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {act.error && <ErrorState error={act.error} />}
          <Button type="submit" size="sm" loading={act.isPending}>
            Save
          </Button>
          <Text c="dimmed">The link works once.</Text>
        </Stack>
      </form>
    </Frame>
  )
}
