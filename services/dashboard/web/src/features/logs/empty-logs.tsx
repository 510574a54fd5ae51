import { Anchor, Button } from '@mantine/core'
import { listMembers } from '@ratchet/contracts/dashboard/members'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe, useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'

interface EmptyLogsProps {
  readonly isFiltered: boolean
  /** The log cannot be read because logging is off. */
  readonly isOff: boolean
  readonly onClear: () => void
}

/** Why no entry is shown: no match, logging is off, or no traffic yet. */
export function EmptyLogs({ isFiltered, isOff, onClear }: EmptyLogsProps): ReactNode {
  if (isOff) return <LoggingOff />
  if (isFiltered) {
    return (
      <EmptyState title="No entry matches" action={<Button onClick={onClear}>Remove all filters</Button>}>
        Entries exist only for requests that were sent while logging was on, until their retention ends.
      </EmptyState>
    )
  }
  return <NoTraffic />
}

function LoggingOff(): ReactNode {
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

function NoTraffic(): ReactNode {
  const { key_prefix: prefix } = useMe()
  const { slug } = useWorkspace()
  const code = `curl ${window.location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${prefix}…" -H "Content-Type: application/json" \\
  -d '{"model": "MODEL", "messages": [{"role": "user", "content": "Hello"}]}'`
  return (
    <EmptyState
      title="No traffic yet"
      action={
        <>
          <CodeBlock code={code} label="A request with curl" />
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/playground" params={{ slug }} />}>
            Send a request from the playground
          </Anchor>
        </>
      }
    >
      Logging is on. An entry appears some seconds after a request, such as this one with a key of yours.
    </EmptyState>
  )
}
