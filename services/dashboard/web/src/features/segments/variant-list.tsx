import { Select } from '@mantine/core'
import { getLog, type LogEntry } from '@ratchet/contracts/logs'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { textOf } from '../../kit/conversation/message-parts.ts'
import { ModelText } from '../../kit/conversation/model-text.tsx'
import { count, countOf } from '../../kit/numbers.ts'
import { Loaded } from '../../kit/states/loaded.tsx'
import type { Column } from '../../kit/table/column.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { WordDiff } from '../../kit/text/lazy.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import styles from './segments.module.css'
import type { Variant } from './variants.ts'

const route = getRouteApi('/w/$slug/segments/$id')

interface VariantsProps {
  readonly variants: readonly Variant[]
  /** The number of newest exchanges that they were found in. */
  readonly exchanges: number
}

/** The exact system prompts of a segment, and the words that differ between two. */
export function Variants({ variants, exchanges }: VariantsProps): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/segments/$id' })
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  const shown = variants.find(({ id }) => id === search.variant) ?? variants[0]
  const other = variants.find(({ id }) => id === search.with && id !== shown?.id)
  return (
    <div className={styles.variants}>
      <p className="dimmed">Among the newest {countOf(exchanges, 'exchange')} of this segment.</p>
      <DataTable
        label="Variants"
        columns={columns}
        rows={variants}
        rowKey={({ id }) => id}
        openKey={shown?.id}
        onOpen={({ id }) => change({ variant: id })}
        onMove={({ id }) => change({ variant: id })}
      />
      <Select
        label="Compare with"
        placeholder="Another variant"
        clearable
        disabled={variants.length < 2}
        data={variants.filter(({ id }) => id !== shown?.id).map(({ id }) => ({ value: id, label: id }))}
        value={other?.id ?? null}
        onChange={(id) => change({ with: id ?? undefined })}
      />
      {shown && <VariantText logId={shown.logId} otherLogId={other?.logId} />}
    </div>
  )
}

const columns: readonly Column<Variant>[] = [
  { id: 'id', header: 'Variant', cell: ({ id }) => <span className="code">{id}</span> },
  { id: 'exchanges', header: 'Exchanges', isNumber: true, cell: ({ exchanges }) => count(exchanges) },
  { id: 'last', header: 'Last', width: 120, cell: ({ lastAt }) => <TimeText at={lastAt} /> },
]

interface VariantTextProps {
  readonly logId: string
  readonly otherLogId: string | undefined
}

function VariantText({ logId, otherLogId = '' }: VariantTextProps): ReactNode {
  const entry = useEndpoint(getLog, { params: { id: logId } }, { keepsOld: true })
  const other = useEndpoint(getLog, { params: { id: otherLogId } }, { enabled: otherLogId !== '' })
  return (
    <Loaded query={entry}>
      {(data) =>
        otherLogId === '' ? (
          <div className={styles.prompt}>
            <ModelText text={systemOf(data)} kinds={data.redaction.kinds} isPlain />
          </div>
        ) : (
          <Loaded query={other}>
            {(compared) => (
              <div className={styles.prompt}>
                <WordDiff before={systemOf(data)} after={systemOf(compared)} />
              </div>
            )}
          </Loaded>
        )
      }
    </Loaded>
  )
}

function systemOf({ messages }: LogEntry): string {
  const system = messages.find(({ role }) => role === 'system' || role === 'developer')
  return system === undefined ? 'No system prompt.' : textOf(system)
}
