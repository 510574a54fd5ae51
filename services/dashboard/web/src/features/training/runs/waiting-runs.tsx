import { Badge, VisuallyHidden } from '@mantine/core'
import { listGrpoRuns } from '@ratchet/contracts/grpo'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'

/** Counts of all runs, whatever the list shows; undefined for people who may not read them. */
export function useRunCounts() {
  const mayRead = reasonAgainst('owner_admin', useWorkspace()) === null
  return useEndpoint(listGrpoRuns, { query: { limit: '1' } }, { enabled: mayRead })
}

/** How many runs wait for a decision, behind the name of their page. */
export function WaitingRuns(): ReactNode {
  const waiting = useRunCounts().data?.candidates_waiting ?? 0
  if (waiting === 0) return null
  return (
    <>
      {' '}
      <Badge size="sm" circle={waiting < 10}>
        {waiting}
      </Badge>
      <VisuallyHidden>{waiting === 1 ? ' run waits for a decision' : ' runs wait for a decision'}</VisuallyHidden>
    </>
  )
}
