import { Group } from '@visx/group'
import type { ReactNode } from 'react'
import { type State, StateShape } from '../kit/state-mark.tsx'
import { Picture } from './picture.tsx'
import { ringArc, ringPoints } from './ring.ts'

export interface LoopStep {
  readonly label: string
  /** What is there, such as `1 of 3 may act`. */
  readonly value: string
  readonly state: State
}

interface LoopRingProps {
  readonly steps: readonly LoopStep[]
}

const radius = 74
const height = 218

/** The steps of the improvement loop, each with its state; the last leads back to the first. */
export function LoopRing({ steps }: LoopRingProps): ReactNode {
  const sentence = `The loop: ${steps.map(({ label, value }) => `${label} ${value}`).join(', then ')}, and again.`
  return (
    <Picture sentence={sentence} height={height}>
      {(width) => (
        <Group left={width / 2} top={height / 2 + 16}>
          {steps.map(({ label, state }, index) => (
            <path
              key={label}
              d={ringArc(index, steps.length, radius, 0.24)}
              fill="none"
              stroke={state === 'proven' ? 'var(--state-proven)' : 'var(--line-strong)'}
              strokeWidth={state === 'proven' ? 4 : 2}
              strokeDasharray={state === 'proven' ? undefined : '3 4'}
            />
          ))}
          {ringPoints(steps.length, radius).map((point, index) => {
            const step = steps[index]
            return step && <RingStep key={step.label} step={step} {...point} />
          })}
        </Group>
      )}
    </Picture>
  )
}

interface RingStepProps {
  readonly step: LoopStep
  readonly x: number
  readonly y: number
}

function RingStep({ step: { label, value, state }, x, y }: RingStepProps): ReactNode {
  const anchor = Math.abs(x) < 10 ? 'middle' : x > 0 ? 'start' : 'end'
  const textX = Math.abs(x) < 10 ? x : x + Math.sign(x) * 18
  const textY = Math.abs(x) < 10 ? y - 32 : y - 1
  return (
    <>
      <Group transform={`translate(${x - 9} ${y - 9}) scale(1.5)`}>
        <StateShape state={state} />
      </Group>
      <text x={textX} y={textY} textAnchor={anchor} style={{ fill: 'var(--text)', fontSize: 13, fontWeight: 600 }}>
        {label}
      </text>
      <text x={textX} y={textY + 15} textAnchor={anchor}>
        {value}
      </text>
    </>
  )
}
