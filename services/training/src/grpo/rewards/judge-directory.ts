import type { Identity } from '@ratchet/contracts/identity'
import { gateJudge } from '@ratchet/contracts/internal-judging'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { FrozenJudge } from '../runs/run-settings.ts'

/** A judge as judging reads it now. */
export interface FoundJudge extends Omit<FrozenJudge, 'role'> {
  readonly unit: 'request' | 'trace'
  readonly isRetired: boolean
  /** Whether it is proven, so that a reward may act on it. */
  readonly canAct: boolean
  readonly failGradesNeeded: number | null
  readonly passGradesNeeded: number | null
  /** US dollars; null when it is not known. */
  readonly verdictUsd: number | null
}

export interface JudgeDirectory {
  /**
   * @param criterionId UUID
   * @returns null for a judge that does not exist
   * @throws ServiceError `service_unavailable`
   */
  find(identity: Identity, criterionId: string): Promise<FoundJudge | null>
}

/** The judges of the service judging. */
export function createJudgeDirectory(judging: Pick<FleetClient, 'call'>): JudgeDirectory {
  return {
    async find(identity, criterionId) {
      try {
        const params = { id: publicId('criterion', criterionId) }
        const { criterion, instrument, verdict_cost: cost } = await judging.call(gateJudge, { params }, identity)
        return {
          criterionId,
          judgeModel: criterion.judge_model,
          prompt: criterion.judge_prompt,
          checks: criterion.checks,
          instrument,
          unit: criterion.unit,
          isRetired: criterion.status === 'retired',
          trust: criterion.trust,
          canAct: criterion.can_act && criterion.status === 'draft',
          tpr: criterion.tpr,
          tnr: criterion.tnr,
          tprCi: criterion.tpr_ci,
          tnrCi: criterion.tnr_ci,
          failGradesNeeded: criterion.act_fail_grades_needed ?? criterion.fail_grades_needed,
          passGradesNeeded: criterion.act_pass_grades_needed ?? criterion.pass_grades_needed,
          verdictUsd: cost?.usd ?? null,
        }
      } catch (error) {
        if (!(error instanceof FleetCallError)) throw error
        if (error.status === 404) return null
        if (!error.mayPass) throw error
        const message = 'Judges cannot be read at the moment. Retry.'
        throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
      }
    },
  }
}

/**
 * A judge of single exchanges.
 *
 * @param param the field with its public id
 * @throws ServiceError `not_found` or `unsupported_unit`
 */
export async function requireJudge(
  judges: JudgeDirectory,
  { identity, id, param }: { readonly identity: Identity; readonly id: string; readonly param: string },
): Promise<FoundJudge> {
  const uuid = uuidOf('criterion', id)
  const judge = uuid === null ? null : await judges.find(identity, uuid)
  if (judge === null) throw notFound('criterion', param)
  if (judge.unit === 'request') return judge
  const message = 'This judge judges whole runs. Name a judge of single exchanges.'
  throw new ServiceError('unsupported_unit', message, { param })
}

/** @throws ServiceError `criterion_not_trustworthy` */
export function requireProven(judge: FoundJudge, param: string): void {
  if (judge.canAct) return
  const { criterionId, trust, failGradesNeeded, passGradesNeeded } = judge
  const message = 'This judge is not proven, so it may reward nothing. Grade more answers and calibrate it.'
  throw new ServiceError('criterion_not_trustworthy', message, {
    param,
    details: {
      criterion_id: publicId('criterion', criterionId),
      trust,
      fail_grades_needed: failGradesNeeded,
      pass_grades_needed: passGradesNeeded,
    },
  })
}

/** A judge as what is created now keeps it. */
export function freezeJudge(judge: FoundJudge, role: FrozenJudge['role']): FrozenJudge {
  const { criterionId, judgeModel, prompt, checks = null, instrument, trust, tpr, tnr, tprCi, tnrCi } = judge
  return { role, criterionId, judgeModel, prompt, checks, instrument, trust, tpr, tnr, tprCi, tnrCi }
}

/** Whether a judge still is what the run began with, and proven. */
export function isStillProven(frozen: FrozenJudge, now: FoundJudge | null): boolean {
  return now?.canAct === true && now.instrument === frozen.instrument
}
