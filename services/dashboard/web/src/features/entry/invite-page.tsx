import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { acceptInvitation, readInvitation } from '@ratchet/contracts/dashboard/members'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useMe } from '../../api/me.ts'
import { useAct } from '../../api/use-act.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { RowsSkeleton } from '../../kit/states/skeletons.tsx'
import { Frame } from './frame.tsx'

const route = getRouteApi('/invite/$token')

/** Nothing of the workspace is shown before the server has checked the token. */
export function InvitePage(): ReactNode {
  const { token } = route.useParams()
  const invitation = useQuery({
    queryKey: [readInvitation.path],
    queryFn: () => call(readInvitation, { slug: null, body: { token } }),
    gcTime: 0,
  })
  if (invitation.error) {
    const isFinal = invitation.error instanceof ApiError && invitation.error.status < 500
    return (
      <Frame title="Invitation">
        <ErrorState error={invitation.error} onRetry={isFinal ? undefined : () => void invitation.refetch()} />
      </Frame>
    )
  }
  if (invitation.data === undefined) {
    return (
      <Frame title="Invitation">
        <RowsSkeleton rows={3} />
      </Frame>
    )
  }
  const { workspace, email } = invitation.data
  return (
    <Frame title={`Join ${workspace}`} lead={`The invitation is for ${email}.`}>
      <Accept token={token} email={email} />
    </Frame>
  )
}

interface AcceptProps {
  readonly token: string
  readonly email: string
}

function Accept({ token, email }: AcceptProps): ReactNode {
  const { user } = useMe()
  const isSignedIn = user?.email.toLowerCase() === email.toLowerCase()
  if (isSignedIn) return <AcceptForm token={token} email={email} isNew={false} />
  return (
    <Stack gap={14}>
      <Text>
        If this address has an account,{' '}
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/sign-in" search={{ next: `/invite/${token}` }} />}
        >
          sign in with it
        </Anchor>{' '}
        to accept. Else create one:
      </Text>
      <AcceptForm token={token} email={email} isNew />
    </Stack>
  )
}

interface AcceptFormProps {
  readonly token: string
  readonly email: string
  readonly isNew: boolean
}

function AcceptForm({ token, email, isNew }: AcceptFormProps): ReactNode {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const act = useAct(acceptInvitation, { onDone: ({ slug }) => window.location.assign(`/w/${slug}`) })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        act.mutate({ body: isNew ? { token, name, password } : { token } })
      }}
    >
      <Stack gap={14}>
        {isNew && (
          <>
            <input type="hidden" autoComplete="username" value={email} readOnly />
            <TextInput
              label="Your name"
              autoComplete="name"
              required
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              description="At least 12 characters."
              autoComplete="new-password"
              minLength={12}
              required
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          </>
        )}
        {act.error && <ErrorState error={act.error} />}
        <Button type="submit" size="sm" loading={act.isPending}>
          Accept
        </Button>
      </Stack>
    </form>
  )
}
