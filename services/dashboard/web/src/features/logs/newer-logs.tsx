import { Button } from '@mantine/core'
import { type LogRow, listLogs } from '@ratchet/contracts/logs'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { usePolling } from '../../api/use-polling.ts'
import { Icon } from '../../kit/icon.tsx'
import { count } from '../../kit/numbers.ts'
import { newerCount, sinceNewest } from './newer-count.ts'

/** In case that a live message is lost. */
const everyMs = 30_000

interface NewerLogsProps {
  readonly filters: Readonly<Record<string, string | undefined>>
  /** The first entries of the list. */
  readonly rows: readonly Pick<LogRow, 'created_at'>[]
  /** Reads the list again from its beginning. */
  readonly onShow: () => void
}

/** How many entries came after the newest one of the list. A person shows them; no row moves by itself. */
export function NewerLogs({ filters, rows, onShow }: NewerLogsProps): ReactNode {
  const query = { ...filters, ...sinceNewest(filters, rows), content: 'none', limit: 1 } as const
  const found = useEndpoint(listLogs, { query }, { topics: ['logs'], keepsOld: true })
  usePolling(found.refetch, true, everyMs)
  const newer = found.isPlaceholderData || found.data === undefined ? 0 : newerCount(found.data.total, rows)
  const show = useEffectEvent(onShow)
  const isFirst = rows.length === 0 && newer > 0
  useEffect(() => {
    if (isFirst) show()
  }, [isFirst])
  if (newer <= 0 || isFirst) return null
  return (
    <Button variant="light" size="compact-sm" rightSection={<Icon name="up" size={12} />} onClick={onShow}>
      {count(newer)}
      {found.data?.total_is_exact === false ? '+' : ''} new
    </Button>
  )
}
