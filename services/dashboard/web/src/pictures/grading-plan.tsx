import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { LinePath } from '@visx/shape'
import { type ReactNode, useId } from 'react'
import { count, percent } from '../kit/numbers.ts'
import { type GradingPlanFacts, gradingPlanSentence, type PlannedPart } from './grading-plan-sentence.ts'
import styles from './picture.module.css'
import { Hatch, Picture } from './picture.tsx'

const height = 200
const left = 44
const right = 12
const bottom = 40
const stripe = 10
const top = stripe + 14

/**
 * The chance that a judge is trustworthy and that it may act, by the number of further grades. The stripe above shows which
 * answers the planned grades are of.
 */
export function GradingPlan(facts: GradingPlanFacts): ReactNode {
  const { points, chance, needed, parts } = facts
  const sentence = gradingPlanSentence(facts)
  if (points.length === 0) return <p>{sentence}</p>
  const table = {
    columns: ['More grades', 'Trustworthy', 'May act'],
    rows: points.map((point) => [count(point.grades), percent(point.trustworthy), percent(point.mayAct)]),
  }
  return (
    <div>
      <p>{sentence}</p>
      <Legend parts={parts} />
      <Picture sentence={sentence} height={height} table={table}>
        {(width) => {
          const x = scaleLinear({ domain: [0, points.at(-1)?.grades ?? 1], range: [left, width - right] })
          const y = scaleLinear({ domain: [0, 1], range: [height - bottom, top] })
          const line = { data: [...points], x: (point: (typeof points)[number]) => x(point.grades), strokeWidth: 2 }
          return (
            <>
              <Stripe parts={parts} x={x} />
              <line
                x1={left}
                x2={width - right}
                y1={y(chance)}
                y2={y(chance)}
                stroke="var(--text)"
                strokeDasharray="5 3"
              />
              <LinePath {...line} y={(point) => y(point.trustworthy)} stroke="var(--series-1)" strokeDasharray="2 3" />
              <LinePath {...line} y={(point) => y(point.mayAct)} stroke="var(--series-2)" />
              {needed !== null && needed > 0 && (
                <line x1={x(needed)} x2={x(needed)} y1={top} y2={height - bottom} stroke="var(--line-strong)" />
              )}
              <AxisBottom
                scale={x}
                top={height - bottom}
                numTicks={Math.max(2, Math.min(6, Math.floor(width / 70)))}
                tickFormat={(value) => (Number.isInteger(value) ? count(Number(value)) : '')}
                label="more grades"
                labelOffset={4}
                stroke="var(--line-strong)"
                tickStroke="var(--line-strong)"
              />
              <AxisLeft
                scale={y}
                left={left}
                tickValues={[0, 0.5, 1]}
                tickFormat={(value) => percent(Number(value))}
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

interface StripeProps {
  readonly parts: readonly PlannedPart[]
  readonly x: (grades: number) => number
}

function Stripe({ parts, x }: StripeProps): ReactNode {
  const hatch = useId()
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { grades }) => sum + grades, 0))
  return (
    <>
      {parts.map(({ label, grades }, index) => {
        const from = x(starts[index] ?? 0)
        const box = { x: from, y: 0, width: Math.max(1, x((starts[index] ?? 0) + grades) - from), height: stripe }
        return (
          <g key={label}>
            <rect {...box} fill={colorOf(index)} stroke="var(--surface)" />
            {index % 2 === 1 && (
              <>
                <Hatch id={`${hatch}-${index}`} color="var(--surface)" />
                <rect {...box} fill={`url(#${hatch}-${index})`} />
              </>
            )}
          </g>
        )
      })}
    </>
  )
}

function Legend({ parts }: Pick<StripeProps, 'parts'>): ReactNode {
  const lines = [
    { label: 'trustworthy', color: 'var(--series-1)', dash: '2 3' },
    { label: 'may act', color: 'var(--series-2)', dash: undefined },
  ]
  return (
    <ul className={styles.legend}>
      {lines.map(({ label, color, dash }) => (
        <li key={label}>
          <svg width="18" height="12" aria-hidden="true">
            <line x1="0" x2="18" y1="6" y2="6" stroke={color} strokeWidth="2" strokeDasharray={dash} />
          </svg>
          {label}
        </li>
      ))}
      {parts.map(({ label, grades }, index) => (
        <li key={label}>
          <svg width="12" height="12" aria-hidden="true">
            <rect width="12" height="12" rx="2" fill={colorOf(index)} />
            {index % 2 === 1 && <path d="M0 12 12 0" stroke="var(--surface)" strokeWidth="2" />}
          </svg>
          {count(grades)} {label}
        </li>
      ))}
    </ul>
  )
}

function colorOf(index: number): string {
  return `var(--series-${3 + (index % 4)})`
}
