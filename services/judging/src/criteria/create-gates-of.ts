import type { Identity } from '@ratchet/contracts/identity'
import { aliasesOfCriterion } from '@ratchet/contracts/internal-alias'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * Names of aliases whose gates use a judge, by its UUID; at most ten.
 *
 * @throws ServiceError `service_unavailable` while the alias service does not answer
 */
export type GatesOf = (identity: Identity, criterionId: string) => Promise<readonly string[]>

export function createGatesOf(alias: Pick<FleetClient, 'call'>): GatesOf {
  return async (identity, criterionId) => {
    const query = { criterion_id: publicId('criterion', criterionId) }
    try {
      return (await alias.call(aliasesOfCriterion, { query }, identity)).aliases
    } catch (cause) {
      if (!(cause instanceof FleetCallError)) throw cause
      throw new ServiceError('service_unavailable', 'Could not check whether a gate uses this judge. Retry.', {
        retryAfterSeconds: 1,
        cause,
      })
    }
  }
}
