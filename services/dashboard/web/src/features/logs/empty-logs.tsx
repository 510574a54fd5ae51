import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe, useWorkspace } from '../../api/me.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { LoggingOff } from '../../kit/states/logging-off.tsx'

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
