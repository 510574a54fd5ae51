import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { gateWords } from '../alias-words.ts'
import { useOpenAlias } from './alias-context.ts'

/** States that are no news. */
const quiet: ReadonlySet<string> = new Set(['collecting', 'healthy'])

/** What the gate decided, on every tab of the alias. */
export function GateBanner(): ReactNode {
  const slug = useWorkspaceSlug()
  const { alias, gate } = useOpenAlias()
  if (alias.gate_state === null || quiet.has(gate.state)) return null
  const { word, state } = gateWords[gate.state]
  return (
    <div role="status">
      <Notice
        state={state}
        action={
          <Link to="/w/$slug/aliases/$name/audit" params={{ slug, name: alias.name }} search={{}}>
            In the audit
          </Link>
        }
      >
        <strong>
          Canary {gate.arms.canary?.model ?? ''}: {word}
        </strong>
        {gate.decided_at !== null && (
          <>
            {', '}
            <TimeText at={gate.decided_at} />
          </>
        )}
        . {gate.reason}
      </Notice>
    </div>
  )
}
