import { Button } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { signOut } from '../../api/auth.ts'
import { useMe } from '../../api/me.ts'
import { Frame } from './frame.tsx'

/** Leads to the first workspace of the person, or to the sign-in. */
export function StartPage(): ReactNode {
  const { user, workspaces } = useMe()
  const [first] = workspaces
  if (user === null) return <Navigate to="/sign-in" replace />
  if (first !== undefined) return <Navigate to="/w/$slug" params={{ slug: first.slug }} replace />
  return (
    <Frame
      title="No workspace yet"
      lead={`You are signed in as ${user.email}. Ask an owner of a workspace for an invitation.`}
    >
      <Button variant="default" onClick={() => void signOut()}>
        Sign out
      </Button>
    </Frame>
  )
}
