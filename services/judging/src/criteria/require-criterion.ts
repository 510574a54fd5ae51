import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound, type ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CriterionStore, StoredCriterion } from './criterion.ts'

/**
 * Finds a judge of the caller's workspace.
 *
 * @param param the field that has the id
 * @throws ServiceError `not_found`, the same for unknown ids and for ids of other workspaces
 */
export async function requireCriterion(
  criteria: Pick<CriterionStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  criterionId: string,
  param = 'id',
): Promise<StoredCriterion> {
  const id = uuidOf('criterion', criterionId)
  const found = id === null ? null : await criteria.get({ workspaceId, id })
  if (found === null) throw criterionNotFound(param)
  return found
}

export function criterionNotFound(param = 'id'): ServiceError {
  return notFound('criterion', param)
}
