import { Button } from '@mantine/core'
import { listMembers } from '@ratchet/contracts/dashboard/members'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { EmptyState } from './empty-state.tsx'

/** Why nothing of the log can be shown, and who turns logging on. */
export function LoggingOff(): ReactNode {
  const workspace = useWorkspace()
  const mayChange = reasonAgainst('owner_admin', workspace) === null
  const members = useEndpoint(listMembers, {}, { enabled: !mayChange }).data?.data ?? []
  const askable = members.filter(({ role }) => role !== 'member').map(({ name }) => name)
  const action = mayChange ? (
    <Button
      renderRoot={(props) => <Link {...props} to="/w/$slug/settings/logging" params={{ slug: workspace.slug }} />}
    >
      Turn logging on
    </Button>
  ) : (
    <span>Ask an owner or admin to turn it on{askable.length > 0 ? `: ${askable.join(', ')}` : ''}.</span>
  )
  return (
    <EmptyState title="Logging is off" action={action}>
      It is off by default. While it is off, prompts and answers are not stored.
    </EmptyState>
  )
}
