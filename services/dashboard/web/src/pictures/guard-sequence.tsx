import { AxisLeft } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { Area, LinePath } from '@visx/shape'
import type { ReactNode } from 'react'
import { type GuardFacts, guardSentence } from './guard-sentence.ts'
import { Picture } from './picture.tsx'
import { domainOf } from './value-domain.ts'

const height = 110
const left = 52

/** One guard over time: the figure with what it can be, against its limit. Several stand beside each other. */
export function GuardSequence(props: GuardFacts): ReactNode {
  const { looks, limit, format } = props
  const table = {
    columns: ['Time', 'Figure', 'Low', 'High'],
    rows: looks.map(({ time, estimate, low, high }) => [
      time,
      format(estimate),
      format(low),
      high === null ? 'open' : format(high),
    ]),
  }
  const recent = looks.slice(Math.floor(looks.length / 3))
  const seen = recent.flatMap(({ estimate, low, high }) => [estimate, low, ...(high === null ? [] : [high])])
  const inSight = domainOf(seen, [limit])
  return (
    <Picture sentence={guardSentence(props)} height={height} table={table}>
      {(width) => {
        const x = scaleLinear({ domain: [0, Math.max(1, looks.length - 1)], range: [left, width - 8] })
        const y = scaleLinear({ domain: [...inSight], range: [height - 8, 8], clamp: true })
        const data = looks.map((look, place) => ({ ...look, place }))
        return (
          <>
            <line
              x1={left}
              x2={width - 8}
              y1={y(limit)}
              y2={y(limit)}
              stroke="var(--state-wrong)"
              strokeDasharray="5 3"
            />
            <Area
              data={data}
              x={({ place }) => x(place)}
              y0={({ low }) => y(low)}
              y1={({ high }) => y(high ?? inSight[1])}
              fill="var(--series-2)"
              fillOpacity={0.2}
            />
            <LinePath
              data={data}
              x={({ place }) => x(place)}
              y={({ estimate }) => y(estimate)}
              stroke="var(--series-2)"
              strokeWidth={2}
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
