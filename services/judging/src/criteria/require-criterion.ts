import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { CriterionStore, StoredCriterion } from './criterion.ts'

/**
 * The judge that an id of the caller's workspace stands for.
 *
 * @throws ServiceError the same for every other id, so that it tells nothing about other workspaces
 */
export async function requireCriterion(
  criteria: Pick<CriterionStore, 'get'>,
  { workspaceId }: Identity,
  criterionId: string,
): Promise<StoredCriterion> {
  const id = uuidOf('criterion', criterionId)
  const found = id === null ? null : await criteria.get({ workspaceId, id })
  if (found === null) throw criterionNotFound()
  return found
}

export function criterionNotFound(): ServiceError {
  return new ServiceError('not_found', 'No criterion has this id.', { param: 'id' })
}
