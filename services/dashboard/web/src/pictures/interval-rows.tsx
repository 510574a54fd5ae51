import { AxisBottom } from '@visx/axis'
import { Group } from '@visx/group'
import { scaleLinear } from '@visx/scale'
import type { ReactNode } from 'react'
import { type State, StateShape } from '../kit/state-mark.tsx'
import type { Bounds } from './interval-sentence.ts'
import { Picture } from './picture.tsx'
import { domainOf } from './value-domain.ts'

export interface IntervalRow {
  readonly label: string
  readonly value: number
  readonly interval: Bounds
  readonly state: State
}

interface IntervalRowsProps {
  /** What the values are, such as "Win rate against sim/large". */
  readonly title: string
  readonly rows: readonly IntervalRow[]
  /** The value that means no difference, drawn as a line. */
  readonly reference: number
  readonly format: (value: number) => string
}

const rowHeight = 28
const labelWidth = 150

/** Several values with intervals on one axis, against the value that means no difference. */
export function IntervalRows({ title, rows, reference, format }: IntervalRowsProps): ReactNode {
  const bounds = ({ interval }: IntervalRow) => `${format(interval[0])} to ${format(interval[1])}`
  const parts = rows.map((row) => `${row.label} ${format(row.value)}, ${bounds(row)}`)
  const table = {
    columns: ['', 'Value', '95 % interval'],
    rows: rows.map((row) => [row.label, format(row.value), bounds(row)]),
  }
  const height = rows.length * rowHeight + 26
  return (
    <Picture
      sentence={`${title}: ${parts.join('; ')}. The line is at ${format(reference)}.`}
      height={height}
      table={table}
    >
      {(width) => {
        const labels = Math.min(labelWidth, width / 3)
        const values = rows.flatMap(({ interval }) => interval)
        const x = scaleLinear({ domain: [...domainOf(values, [reference])], range: [labels, width - 12] })
        return (
          <>
            <line
              x1={x(reference)}
              x2={x(reference)}
              y1={0}
              y2={height - 26}
              stroke="var(--text)"
              strokeDasharray="4 3"
            />
            {rows.map((row, index) => (
              <Row key={row.label} row={row} y={index * rowHeight + rowHeight / 2} x={x} labels={labels} />
            ))}
            <AxisBottom
              scale={x}
              top={height - 24}
              numTicks={Math.max(2, Math.floor((width - labels) / 90))}
              tickFormat={(value) => format(Number(value))}
              stroke="var(--line-strong)"
              tickStroke="var(--line-strong)"
              tickLabelProps={{ fill: 'var(--dimmed)', fontSize: 11, textAnchor: 'middle' }}
            />
          </>
        )
      }}
    </Picture>
  )
}

interface RowProps {
  readonly row: IntervalRow
  readonly y: number
  readonly x: (value: number) => number
  readonly labels: number
}

function Row({ row: { label, value, interval, state }, y, x, labels }: RowProps): ReactNode {
  const maxLetters = Math.floor(labels / 7)
  return (
    <>
      <text x={0} y={y + 4} style={{ fill: 'var(--text)' }}>
        {label.length > maxLetters ? `${label.slice(0, maxLetters - 1)}…` : label}
      </text>
      <line x1={x(interval[0])} x2={x(interval[1])} y1={y} y2={y} stroke={`var(--state-${state})`} strokeWidth={4} />
      <Group left={x(value) - 6} top={y - 6}>
        <StateShape state={state} />
      </Group>
    </>
  )
}
