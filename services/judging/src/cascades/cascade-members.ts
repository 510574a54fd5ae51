import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import type { FrozenMember, StoredCascade } from './cascade.ts'

/** The judges of a cascade, the cheapest first. Null when one was deleted. */
export async function readMembers(
  criteria: Pick<CriterionStore, 'get'>,
  { workspaceId, members }: Pick<StoredCascade, 'workspaceId' | 'members'>,
): Promise<readonly StoredCriterion[] | null> {
  const found = await Promise.all(members.map(({ criterionId: id }) => criteria.get({ workspaceId, id })))
  const known = found.filter((criterion) => criterion !== null)
  return known.length === found.length ? known : null
}

export function freezeMembers(
  { members }: Pick<StoredCascade, 'members'>,
  criteria: readonly StoredCriterion[],
): readonly FrozenMember[] {
  return members.map((member, index) => ({ ...member, instrument: criteria[index]?.instrument ?? 0 }))
}

/** Why a calibration with these judges promises nothing now; null when it still holds. */
export function whyVoid(members: readonly FrozenMember[], criteria: readonly StoredCriterion[] | null): string | null {
  if (criteria === null) return 'A judge of the cascade was deleted.'
  const changed = criteria.find(({ instrument }, index) => members[index]?.instrument !== instrument)
  return changed === undefined ? null : `The prompt, model or population of ${changed.name} changed.`
}
