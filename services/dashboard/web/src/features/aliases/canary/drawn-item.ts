import type { GradedItem } from '../../../kit/item-grade.tsx'

interface Drawn {
  readonly log_id: string | null
  readonly trace_id: string | null
}

/** What was drawn, in the order in which it has to be graded. */
export function drawnItems(drawn: readonly Drawn[]): readonly GradedItem[] {
  return drawn.flatMap(({ log_id, trace_id }): readonly GradedItem[] => {
    if (log_id !== null) return [{ unit: 'request', log_id }]
    return trace_id === null ? [] : [{ unit: 'trace', trace_id }]
  })
}
