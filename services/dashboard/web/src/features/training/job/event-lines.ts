import type { FineTuningEvent } from '@ratchet/contracts/fine-tuning-progress'

/** The events of a log in the order in which they happened; those that only report figures are left out unless asked for. */
export function eventLines(newestFirst: readonly FineTuningEvent[], withFigures: boolean): readonly FineTuningEvent[] {
  return newestFirst.filter(({ type }) => withFigures || type !== 'metrics').toReversed()
}
