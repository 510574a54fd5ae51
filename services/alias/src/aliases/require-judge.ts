import type { AliasSettings, PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { gateJudge } from '@ratchet/contracts/internal-judging'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { type GateJudge, gateJudgeOf, reasonForDistrust } from '../gate/gate-judge.ts'
import { judgesRuns } from '../gate/run-rules.ts'
import { isMirrored, isSplit } from './alias.ts'

/** Reads the current judge of a criterion; null when the workspace has none of this id. @throws FleetCallError */
export type FindJudge = (identity: Identity, criterionId: string) => Promise<GateJudge | null>

export function createFindJudge(judging: Pick<FleetClient, 'call'>): FindJudge {
  return async (identity, criterionId) => {
    try {
      const found = await judging.call(gateJudge, { params: { id: criterionId } }, identity)
      const { criterion, instrument, over_cap: isOverCap, verdict_cost: verdictCost } = found
      return gateJudgeOf(criterion, { instrument, isOverCap, verdictCost })
    } catch (error) {
      // An older process of judging does not know the route and answers 404 too, with another code.
      if (error instanceof FleetCallError && error.status === 404 && error.code === 'not_found') return null
      throw error
    }
  }
}

/** @throws ServiceError `service_unavailable` while judges cannot be read */
export function readJudge(findJudge: FindJudge, identity: Identity, id: string): Promise<GateJudge | null> {
  return findJudge(identity, id).catch(rethrow)
}

const param = 'gate_criterion_id'

/**
 * Checks the judge that an alias names. Without a split and a mirror an unavailable judge is no error, so that a rollback
 * depends on no judge.
 *
 * @returns null without a criterion, and when an unavailable judge is no error
 * @throws ServiceError when the criterion does not exist, or judges runs and the alias does not keep them together;
 *   `precondition_failed` when a gate of mode `auto` would rely on a judge that is not trustworthy
 */
export async function requireJudge(
  findJudge: FindJudge,
  { identity, requested }: { readonly identity: Identity; readonly requested: PutAlias },
): Promise<GateJudge | null> {
  const { gate_criterion_id: id, gate_mode: mode } = requested
  if (id === null) return null
  const isIdle = !isSplit(requested) && !isMirrored(requested)
  const found = await findJudge(identity, id).catch((error: unknown): 'unavailable' =>
    isIdle ? 'unavailable' : rethrow(error),
  )
  if (found === 'unavailable') return null
  if (found === null) throw notFound('criterion', param)
  if (judgesRuns(found)) requireRunsTogether(requested)
  if (isIdle) return found
  if (found.isRetired) throw new ServiceError('invalid_request', 'The criterion is retired.', { param })
  if (mode === 'auto' && isSplit(requested)) refuseDistrusted(found)
  return found
}

/** A run belongs to an arm only when the split is by trace. A shadow answers single requests, which are no runs. */
function requireRunsTogether({ sticky_by: stickyBy, shadow_model: shadow }: PutAlias): void {
  if (stickyBy !== 'trace') {
    const message =
      'This criterion judges complete runs, so all requests of a run need the same arm: set sticky_by: trace.'
    throw new ServiceError('unsupported_unit', message, { param: 'sticky_by' })
  }
  if (shadow === null) return
  const message = 'This criterion judges complete runs. A shadow answers single requests, which it cannot judge.'
  throw new ServiceError('unsupported_unit', message, { param: 'shadow_model' })
}

/**
 * A rule for a prompt family takes single requests out of the split. Steps of one run may be of several families, so a run
 * would have the models of two arms.
 *
 * @throws ServiceError `unsupported_unit` for a judge of runs and an alias with such rules
 */
export function refuseRulesForRuns(
  judge: GateJudge | null,
  { family_rules: rules }: Pick<AliasSettings, 'family_rules'>,
) {
  if (!judgesRuns(judge) || rules.every(({ model }) => model === null)) return
  const message =
    'This criterion judges complete runs, and rules for prompt families would divide them: send `family_rules: []`.'
  throw new ServiceError('unsupported_unit', message, { param: 'family_rules' })
}

function refuseDistrusted(judge: GateJudge): void {
  const reason = reasonForDistrust(judge)
  if (reason === null) return
  const detail = `A gate in mode auto promotes and rolls back by itself: ${reason}.`
  throw new ServiceError('precondition_failed', `A gate in mode auto requires a trustworthy judge: ${reason}.`, {
    details: { missing: [{ requirement: 'trustworthy_judge', detail }] },
  })
}

function rethrow(cause: unknown): never {
  if (!(cause instanceof FleetCallError) || !cause.mayPass) throw cause
  const message = 'Judges cannot be read at the moment.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
