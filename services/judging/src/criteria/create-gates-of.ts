import type { Identity } from '@ratchet/contracts/identity'
import { aliasesOfCriterion } from '@ratchet/contracts/internal-alias'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'

/**
 * Names of aliases whose gates rely on a judge, by its UUID; ten at most.
 *
 * @throws ServiceError while nobody can tell
 */
export type GatesOf = (identity: Identity, criterionId: string) => Promise<readonly string[]>

/** Asks the alias service. */
export function createGatesOf(alias: Pick<FleetClient, 'call'>): GatesOf {
  return async (identity, criterionId) => {
    const query = { criterion_id: publicId('criterion', criterionId) }
    try {
      return (await alias.call(aliasesOfCriterion, { query }, identity)).aliases
    } catch (cause) {
      if (!(cause instanceof FleetCallError)) throw cause
      throw new ServiceError('service_unavailable', 'It cannot be told now whether a gate relies on this judge.', {
        retryAfterSeconds: 1,
        cause,
      })
    }
  }
}
