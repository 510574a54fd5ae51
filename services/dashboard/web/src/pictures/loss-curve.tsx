import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { LinePath } from '@visx/shape'
import type { ReactNode } from 'react'
import { count } from '../kit/numbers.ts'
import { type LossFacts, type LossPoint, lossSentence, lossText } from './loss-sentence.ts'
import styles from './picture.module.css'
import { Picture } from './picture.tsx'
import { domainOf } from './value-domain.ts'

const height = 220
const left = 48
const bottom = 44

const trainLine = { stroke: 'var(--series-1)', strokeWidth: 2 }
const validLine = { stroke: 'var(--series-3)', strokeWidth: 2, strokeDasharray: '6 3' }

/** The loss of a training by step: on the examples it is trained on, and on others with dashes and squares. */
export function LossCurve(facts: LossFacts): ReactNode {
  const { train, valid, totalSteps } = facts
  const all = [...train, ...valid]
  const table = { columns: ['Step', 'Training', 'Validation'], rows: rowsOf(facts) }
  const inSight = domainOf(all.map(({ loss }) => loss))
  return (
    <div>
      <Legend hasValid={valid.length > 0} />
      <Picture sentence={lossSentence(facts)} height={height} table={table}>
        {(width) => {
          const to = Math.max(1, totalSteps ?? 0, ...all.map(({ step }) => step))
          const x = scaleLinear({ domain: [0, to], range: [left, width - 12] })
          const y = scaleLinear({ domain: [...inSight], range: [height - bottom, 8] })
          const at = { x: ({ step }: LossPoint) => x(step), y: ({ loss }: LossPoint) => y(loss) }
          return (
            <>
              <LinePath data={[...train]} {...at} {...trainLine} />
              <LinePath data={[...valid]} {...at} {...validLine} />
              {train.length === 1 && train.map((point) => <Dot key={point.step} cx={at.x(point)} cy={at.y(point)} />)}
              {valid.map((point) => (
                <rect
                  key={point.step}
                  x={at.x(point) - 3}
                  y={at.y(point) - 3}
                  width={6}
                  height={6}
                  fill={validLine.stroke}
                />
              ))}
              <AxisBottom
                scale={x}
                top={height - bottom}
                numTicks={width < 400 ? 3 : 6}
                tickFormat={(value) => (Number.isInteger(value) ? count(Number(value)) : '')}
                label="steps"
                labelOffset={10}
                stroke="var(--line-strong)"
                tickStroke="var(--line-strong)"
              />
              <AxisLeft
                scale={y}
                left={left}
                numTicks={5}
                tickFormat={(value) => lossText(Number(value)).replace(/0$/, '')}
                hideAxisLine
                hideTicks
              />
            </>
          )
        }}
      </Picture>
    </div>
  )
}

function Dot({ cx, cy }: { readonly cx: number; readonly cy: number }): ReactNode {
  return <circle cx={cx} cy={cy} r={3} fill={trainLine.stroke} />
}

function Legend({ hasValid }: { readonly hasValid: boolean }): ReactNode {
  const lines = [
    { label: 'Training', line: trainLine },
    ...(hasValid ? [{ label: 'Validation', line: validLine }] : []),
  ]
  return (
    <ul className={styles.legend}>
      {lines.map(({ label, line }) => (
        <li key={label}>
          <svg width="24" height="12" aria-hidden="true">
            <line x1="0" x2="24" y1="6" y2="6" {...line} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  )
}

function rowsOf({ train, valid }: LossFacts): readonly (readonly string[])[] {
  const trained = new Map(train.map(({ step, loss }) => [step, loss]))
  const validated = new Map(valid.map(({ step, loss }) => [step, loss]))
  const textAt = (losses: ReadonlyMap<number, number>, step: number) => {
    const loss = losses.get(step)
    return loss === undefined ? '–' : lossText(loss)
  }
  return [...new Set([...trained.keys(), ...validated.keys()])]
    .sort((one, other) => one - other)
    .map((step) => [count(step), textAt(trained, step), textAt(validated, step)])
}
