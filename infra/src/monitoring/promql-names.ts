import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'

/** One selector of an expression, and its labels. */
export interface Selector {
  readonly metric: string
  readonly labels: readonly string[]
}

export interface PromqlNames {
  readonly selectors: readonly Selector[]
  /** Labels of a grouping, with the metrics that are grouped. */
  readonly groupings: readonly { readonly label: string; readonly metrics: readonly string[] }[]
}

/**
 * Finds the names of metrics and labels in a PromQL expression.
 *
 * @throws SyntaxError when Prometheus would not parse it
 */
export function promqlNames(expression: string): PromqlNames {
  const selectors: Selector[] = []
  const groupings: { label: string; metrics: readonly string[] }[] = []
  parser.parse(expression).iterate({
    enter({ node, type, from, to }) {
      if (type.isError) throw new SyntaxError(`syntax error at ${from}: ${expression.slice(from, to + 20)}`)
      if (type.name === 'VectorSelector') selectors.push(selectorOf(node, expression))
      if (type.name !== 'AggregateExpr') return
      const metrics = namesIn(node, 'VectorSelector', expression).map((text) => text.split('{', 1)[0]?.trim() ?? '')
      const modifier = node.getChild('AggregateModifier')?.getChild('GroupingLabels')
      if (modifier) for (const label of namesIn(modifier, 'LabelName', expression)) groupings.push({ label, metrics })
    },
  })
  return { selectors, groupings }
}

function selectorOf(node: SyntaxNode, expression: string): Selector {
  const [metric] = namesIn(node, 'Identifier', expression)
  if (metric === undefined) throw new SyntaxError(`a selector without a metric: ${expression}`)
  return { metric, labels: namesIn(node, 'LabelName', expression) }
}

/** The texts of all nodes of a kind under a node. */
function namesIn(node: SyntaxNode, kind: string, expression: string): string[] {
  const names: string[] = []
  node.cursor().iterate(({ type, from, to }) => {
    if (type.name === kind) names.push(expression.slice(from, to))
  })
  return names
}
