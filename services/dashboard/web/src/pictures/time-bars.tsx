import { type ReactNode, useState } from 'react'
import { count } from '../kit/numbers.ts'
import { exactTime } from '../kit/time.ts'
import { Picture } from './picture.tsx'
import { indexAt, isInside, type TimeBar, type TimeRange } from './time-ranges.ts'

interface TimeBarsProps {
  readonly title: string
  /** What the picture says, instead of the sum of the numbers. */
  readonly sentence?: string
  readonly bars: readonly TimeBar[]
  readonly bucketMs: number
  /** The time that is chosen. */
  readonly chosen?: TimeRange | null
  /** Called after a drag over bars. Pages offer the same by fields, which keys reach. */
  readonly onChoose?: (range: TimeRange) => void
  readonly height?: number
}

const base = 14

/** Numbers over time. A drag chooses a part of it. */
export function TimeBars({
  title,
  bars,
  bucketMs,
  chosen = null,
  onChoose,
  height = 74,
  ...said
}: TimeBarsProps): ReactNode {
  const [drag, setDrag] = useState<readonly [number, number] | null>(null)
  const total = bars.reduce((sum, bar) => sum + (bar.count ?? 0), 0)
  const uncounted = bars.filter((bar) => bar.count === null).length
  const sum = `${title}: ${count(total)}${uncounted > 0 ? `, and ${uncounted} parts that were not counted` : ''}.`
  const table = {
    columns: ['From', 'Number'],
    rows: bars.map((bar) => [exactTime(bar.start), bar.count === null ? 'not counted' : count(bar.count)]),
  }
  const finish = () => {
    if (drag !== null) onChoose?.(rangeOf(bars, bucketMs, drag))
    setDrag(null)
  }
  return (
    <Picture sentence={said.sentence ?? sum} height={height} table={table}>
      {(width) => (
        <g
          onPointerDown={(event) => {
            if (!onChoose) return
            event.currentTarget.setPointerCapture(event.pointerId)
            const at = indexAt(xOf(event), width, bars.length)
            setDrag([at, at])
          }}
          onPointerMove={(event) => drag && setDrag([drag[0], indexAt(xOf(event), width, bars.length)])}
          onPointerUp={finish}
          onPointerCancel={() => setDrag(null)}
          style={{ cursor: onChoose ? 'crosshair' : undefined, touchAction: 'pan-y' }}
        >
          <rect width={width} height={height} fill="transparent" />
          <Bars bars={bars} width={width} height={height} chosen={drag ? rangeOf(bars, bucketMs, drag) : chosen} />
        </g>
      )}
    </Picture>
  )
}

/** Pixels from the left of the picture. */
function xOf({ clientX, currentTarget }: React.PointerEvent<SVGElement>): number {
  return clientX - (currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0)
}

function rangeOf(bars: readonly TimeBar[], bucketMs: number, [from, to]: readonly [number, number]): TimeRange {
  const [first = 0, last = 0] = [from, to].sort((a, b) => a - b)
  const startMs = Date.parse(bars[first]?.start ?? '')
  return { startMs, endMs: Date.parse(bars[last]?.start ?? '') + bucketMs }
}

interface BarsProps {
  readonly bars: readonly TimeBar[]
  readonly width: number
  readonly height: number
  readonly chosen: TimeRange | null
}

function Bars({ bars, width, height, chosen }: BarsProps): ReactNode {
  const max = Math.max(1, ...bars.map((bar) => bar.count ?? 0))
  const full = height - base
  const step = width / bars.length
  return (
    <>
      {bars.map((bar, index) => {
        const isIn = chosen === null || isInside(Date.parse(bar.start), chosen)
        const length = bar.count === null ? full : bar.count === 0 ? 0 : Math.max(2, (bar.count / max) * (full - 4))
        return (
          <rect
            key={bar.start}
            x={index * step + 0.5}
            width={Math.max(1, step - 1.5)}
            y={full - length}
            height={length}
            rx={1}
            fill={bar.count === null ? 'var(--sunken)' : isIn ? 'var(--series-1)' : 'var(--line-strong)'}
          />
        )
      })}
      <line x1={0} x2={width} y1={full + 0.5} y2={full + 0.5} stroke="var(--line)" />
    </>
  )
}
