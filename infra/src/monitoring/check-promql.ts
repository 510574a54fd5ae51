import type { ExposedMetrics } from './metrics-page.ts'
import { promqlNames } from './promql-names.ts'

/** An expression and the rule or panel that contains it. */
export interface PlacedExpression {
  readonly place: string
  readonly expression: string
}

/** Labels that Prometheus adds to every metric, and the metric that it creates for each target. */
const scrapeLabels: ReadonlySet<string> = new Set(['job', 'instance'])
const scrapeMetrics: ReadonlySet<string> = new Set(['up'])

/** Finds wrong syntax in expressions, and metrics and labels that no process exposes. */
export function checkPromql(expressions: readonly PlacedExpression[], exposed: ExposedMetrics): readonly string[] {
  return expressions.flatMap(({ place, expression }) =>
    problemsOf(expression, exposed).map((why) => `${place}: ${why}`),
  )
}

function problemsOf(expression: string, exposed: ExposedMetrics): readonly string[] {
  try {
    const { selectors, groupings } = promqlNames(expression)
    const has = (metric: string, label: string) => scrapeLabels.has(label) || exposed.get(metric)?.has(label) === true
    return [
      ...selectors.flatMap(({ metric, labels }) => {
        if (scrapeMetrics.has(metric)) return labels.filter((label) => !scrapeLabels.has(label))
        if (!exposed.has(metric)) return [`no process exposes ${metric}`]
        return labels.flatMap((label) => (has(metric, label) ? [] : [`${metric} has no label ${label}`]))
      }),
      ...groupings.flatMap(({ label, metrics }) =>
        metrics.some((metric) => has(metric, label)) ? [] : [`no metric has the label ${label} to group by`],
      ),
    ]
  } catch (error) {
    if (error instanceof SyntaxError) return [error.message]
    throw error
  }
}
