import { VisuallyHidden } from '@mantine/core'
import { listAliases } from '@ratchet/contracts/aliases'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { isSplit } from './alias-words.ts'

/** How many canaries run. */
export function CanaryBadge(): ReactNode {
  const aliases = useEndpoint(listAliases, { query: { limit: 200 } }, { topics: ['aliases'] }).data?.data ?? []
  const running = aliases.filter(isSplit).length
  if (running === 0) return null
  return (
    <>
      {running}
      <VisuallyHidden>{running === 1 ? ' canary runs' : ' canaries run'}</VisuallyHidden>
    </>
  )
}
