import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { LinePath } from '@visx/shape'
import type { ReactNode } from 'react'
import { Picture } from './picture.tsx'
import { domainOf } from './value-domain.ts'
import { lowText, shareText, usesText, type WearFacts, wearSentence } from './wear-sentence.ts'

const height = 170
const left = 52
const bottom = 38

/** How evidence wears out: the lower bound of the win rate by number of earlier comparisons on the same prompts, against the bar. */
export function EvidenceWear(facts: WearFacts): ReactNode {
  const { points, bar, uses, low } = facts
  const table = {
    columns: ['Earlier comparisons', 'Win rate from'],
    rows: points.map((point) => [usesText(point.uses), lowText(point.low)]),
  }
  const proven = points.flatMap((point) => (point.low === null ? [] : [{ uses: point.uses, low: point.low }]))
  const inSight = domainOf(
    proven.map((point) => point.low),
    [bar],
  )
  return (
    <Picture sentence={wearSentence(facts)} height={height} table={table}>
      {(width) => {
        const to = Math.max(1, points.at(-1)?.uses ?? 1)
        const x = scaleLinear({ domain: [0, to], range: [left, width - 12] })
        const y = scaleLinear({ domain: [...inSight], range: [height - bottom, 8] })
        return (
          <>
            <line x1={left} x2={width - 12} y1={y(bar)} y2={y(bar)} stroke="var(--text)" strokeDasharray="5 3" />
            <LinePath
              data={proven}
              x={(point) => x(point.uses)}
              y={(point) => y(point.low)}
              stroke="var(--series-2)"
              strokeWidth={2}
            />
            <line x1={x(uses)} x2={x(uses)} y1={8} y2={height - bottom} stroke="var(--line-strong)" />
            {low !== null && <circle cx={x(uses)} cy={y(low)} r={4} fill="var(--series-2)" />}
            <AxisBottom
              scale={x}
              top={height - bottom}
              numTicks={6}
              tickFormat={(value) => (Number.isInteger(value) ? String(value) : '')}
              label="earlier comparisons on these prompts"
              labelOffset={4}
              stroke="var(--line-strong)"
              tickStroke="var(--line-strong)"
            />
            <AxisLeft
              scale={y}
              left={left}
              numTicks={4}
              tickFormat={(value) => shareText(Number(value))}
              hideAxisLine
              hideTicks
            />
          </>
        )
      }}
    </Picture>
  )
}
