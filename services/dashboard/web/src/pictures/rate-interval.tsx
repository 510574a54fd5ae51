import { Group } from '@visx/group'
import { type ReactNode, useId } from 'react'
import { StateShape } from '../kit/state-mark.tsx'
import { type Bounds, type IntervalFacts, intervalSentence } from './interval-sentence.ts'
import { Hatch, Picture } from './picture.tsx'
import { ratePosition, rateTicks } from './rate-scale.ts'

interface RateIntervalProps extends IntervalFacts {
  /** Leaves the axis out, for rows of a table. */
  readonly isSmall?: boolean
}

const side = 8

/** A rate with its interval against the bar that it must pass, and what is expected of the next grades. */
export function RateInterval({ isSmall = false, ...facts }: RateIntervalProps): ReactNode {
  const { rate, interval, state, forecast, ceiling } = facts
  const hatch = useId()
  const height = isSmall ? 18 : 46
  const middle = isSmall ? 9 : 15
  return (
    <Picture sentence={intervalSentence(facts)} height={height}>
      {(width) => {
        const x = (value: number) => side + ratePosition(value) * (width - 2 * side)
        const bar = x(facts.bar)
        return (
          <>
            <Hatch id={hatch} color="var(--line)" />
            <rect x={side} y={middle - 7} width={bar - side} height={14} fill={`url(#${hatch})`} />
            <line x1={side} x2={width - side} y1={middle} y2={middle} stroke="var(--line-strong)" strokeWidth={1} />
            {forecast && (
              <g opacity={0.3}>
                <Span bounds={forecast} x={x} y={middle} size={13} color={`var(--state-${state})`} />
              </g>
            )}
            {interval && <Span bounds={interval} x={x} y={middle} size={5} color={`var(--state-${state})`} />}
            <line x1={bar} x2={bar} y1={middle - 9} y2={middle + 9} stroke="var(--text)" strokeWidth={2} />
            {ceiling !== null && ceiling !== undefined && (
              <line
                x1={x(ceiling)}
                x2={x(ceiling)}
                y1={middle - 9}
                y2={middle + 9}
                stroke="var(--text)"
                strokeDasharray="2 3"
              />
            )}
            {rate !== null && (
              <Group left={x(rate) - 6} top={middle - 6}>
                <StateShape state={state} />
              </Group>
            )}
            {!isSmall && <Axis x={x} y={middle + 14} bar={facts.bar} />}
          </>
        )
      }}
    </Picture>
  )
}

interface SpanProps {
  readonly bounds: Bounds
  readonly x: (rate: number) => number
  readonly y: number
  readonly size: number
  readonly color: string
}

function Span({ bounds: [low, high], x, y, size, color }: SpanProps): ReactNode {
  return <rect x={x(low)} y={y - size / 2} width={Math.max(2, x(high) - x(low))} height={size} rx={2} fill={color} />
}

function Axis({
  x,
  y,
  bar,
}: {
  readonly x: (rate: number) => number
  readonly y: number
  readonly bar: number
}): ReactNode {
  return rateTicks.map((tick) => (
    <text key={tick} x={x(tick)} y={y + 12} textAnchor="middle" fontWeight={tick === bar ? 700 : 400}>
      {tick === bar ? `bar ${tick}` : String(tick).replace(/^0/, '')}
    </text>
  ))
}
