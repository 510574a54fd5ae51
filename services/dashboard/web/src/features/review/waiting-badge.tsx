import { VisuallyHidden } from '@mantine/core'
import { readWaitingItems } from '@ratchet/contracts/review-people'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'

const everyMs = 60_000

/** How many items wait for the person: those of batches that were begun, and those on which others disagree. */
export function WaitingBadge(): ReactNode {
  const mayGrade = reasonAgainst('grader', useWorkspace()) === null
  const waiting = useEndpoint(readWaitingItems, {}, { enabled: mayGrade })
  usePolling(waiting.refetch, mayGrade, everyMs)
  if (waiting.data === undefined) return null
  const items = waiting.data.started + waiting.data.disputed
  if (items === 0) return null
  return (
    <>
      {items}
      <VisuallyHidden>{items === 1 ? ' item waits for you' : ' items wait for you'}</VisuallyHidden>
    </>
  )
}
