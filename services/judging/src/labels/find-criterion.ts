import { publicId } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CriterionStore } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'

/** Gives the UUID of the criterion of a grade; null for a grade of the exchange as a whole. */
export type FindCriterion = (id: string | null | undefined) => Promise<string | null>

/**
 * Finds the criteria of many grades of a workspace; reads each criterion once.
 *
 * @throws ServiceError `not_found`; `unsupported_unit` for a criterion of whole runs
 */
export function createFindCriterion(criteria: Pick<CriterionStore, 'get'>, workspaceId: string): FindCriterion {
  const found = new Map<string, Promise<string>>()
  return async (id) => {
    if (id === null || id === undefined) return null
    const criterionId = found.get(id) ?? findGradable(criteria, workspaceId, id)
    found.set(id, criterionId)
    return criterionId
  }
}

async function findGradable(
  criteria: Pick<CriterionStore, 'get'>,
  workspaceId: string,
  criterionId: string,
): Promise<string> {
  const { id, unit } = await requireCriterion(criteria, { workspaceId }, criterionId, 'criterion_id')
  if (unit === 'request') return id
  const message = `${publicId('criterion', id)} is for whole runs, which are graded in the dashboard.`
  throw new ServiceError('unsupported_unit', message, { param: 'criterion_id' })
}
