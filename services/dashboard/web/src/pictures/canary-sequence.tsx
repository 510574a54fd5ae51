import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { Area, LinePath } from '@visx/shape'
import type { ReactNode } from 'react'
import { count } from '../kit/numbers.ts'
import { StateShape } from '../kit/state-mark.tsx'
import { type CanaryFacts, type CanaryFlag, type CanaryPoint, canarySentence, points } from './canary-sentence.ts'
import styles from './picture.module.css'
import { Picture } from './picture.tsx'
import { domainOf } from './value-domain.ts'

interface CanarySequenceProps extends CanaryFacts {
  /** Numbers of scored answers at which the split changed. */
  readonly epochs?: readonly number[]
  readonly flags?: readonly CanaryFlag[]
  /** Number of scored answers at which a decision is expected, if both models are equal; null when it is not known. */
  readonly forecast?: number | null
}

const height = 260
const left = 44
const bottom = 38
const top = 18
/** A forecast that is further away would push the present together. */
const maxStretch = 2.5

/** How a canary compares with the target: at every evaluation the difference and what it can be, against 0 and the margin. */
export function CanarySequence({ epochs = [], flags = [], forecast = null, ...facts }: CanarySequenceProps): ReactNode {
  const { looks, margin } = facts
  const table = {
    columns: ['Scored answers', 'Difference', 'Low', 'High'],
    rows: looks.map(({ scored, ...look }) => [
      count(scored),
      points(look.difference),
      points(look.low),
      points(look.high),
    ]),
  }
  const last = looks.at(-1)?.scored ?? 1
  const isNear = forecast !== null && forecast > last && forecast < last * maxStretch
  const inSight = domainOf(
    looks.slice(Math.floor(looks.length / 3)).flatMap(({ low, high }) => [low, high]),
    [0, -margin],
  )
  return (
    <Picture sentence={canarySentence(facts)} height={height} table={table}>
      {(width) => {
        const to = isNear ? forecast : last
        const x = scaleLinear({
          domain: [looks.length < 2 ? 0 : (looks[0]?.scored ?? 0), to],
          range: [left, width - 12],
        })
        const y = scaleLinear({ domain: [...inSight], range: [height - bottom, top], clamp: true })
        return (
          <>
            <Lines x={x.range()} y={y} margin={margin} />
            {epochs.map((epoch) => (
              <line key={epoch} x1={x(epoch)} x2={x(epoch)} y1={top} y2={height - bottom} {...epochLine} />
            ))}
            {[...Map.groupBy(looks, ({ epoch }) => epoch)].map(([epoch, own]) => (
              <Band key={epoch ?? 0} looks={own} x={x} y={y} />
            ))}
            {isNear && <Forecast looks={looks} at={forecast} margin={margin} x={x} y={y} />}
            {flags.map((flag) => (
              <Flag key={flag.scored} flag={flag} x={x(flag.scored)} />
            ))}
            <AxisBottom
              scale={x}
              top={height - bottom}
              numTicks={5}
              tickFormat={(value) => (Number.isInteger(value) ? count(Number(value)) : '')}
              label="scored answers"
              labelOffset={4}
              stroke="var(--line-strong)"
              tickStroke="var(--line-strong)"
            />
            <AxisLeft
              scale={y}
              left={left}
              numTicks={5}
              tickFormat={(value) => points(Number(value))}
              hideAxisLine
              hideTicks
            />
          </>
        )
      }}
    </Picture>
  )
}

const epochLine = { stroke: 'var(--line-strong)', strokeDasharray: '1 3' }

interface BandProps {
  readonly looks: readonly CanaryPoint[]
  readonly x: (value: number) => number
  readonly y: (value: number) => number
}

function Band({ looks, x, y }: BandProps): ReactNode {
  const data = [...looks]
  const [only] = data
  // One evaluation alone has no area.
  if (only !== undefined && data.length === 1) {
    return (
      <>
        <line x1={x(only.scored)} x2={x(only.scored)} y1={y(only.low)} y2={y(only.high)} {...lineOf(3)} opacity={0.4} />
        <circle cx={x(only.scored)} cy={y(only.difference)} r={3} fill="var(--series-2)" />
      </>
    )
  }
  return (
    <>
      <Area
        data={data}
        x={({ scored }) => x(scored)}
        y0={({ low }) => y(low)}
        y1={({ high }) => y(high)}
        fill="var(--series-2)"
        fillOpacity={0.2}
      />
      <LinePath data={data} x={({ scored }) => x(scored)} y={({ high }) => y(high)} {...lineOf(1)} />
      <LinePath data={data} x={({ scored }) => x(scored)} y={({ low }) => y(low)} {...lineOf(1)} />
      <LinePath data={data} x={({ scored }) => x(scored)} y={({ difference }) => y(difference)} {...lineOf(2)} />
    </>
  )
}

function lineOf(strokeWidth: number) {
  return { stroke: 'var(--series-2)', strokeWidth }
}

interface ForecastProps extends BandProps {
  readonly at: number
  readonly margin: number
}

/** From the last evaluation to where an equal canary is proven: its lower bound reaches the margin. */
function Forecast({ looks, at, margin, x, y }: ForecastProps): ReactNode {
  const last = looks.at(-1)
  if (last === undefined) return null
  const dashed = { ...lineOf(1.5), strokeDasharray: '4 4' }
  return (
    <>
      <line x1={x(last.scored)} y1={y(last.low)} x2={x(at)} y2={y(-margin)} {...dashed} />
      <line x1={x(last.scored)} y1={y(last.high)} x2={x(at)} y2={y(margin)} {...dashed} />
      <text x={x(at)} y={top - 6} textAnchor="end">
        proof of an equal canary expected
      </text>
    </>
  )
}

function Flag({ flag: { text, state }, x }: { readonly flag: CanaryFlag; readonly x: number }): ReactNode {
  const isRight = x > 200
  return (
    <g>
      <line x1={x} x2={x} y1={top} y2={height - bottom} stroke={`var(--state-${state})`} strokeWidth={1.5} />
      <g transform={`translate(${x - 6} ${top - 14})`}>
        <StateShape state={state} />
      </g>
      <text className="strong" x={isRight ? x - 10 : x + 10} y={top - 4} textAnchor={isRight ? 'end' : 'start'}>
        {text}
      </text>
    </g>
  )
}

interface LinesProps {
  readonly x: number[]
  readonly y: (value: number) => number
  readonly margin: number
}

/** No difference, and the largest loss that is allowed. */
function Lines({ x: [from = 0, to = 0], y, margin }: LinesProps): ReactNode {
  return (
    <>
      <line x1={from} x2={to} y1={y(0)} y2={y(0)} stroke="var(--text)" />
      <line x1={from} x2={to} y1={y(-margin)} y2={y(-margin)} stroke="var(--state-wrong)" strokeDasharray="5 3" />
      <text x={from + 6} y={y(-margin) + 13} className={styles.onLines}>
        margin {points(-margin)}
      </text>
    </>
  )
}
