import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'

export interface CriterionQuestion {
  readonly workspaceId: string
  /** As the caller wrote it. */
  readonly id: string
}

/** @throws ServiceError `not_found`, the same for every id, so that it tells nothing about other workspaces */
export async function requireCriterion(
  criteria: Pick<CriterionStore, 'get'>,
  { workspaceId, id }: CriterionQuestion,
): Promise<StoredCriterion> {
  const uuid = uuidOf('criterion', id)
  const found = uuid === null ? null : await criteria.get({ workspaceId, id: uuid })
  if (found !== null) return found
  throw new ServiceError('not_found', 'No criterion has this id.', { param: 'criterion_id' })
}

/** Gives the UUID of the criterion that a grade is for; null for a grade of the exchange as a whole. */
export type FindCriterion = (id: string | null | undefined) => Promise<string | null>

/**
 * Finds criteria for many grades of a workspace, each of them once.
 *
 * @throws ServiceError `not_found`; `unsupported_unit` where whole runs are graded
 */
export function createFindCriterion(criteria: Pick<CriterionStore, 'get'>, workspaceId: string): FindCriterion {
  const asked = new Map<string, Promise<string>>()
  return async (id) => {
    if (id === null || id === undefined) return null
    const found = asked.get(id) ?? gradable(criteria, { workspaceId, id })
    asked.set(id, found)
    return found
  }
}

async function gradable(criteria: Pick<CriterionStore, 'get'>, question: CriterionQuestion): Promise<string> {
  const { id, unit } = await requireCriterion(criteria, question)
  if (unit === 'request') return id
  const message = `${publicId('criterion', id)} is for whole runs, which are graded in the dashboard.`
  throw new ServiceError('unsupported_unit', message, { param: 'criterion_id' })
}
