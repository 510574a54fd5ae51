import type { Identity } from '@ratchet/contracts/identity'
import { gateJudge } from '@ratchet/contracts/internal-judging'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'

export interface JudgePlace {
  /** The field that names the judge. */
  readonly param: string
  /** Whether something acts on its verdicts without a person. */
  readonly mustAct: boolean
}

/**
 * Checks a judge of whole calls by its public id.
 *
 * @throws ServiceError `not_found`; `unsupported_unit` for a judge of single answers; `precondition_failed` when it must act and may
 *   not; `service_unavailable` while judges cannot be read
 */
export type RequireCallJudge = (identity: Identity, criterionId: string, place: JudgePlace) => Promise<void>

export function createRequireCallJudge(judging: Pick<FleetClient, 'call'>): RequireCallJudge {
  return async ({ workspaceId, userId }, id, { param, mustAct }) => {
    const { criterion } = await judging
      .call(gateJudge, { params: { id } }, workerIdentity(workspaceId, userId))
      .catch((error: unknown) => rethrow(error, param))
    if (criterion.unit !== 'trace') {
      throw new ServiceError('unsupported_unit', 'This criterion judges single answers, not whole calls.', { param })
    }
    if (criterion.status === 'retired') throw invalidRequest(param, 'The criterion is retired.')
    if (mustAct && (criterion.trust !== 'trustworthy' || !criterion.can_act)) {
      const reason = criterion.cannot_act_reason ?? `it is ${criterion.trust}, not trustworthy`
      throw new ServiceError('precondition_failed', `A gate in mode auto requires a judge that may act: ${reason}.`, {
        param,
      })
    }
  }
}

function rethrow(cause: unknown, param: string): never {
  if (!(cause instanceof FleetCallError)) throw cause
  if (cause.status === 404) throw notFound('criterion', param)
  const message = 'Judges cannot be read at the moment.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
