import type { Identity } from '@ratchet/contracts/identity'
import { gradeRollout as gradeRolloutEndpoint } from '@ratchet/contracts/internal-grpo'
import { type Label, RolloutGrade } from '@ratchet/contracts/labels'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { verdictOf } from './verdict-of.ts'

export interface RolloutGraded {
  readonly label: Label
  /** Whether the grader had graded the answer before. */
  readonly superseded: boolean
}

/** Grades an answer of a GRPO run. The training service keeps it, so that it never calibrates a judge. */
export type GradeRollout = (identity: Identity, body: unknown) => Promise<RolloutGraded>

/** Whether a body grades an answer of a run instead of a logged exchange. */
export function isRolloutGrade(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'rollout_id')
}

export function createGradeRollout(training: Pick<FleetClient, 'call'>): GradeRollout {
  return async (identity, body) => {
    const grade = parseInput(RolloutGrade, body)
    const { rollout_id, rationale = null, grader } = grade
    const sent = { rollout_id, verdict: verdictOf(grade), rationale, grader: grader ?? identity.userId }
    try {
      return await training.call(gradeRolloutEndpoint, { body: sent }, identity)
    } catch (error) {
      if (!(error instanceof FleetCallError)) throw error
      if (error.status === 404) throw notFound('answer of a look', 'rollout_id')
      if (!error.mayPass) throw error
      const message = 'The answer cannot be graded at the moment. Retry.'
      throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
    }
  }
}
