import type { StepMetrics } from './progress-store.ts'

/**
 * At most so many steps, by stretches of equal length: of each the steps with the lowest and the highest value of a metric,
 * so that peaks stay visible. The first and the last step remain.
 *
 * @param name the metric that decides; absent: the first one of the first step
 */
export function thinMetrics(metrics: readonly StepMetrics[], points: number, name?: string): readonly StepMetrics[] {
  if (metrics.length <= points) return metrics
  const [first, last] = [metrics[0], metrics.at(-1)]
  if (first === undefined || last === undefined || points < 4) return [first, last].flatMap((step) => step ?? [])
  const decisive = name ?? Object.keys(first.values)[0] ?? ''
  const inner = metrics.slice(1, -1)
  const stretches = Math.floor((points - 2) / 2)
  const kept = Array.from({ length: stretches }, (_, index) => {
    const from = Math.floor((index * inner.length) / stretches)
    const to = Math.floor(((index + 1) * inner.length) / stretches)
    return extremesOf(inner.slice(from, to), decisive)
  })
  return [first, ...kept.flat(), last]
}

/** In the order of the steps. */
function extremesOf(stretch: readonly StepMetrics[], name: string): readonly StepMetrics[] {
  const figureOf = (step: StepMetrics) => step.values[name] ?? 0
  let [lowest, highest] = [stretch[0], stretch[0]]
  for (const step of stretch) {
    if (lowest === undefined || figureOf(step) < figureOf(lowest)) lowest = step
    if (highest === undefined || figureOf(step) > figureOf(highest)) highest = step
  }
  if (lowest === undefined || highest === undefined) return []
  if (lowest === highest) return [lowest]
  return lowest.step < highest.step ? [lowest, highest] : [highest, lowest]
}

/** The metrics with these names; a step without any of them is left out. */
export function withNames(metrics: readonly StepMetrics[], names: readonly string[]): readonly StepMetrics[] {
  return metrics
    .map((step) => ({ ...step, values: Object.fromEntries(names.flatMap((name) => memberOf(step, name))) }))
    .filter(({ values }) => Object.keys(values).length > 0)
}

function memberOf({ values }: StepMetrics, name: string): readonly (readonly [string, number | null])[] {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value === undefined ? [] : [[name, value]]
}
