import { AxisBottom } from '@visx/axis'
import { scaleBand } from '@visx/scale'
import { Bar } from '@visx/shape'
import { type ReactNode, useId } from 'react'
import styles from './picture.module.css'
import { Hatch, Picture } from './picture.tsx'
import { axisLabels, type StackBar, stacksOf } from './stacks.ts'

interface StackedBarsProps {
  readonly title: string
  readonly bars: readonly StackBar[]
  /** In the order in which they are stacked, with their names. */
  readonly series: readonly { readonly name: string; readonly label: string }[]
  readonly format: (amount: string) => string
  readonly height?: number
}

const bottom = 26

/** Amounts over time, divided by series. Six series have colours of their own; further ones belong together as "other". */
export function StackedBars({ title, bars, series, format, height = 180 }: StackedBarsProps): ReactNode {
  const hatch = useId()
  const names = series.map(({ name }) => name)
  const stacks = stacksOf(bars, names)
  const sentence = `${title}: ${stacks.map(({ label, total }) => `${label} ${format(total)}`).join(', ')}.`
  const table = {
    columns: ['', ...series.map(({ label }) => label), 'Total'],
    rows: stacks.map(({ label, total }, index) => [
      label,
      ...names.map((name) => format(bars[index]?.amounts[name] ?? '0')),
      format(total),
    ]),
  }
  const fill = (name: string) => `var(--series-${Math.min(6, names.indexOf(name) + 1)})`
  return (
    <div>
      <ul className={styles.legend}>
        {series.map(({ name, label }, index) => (
          <li key={name}>
            <svg width="12" height="12" aria-hidden="true">
              <rect width="12" height="12" rx="2" fill={fill(name)} />
              {index % 2 === 1 && <path d="M0 12 12 0" stroke="var(--surface)" strokeWidth="2" />}
            </svg>
            {label}
          </li>
        ))}
      </ul>
      <Picture sentence={sentence} height={height} table={table}>
        {(width) => {
          const labels = stacks.map(({ label }) => label)
          const x = scaleBand({ domain: labels, range: [0, width], padding: 0.25 })
          const full = height - bottom - 4
          const [first, last] = [labels[0], labels.at(-1)]
          // The labels at the ends stay inside of the picture.
          const anchors = new Map<unknown, 'start' | 'end'>(
            first === last
              ? []
              : [
                  [last, 'end'],
                  [first, 'start'],
                ],
          )
          return (
            <>
              <Hatch id={hatch} color="var(--surface)" />
              {stacks.flatMap(({ label, parts }) =>
                parts.map(({ series: name, from, share }) => {
                  const box = { x: x(label) ?? 0, width: x.bandwidth(), height: Math.max(1, share * full - 1) }
                  const y = 4 + full * (1 - from - share)
                  return (
                    <g key={`${label}:${name}`}>
                      <Bar {...box} y={y} fill={fill(name)} />
                      {names.indexOf(name) % 2 === 1 && <Bar {...box} y={y} fill={`url(#${hatch})`} opacity={0.45} />}
                    </g>
                  )
                }),
              )}
              <AxisBottom
                scale={x}
                top={height - bottom}
                tickValues={[...axisLabels(labels, width)]}
                stroke="var(--line-strong)"
                hideTicks
                tickLabelProps={(label) => ({ textAnchor: anchors.get(label) ?? 'middle' })}
              />
            </>
          )
        }}
      </Picture>
    </div>
  )
}
