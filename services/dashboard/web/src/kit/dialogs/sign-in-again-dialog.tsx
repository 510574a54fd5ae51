import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { signInWithPassword } from '@ratchet/contracts/dashboard/sign-in'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { meQuery } from '../../api/me.ts'
import { canUsePasskeys, signInWithPasskey } from '../../api/passkeys.ts'
import { ErrorState } from '../states/error-state.tsx'

export function SignInAgainDialog(props: AgainFormProps): ReactNode {
  return (
    <Modal opened onClose={props.onCancel} title="Sign in again" zIndex={400}>
      <AgainForm {...props} />
    </Modal>
  )
}

interface AgainFormProps {
  readonly onDone: () => void
  readonly onCancel: () => void
}

function AgainForm({ onDone, onCancel }: AgainFormProps): ReactNode {
  const email = useQuery(meQuery).data?.user?.email ?? ''
  const queries = useQueryClient()
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: (way: 'password' | 'passkey'): Promise<unknown> =>
      way === 'password' ? call(signInWithPassword, { slug: null, body: { email, password } }) : signInWithPasskey(),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: meQuery.queryKey })
      onDone()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate('password')
      }}
    >
      <Stack gap={14}>
        <Text>Keys, money and roles change only within 15 minutes of a sign-in. You are {email}.</Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        {signIn.error && <ErrorState error={signIn.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          {canUsePasskeys() && (
            <Button variant="default" onClick={() => signIn.mutate('passkey')}>
              Use a passkey
            </Button>
          )}
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
