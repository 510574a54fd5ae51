import type { ErrorCode } from '@ratchet/contracts/errors'
import type { GradeOutcome } from './add-grades.ts'
import type { StoredLabel } from './label.ts'
import type { LabelStore } from './label-store.ts'

/** What stands in the way of every grade alike. */
const general: ReadonlySet<ErrorCode> = new Set(['logging_disabled', 'service_unavailable'])

/**
 * The grades that were created, in their order.
 *
 * @throws ServiceError where nothing was created for a reason that is none of the grades' own
 */
export async function keptLabels(
  store: Pick<LabelStore, 'several'>,
  workspaceId: string,
  outcomes: readonly GradeOutcome[],
): Promise<readonly StoredLabel[]> {
  const ids = outcomes.flatMap((outcome) => (outcome.kind === 'created' ? [outcome.id] : []))
  if (ids.length === 0) refuseAll(outcomes)
  const kept = new Map((await store.several(workspaceId, ids)).map((label) => [label.id, label]))
  return ids.flatMap((id) => kept.get(id) ?? [])
}

function refuseAll(outcomes: readonly GradeOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome.kind === 'refused' && general.has(outcome.error.code)) throw outcome.error
  }
}
