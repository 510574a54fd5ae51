import { fleetIdentity } from '@ratchet/contracts/identity'
import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { type LoopProgress, noProgress } from '../domain/setup-status.ts'

/**
 * How far a workspace is beyond its traffic, as the services that own those things tell it.
 *
 * @throws ServiceError `service_unavailable` when one of them is away: nobody knows then what comes next
 */
export async function readProgress(judging: Pick<FleetClient, 'call'>, workspaceId: string): Promise<LoopProgress> {
  try {
    const told = await judging.call(judgingProgress, {}, { ...fleetIdentity, workspaceId })
    return { ...noProgress, ...told }
  } catch (cause) {
    if (!(cause instanceof FleetCallError)) throw cause
    const message = 'Grades and judges cannot be counted at the moment.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  }
}
