import type { CallDetails } from '@ratchet/contracts/voice/calls'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { duration } from '../../../kit/time.ts'
import { Picture } from '../../../pictures/picture.tsx'
import { latencyParts, type TurnLatency } from '../call-words.ts'

interface LatencyPartProps {
  readonly latency: CallDetails['latency']
}

interface Row extends TurnLatency {
  readonly number: number
}

const rowHeight = 26
const colors = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)']

/** How long the caller waited at each turn, and for what. */
export function LatencyPart({ latency }: LatencyPartProps): ReactNode {
  const rows = latency.turns.map((turn, place): Row => ({ ...turn, number: place + 1 }))
  if (rows.length === 0) return null
  const { p50_ms: half, p95_ms: most } = latency
  const sentence =
    half === null || most === null
      ? `${rows.length} answers.`
      : `${rows.length} answers: half within ${duration(half)}, 95 % within ${duration(most)}. The table below has their parts.`
  return (
    <Card title="How long the caller waited">
      <p style={{ margin: 0 }}>{sentence}</p>
      <Bars rows={rows} sentence={sentence} />
      <DataTable label="Waits" columns={columns} rows={rows} rowKey={({ number }) => String(number)} />
    </Card>
  )
}

function Bars({ rows, sentence }: { readonly rows: readonly Row[]; readonly sentence: string }): ReactNode {
  const parts = rows.map(latencyParts)
  const longest = Math.max(1, ...parts.flat().map(({ fromMs, ms }) => fromMs + ms))
  return (
    <Picture sentence={sentence} height={rows.length * rowHeight}>
      {(width) =>
        parts.map((bars, row) => (
          <g key={rows[row]?.number}>
            {bars.map(({ label, fromMs, ms }, place) => (
              <rect
                key={label}
                x={(fromMs / longest) * width}
                y={row * rowHeight + 4}
                width={Math.max(1, (ms / longest) * width - 1)}
                height={rowHeight - 8}
                fill={colors[place % colors.length]}
              >
                <title>{`${label}: ${duration(ms)}`}</title>
              </rect>
            ))}
          </g>
        ))
      }
    </Picture>
  )
}

const msText = (ms: number | null) => (ms === null ? '—' : duration(ms))

const columns: readonly Column<Row>[] = [
  { id: 'number', header: 'Answer', cell: ({ number }) => `Answer ${number}` },
  { id: 'total', header: 'In all', width: 90, isNumber: true, cell: ({ total_ms: ms }) => msText(ms) },
  {
    id: 'eot',
    header: 'End of turn',
    width: 110,
    isNumber: true,
    cell: ({ eot_ms: ms }) => msText(ms),
    onPhone: false,
  },
  { id: 'stt', header: 'Words', width: 90, isNumber: true, cell: ({ stt_ms: ms }) => msText(ms), onPhone: false },
  { id: 'llm', header: 'Model', width: 90, isNumber: true, cell: ({ llm_ttft_ms: ms }) => msText(ms), onPhone: false },
  { id: 'tts', header: 'Voice', width: 90, isNumber: true, cell: ({ tts_ttfa_ms: ms }) => msText(ms), onPhone: false },
]
