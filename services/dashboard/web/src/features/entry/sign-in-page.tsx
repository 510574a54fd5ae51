import { Anchor, Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { signInWithPassword, signInWithProvider } from '@ratchet/contracts/dashboard/sign-in'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useMe } from '../../api/me.ts'
import { canUsePasskeys, signInWithPasskey } from '../../api/passkeys.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { useSecondsLeft } from '../../kit/states/use-seconds-left.ts'
import { Frame } from './frame.tsx'
import { safeNext } from './safe-next.ts'

const route = getRouteApi('/sign-in')

export function SignInPage(): ReactNode {
  const { next } = route.useSearch()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: (way: 'password' | 'passkey'): Promise<unknown> =>
      way === 'password' ? call(signInWithPassword, { slug: null, body: { email, password } }) : signInWithPasskey(),
    // A new document: nothing of what an earlier person saw stays in memory.
    onSuccess: () => window.location.assign(safeNext(next)),
  })
  const mustWait = useSecondsLeft(signIn.error) > 0
  // Another address may have attempts left.
  const changeEmail = (text: string) => {
    setEmail(text)
    signIn.reset()
  }
  return (
    <Frame title="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!mustWait) signIn.mutate('password')
        }}
      >
        <Stack gap={14}>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username webauthn"
            required
            value={email}
            onChange={({ currentTarget }) => changeEmail(currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {signIn.error && <ErrorState error={signIn.error} />}
          <Button type="submit" size="sm" loading={signIn.isPending} disabled={mustWait}>
            Sign in
          </Button>
          {canUsePasskeys() && (
            <Button variant="default" size="sm" onClick={() => signIn.mutate('passkey')}>
              Use a passkey
            </Button>
          )}
        </Stack>
      </form>
      <OtherIssuers next={safeNext(next)} />
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/reset" />}>
        Forgot the password?
      </Anchor>
    </Frame>
  )
}

/** Buttons for the issuers that the operator configured. */
function OtherIssuers({ next }: { readonly next: string }): ReactNode {
  const { oidc } = useMe().sign_in
  const go = useMutation({
    mutationFn: (provider: string) => call(signInWithProvider, { slug: null, body: { provider, return_to: next } }),
    onSuccess: ({ redirect_to: address }) => window.location.assign(address ?? next),
  })
  if (oidc.length === 0) return null
  return (
    <Stack gap={8}>
      <Divider label="or" />
      {oidc.map(({ id, name }) => (
        <Button key={id} variant="default" size="sm" loading={go.isPending} onClick={() => go.mutate(id)}>
          Continue with {name}
        </Button>
      ))}
      {go.error && <ErrorState error={go.error} />}
    </Stack>
  )
}
