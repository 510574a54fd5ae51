import type { Identity } from '@ratchet/contracts/identity'
import { criterionRuns } from '@ratchet/contracts/internal-grpo'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * Names of the unfinished GRPO runs that a judge rewards.
 *
 * @throws ServiceError `service_unavailable` while training does not answer
 */
export type RunsOf = (identity: Identity, criterionId: string) => Promise<readonly string[]>

export function createRunsOf(training: Pick<FleetClient, 'call'>): RunsOf {
  return async (identity, criterionId) => {
    try {
      const query = { criterion_id: publicId('criterion', criterionId) }
      return (await training.call(criterionRuns, { query }, identity)).runs
    } catch (error) {
      if (!(error instanceof FleetCallError) || !error.mayPass) throw error
      const message = 'Whether training uses this criterion is not known at the moment. Retry.'
      throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
    }
  }
}
