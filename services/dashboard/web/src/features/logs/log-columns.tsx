import type { LogRow } from '@ratchet/contracts/logs'
import type { GradeMark } from '@ratchet/contracts/session-labels'
import type { ReactNode } from 'react'
import { microOfUsd, moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { StateLabel } from '../../kit/state-mark.tsx'
import type { Column } from '../../kit/table/column.ts'
import { duration, exactTime } from '../../kit/time.ts'

export type ShownLog = LogRow & { readonly mark: GradeMark | undefined; readonly segmentLabel: string }

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** The columns of the list of logs. */
export const logColumns: readonly Column<ShownLog>[] = [
  { id: 'time', header: 'Time', width: 130, isFixed: true, cell: ({ created_at: at }) => <When at={at} /> },
  { id: 'model', header: 'Model', cell: ({ model }) => model },
  { id: 'alias', header: 'Alias', cell: (log) => aliasText(log), onPhone: false, isExtra: true },
  { id: 'tag', header: 'Tag', cell: ({ tag }) => tag ?? '', onPhone: false },
  { id: 'segment', header: 'Segment', cell: ({ segmentLabel }) => segmentLabel, onPhone: false },
  { id: 'tokens', header: 'Tokens', isNumber: true, cell: (log) => count(log.total_tokens), onPhone: false },
  { id: 'cost', header: 'Cost', isNumber: true, cell: ({ cost_usd: usd }) => costText(usd) },
  { id: 'latency', header: 'Took', isNumber: true, cell: (log) => duration(log.latency_ms), onPhone: false },
  { id: 'finish', header: 'Finish', cell: (log) => log.finish_reason ?? '', onPhone: false },
  { id: 'grades', header: 'Grades', width: 120, cell: ({ mark }) => <Grades mark={mark} /> },
  {
    id: 'redacted',
    header: 'Redacted',
    isNumber: true,
    cell: ({ redaction }) => (redaction.count === 0 ? '' : count(redaction.count)),
    onPhone: false,
  },
  { id: 'source', header: 'Source', cell: ({ source }) => source, onPhone: false, isExtra: true },
]

/** The cost of an entry; a dash where it is not known. */
export function costText(usd: number | null): string {
  return usd === null ? '–' : moneyText(microOfUsd(usd))
}

/** The alias and its arm. */
export function aliasText({ alias, canary }: Pick<LogRow, 'alias' | 'canary'>): string {
  return alias === null ? '' : `${alias}, ${canary ? 'canary' : 'target'}`
}

function When({ at }: { readonly at: string }): ReactNode {
  const date = new Date(at)
  return (
    <time dateTime={at} title={exactTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {day.format(date)} {time.format(date)}
    </time>
  )
}

function Grades({ mark }: { readonly mark: GradeMark | undefined }): ReactNode {
  if (mark === undefined) return null
  const { fails, passes } = mark
  const state = fails > 0 && passes > 0 ? 'borderline' : fails > 0 ? 'wrong' : 'proven'
  const parts = [fails > 0 ? `${fails} fail` : '', passes > 0 ? `${passes} pass` : ''].filter((part) => part !== '')
  return parts.length === 0 ? null : <StateLabel state={state}>{parts.join(', ')}</StateLabel>
}
