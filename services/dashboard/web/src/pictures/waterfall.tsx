import { type ReactNode, useMemo, useState } from 'react'
import { duration } from '../kit/time.ts'
import { Picture } from './picture.tsx'
import { rowsInSight, type WaterfallSpan, waterfallBars } from './waterfall-rows.ts'

interface WaterfallProps {
  readonly spans: readonly WaterfallSpan[]
  readonly currentId?: string | undefined
  readonly onOpen?: (id: string) => void
}

/** Pixels; a list beside the rows has the same. */
export const waterfallRowHeight = 24
const maxHeight = 520

/** The steps of a trace in time. Beyond the height of the box only the rows in sight are drawn. */
export function Waterfall(props: WaterfallProps): ReactNode {
  const [scrollTop, setScrollTop] = useState(0)
  return (
    <div
      style={{ maxHeight, overflowY: 'auto' }}
      onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
    >
      <WaterfallRows {...props} inSight={rowsInSight(scrollTop, maxHeight, waterfallRowHeight, props.spans.length)} />
    </div>
  )
}

interface WaterfallRowsProps extends WaterfallProps {
  /** The first row to draw, and the one after the last. */
  readonly inSight: readonly [number, number]
}

/** The same inside of a box that scrolls a list of the steps with it. */
export function WaterfallRows({ spans, currentId, onOpen, inSight }: WaterfallRowsProps): ReactNode {
  const [first, last] = inSight
  const bars = useMemo(() => waterfallBars(spans), [spans])
  const failed = spans.filter(({ hasFailed }) => hasFailed).length
  const sentence = `${spans.length} steps in time${failed > 0 ? `, ${failed} failed` : ''}. The list beside it names them.`
  return (
    <Picture sentence={sentence} height={spans.length * waterfallRowHeight}>
      {(width) =>
        spans.slice(first, last).map((span, offset) => {
          const bar = bars[first + offset] ?? { from: 0, share: 0 }
          return (
            <WaterfallRow
              key={span.id}
              span={span}
              x={bar.from * (width - 70)}
              length={Math.max(2, bar.share * (width - 70))}
              y={(first + offset) * waterfallRowHeight}
              isCurrent={span.id === currentId}
              onOpen={onOpen}
            />
          )
        })
      }
    </Picture>
  )
}

interface WaterfallRowProps {
  readonly span: WaterfallSpan
  readonly x: number
  readonly length: number
  readonly y: number
  readonly isCurrent: boolean
  readonly onOpen: ((id: string) => void) | undefined
}

/** The rows take no keys: the list of steps beside them does. */
function WaterfallRow({ span, x, length, y, isCurrent, onOpen }: WaterfallRowProps): ReactNode {
  const { id, startMs, endMs, isCritical, hasFailed } = span
  const color = hasFailed ? 'var(--state-wrong)' : 'var(--series-2)'
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The list of steps beside the picture does the same with the keyboard.
    <g onClick={() => onOpen?.(id)} style={{ cursor: onOpen ? 'pointer' : undefined }}>
      <rect
        x={0}
        y={y}
        width="100%"
        height={waterfallRowHeight}
        fill={isCurrent ? 'var(--accent-soft)' : 'transparent'}
      />
      <rect
        x={x}
        y={y + 6}
        width={length}
        height={waterfallRowHeight - 12}
        rx={2}
        fill={color}
        opacity={isCritical ? 1 : 0.55}
      />
      {isCritical && (
        <line
          x1={x}
          x2={x + length}
          y1={y + waterfallRowHeight - 4}
          y2={y + waterfallRowHeight - 4}
          stroke={color}
          strokeWidth={2}
        />
      )}
      <text x={x + length + 5} y={y + 16}>
        {duration(endMs - startMs)}
      </text>
    </g>
  )
}
