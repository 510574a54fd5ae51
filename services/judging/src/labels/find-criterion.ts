import { publicId } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'

/** Gives the UUID of the criterion of a grade; null for a grade of the exchange as a whole. */
export type FindCriterion = (id: string | null | undefined) => Promise<string | null>

/**
 * Finds the criteria of many grades of a workspace; reads each criterion once.
 *
 * @param unit what is graded
 * @throws ServiceError `not_found`; `unsupported_unit` for a criterion of the other unit
 */
export function createFindCriterion(
  criteria: Pick<CriterionStore, 'get'>,
  workspaceId: string,
  unit: StoredCriterion['unit'] = 'request',
): FindCriterion {
  const found = new Map<string, Promise<string>>()
  return async (id) => {
    if (id === null || id === undefined) return null
    const criterionId = found.get(id) ?? findGradable(criteria, { workspaceId, unit }, id)
    found.set(id, criterionId)
    return criterionId
  }
}

const otherUnits = {
  request: 'is for single exchanges',
  trace: 'is for whole runs, which are graded in the dashboard',
} as const

async function findGradable(
  criteria: Pick<CriterionStore, 'get'>,
  { workspaceId, unit }: Pick<StoredCriterion, 'workspaceId' | 'unit'>,
  criterionId: string,
): Promise<string> {
  const found = await requireCriterion(criteria, { workspaceId }, criterionId, 'criterion_id')
  if (found.unit === unit) return found.id
  const message = `${publicId('criterion', found.id)} ${otherUnits[found.unit]}.`
  throw new ServiceError('unsupported_unit', message, { param: 'criterion_id' })
}
