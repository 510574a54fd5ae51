import { fleetIdentity } from '@ratchet/contracts/identity'
import { aliasProgress } from '@ratchet/contracts/internal-alias'
import { evalProgress } from '@ratchet/contracts/internal-eval'
import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type LoopProgress, nextOfJudging, noProgress } from './setup-status.ts'

/** The services that own grades, judges, evals and aliases. */
export interface ProgressFleet {
  readonly judging: Pick<FleetClient, 'call'>
  readonly eval: Pick<FleetClient, 'call'>
  readonly alias: Pick<FleetClient, 'call'>
}

/**
 * Reads the progress of a workspace after its first traffic. A service is not called when its answer would not change
 * the next step.
 *
 * @throws ServiceError `service_unavailable` when one of them is unavailable, because the next step is unknown then
 */
export async function readProgress(fleet: ProgressFleet, workspaceId: string): Promise<LoopProgress> {
  const identity = { ...fleetIdentity, workspaceId }
  try {
    const judged = await fleet.judging.call(judgingProgress, {}, identity)
    if (nextOfJudging(judged) !== null) return { ...noProgress, ...judged }
    const { evals, samples_needed: evalSamples } = await fleet.eval.call(evalProgress, {}, identity)
    if (evals === 0) return { ...noProgress, ...judged, evalSamples }
    return { ...judged, evals, evalSamples, ...(await fleet.alias.call(aliasProgress, {}, identity)) }
  } catch (cause) {
    if (!(cause instanceof FleetCallError)) throw cause
    const message = 'Grades, judges, evals and aliases cannot be counted at the moment.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  }
}
