import { fleetIdentity } from '@ratchet/contracts/identity'
import { aliasProgress } from '@ratchet/contracts/internal-alias'
import { evalProgress } from '@ratchet/contracts/internal-eval'
import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { type LoopProgress, nextOfJudging, noProgress } from '../domain/setup-status.ts'

/** Who is asked. */
export interface ProgressFleet {
  readonly judging: Pick<FleetClient, 'call'>
  readonly eval: Pick<FleetClient, 'call'>
  readonly alias: Pick<FleetClient, 'call'>
}

/**
 * How far a workspace is beyond its traffic, as the services that own those things tell it. Nobody is asked whose answer
 * would change nothing.
 *
 * @throws ServiceError `service_unavailable` when one of them is away: nobody knows then what comes next
 */
export async function readProgress(fleet: ProgressFleet, workspaceId: string): Promise<LoopProgress> {
  const identity = { ...fleetIdentity, workspaceId }
  try {
    const judged = await fleet.judging.call(judgingProgress, {}, identity)
    if (nextOfJudging(judged) !== null) return { ...noProgress, ...judged }
    const { evals } = await fleet.eval.call(evalProgress, {}, identity)
    if (evals === 0) return { ...noProgress, ...judged }
    return { ...judged, evals, ...(await fleet.alias.call(aliasProgress, {}, identity)) }
  } catch (cause) {
    if (!(cause instanceof FleetCallError)) throw cause
    const message = 'Grades, judges, evals and aliases cannot be counted at the moment.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  }
}
