import type { PutAlias } from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { type GateJudge, whyNotTrusted } from '../gate/gate-judge.ts'
import { isMirrored, isSplit } from './alias.ts'
import type { FindJudge } from './find-judge.ts'

interface JudgeQuestion {
  readonly identity: Identity
  readonly requested: PutAlias
}

const param = 'gate_criterion_id'

/**
 * The judge that an alias names; null for none, and for one that cannot be asked about where nothing is split: the way
 * back depends on no judge.
 *
 * @throws ServiceError when there is no such judge, or none that could watch; `precondition_failed` where the gate is to
 *   act by itself on a judge that is not proven
 */
export async function requireJudge(
  findJudge: FindJudge,
  { identity, requested }: JudgeQuestion,
): Promise<GateJudge | null> {
  const { gate_criterion_id: id, gate_mode: mode } = requested
  if (id === null) return null
  const isIdle = !isSplit(requested) && !isMirrored(requested)
  const found = await findJudge(identity, id).catch((error: unknown) => (isIdle ? 'away' : rethrow(error)))
  if (typeof found === 'string') return null
  if (found === null) throw new ServiceError('not_found', 'There is no such criterion.', { param })
  if (found.unit !== 'request') {
    throw new ServiceError('unsupported_unit', 'A gate judges single exchanges; this criterion judges whole runs.', {
      param,
    })
  }
  if (isIdle) return found.judge
  if (found.judge.isRetired) throw new ServiceError('invalid_request', 'The criterion is retired.', { param })
  if (mode === 'auto' && isSplit(requested)) refuseUnproven(found.judge)
  return found.judge
}

function refuseUnproven(judge: GateJudge): void {
  const why = whyNotTrusted(judge)
  if (why === null) return
  const details = {
    missing: [{ requirement: 'trustworthy_judge', detail: `A gate in mode auto acts by itself: ${why}.` }],
  }
  throw new ServiceError('precondition_failed', `A gate in mode auto needs a trustworthy judge: ${why}.`, { details })
}

function rethrow(error: unknown): never {
  if (!(error instanceof FleetCallError) || !error.mayPass) throw error
  throw new ServiceError('service_unavailable', 'Judges cannot be read at the moment.', {
    retryAfterSeconds: 1,
    cause: error,
  })
}
