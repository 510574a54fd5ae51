import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { Area, LinePath } from '@visx/shape'
import type { ReactNode } from 'react'
import { count } from '../kit/numbers.ts'
import { Picture } from './picture.tsx'
import { type StepFacts, type StepPoint, stepSentence } from './step-sentence.ts'
import { domainOf } from './value-domain.ts'

const height = 140
const left = 48
const bottom = 26

const line = { stroke: 'var(--series-1)', strokeWidth: 2 }

/** One figure by step, with its interval as a band and what it is compared with as dashes. */
export function StepLine(facts: StepFacts): ReactNode {
  const { points, reference, totalSteps, format } = facts
  const lows = points.map(lowOf)
  const highs = points.map(highOf)
  const inSight = domainOf([...lows, ...highs], reference === undefined ? [] : [reference.value])
  return (
    <Picture sentence={stepSentence(facts)} height={height} table={tableOf(facts)}>
      {(width) => {
        const x = scaleLinear({ domain: [0, Math.max(1, totalSteps)], range: [left, width - 8] })
        const y = scaleLinear({ domain: [...inSight], range: [height - bottom, 8] })
        const data = [...points]
        const xOf = ({ step }: StepPoint) => x(step)
        return (
          <>
            {reference !== undefined && (
              <line
                x1={left}
                x2={width - 8}
                y1={y(reference.value)}
                y2={y(reference.value)}
                stroke="var(--text)"
                strokeDasharray="4 3"
              />
            )}
            <Area
              data={data}
              x={xOf}
              y0={(point) => y(lowOf(point))}
              y1={(point) => y(highOf(point))}
              fill={line.stroke}
              fillOpacity={0.2}
            />
            <LinePath data={data} x={xOf} y={({ value }) => y(value)} {...line} />
            {points.length === 1 &&
              points.map((point) => (
                <circle key={point.step} cx={xOf(point)} cy={y(point.value)} r={3} fill={line.stroke} />
              ))}
            <AxisBottom
              scale={x}
              top={height - bottom}
              numTicks={width < 400 ? 3 : 5}
              tickFormat={(value) => (Number.isInteger(value) ? count(Number(value)) : '')}
              stroke="var(--line-strong)"
              tickStroke="var(--line-strong)"
            />
            <AxisLeft
              scale={y}
              left={left}
              numTicks={3}
              tickFormat={(value) => format(Number(value))}
              hideAxisLine
              hideTicks
            />
          </>
        )
      }}
    </Picture>
  )
}

function lowOf({ value, interval }: StepPoint): number {
  return interval === undefined ? value : interval[0]
}

function highOf({ value, interval }: StepPoint): number {
  return interval === undefined ? value : interval[1]
}

function tableOf({ title, points, format }: StepFacts) {
  const hasIntervals = points.some(({ interval }) => interval !== undefined)
  return {
    columns: ['Step', title, ...(hasIntervals ? ['95 % interval'] : [])],
    rows: points.map(({ step, value, interval }) => [
      count(step),
      format(value),
      ...(interval === undefined ? [] : [interval.map(format).join(' to ')]),
    ]),
  }
}
