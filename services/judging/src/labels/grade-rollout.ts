import type { Identity } from '@ratchet/contracts/identity'
import { gradeRollout as gradeRolloutEndpoint } from '@ratchet/contracts/internal-grpo'
import { type GradedList, GradeItems, type Label, RolloutGrade } from '@ratchet/contracts/labels'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { asServiceError, invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { verdictOf } from './verdict-of.ts'

/** Grades an answer of a GRPO run or RAFT round. The training service keeps it, so that it never calibrates a judge. */
export type GradeRollout = (identity: Identity, grade: unknown) => Promise<GradedRollout>

export interface GradedRollout {
  readonly label: Label
  /** Whether the grader had graded it before. */
  readonly superseded: boolean
}

/** Most answers that one request grades. */
const maxRollouts = 100

/** Whether a body grades answers of a run or round instead of logged exchanges; one of a list decides for all. */
export function gradesRollouts(body: unknown): boolean {
  return itemsOf(body)?.some(isRolloutGrade) ?? isRolloutGrade(body)
}

function isRolloutGrade(item: unknown): boolean {
  return typeof item === 'object' && item !== null && Object.hasOwn(item, 'rollout_id')
}

function itemsOf(body: unknown): readonly unknown[] | null {
  if (typeof body !== 'object' || body === null || !('labels' in body)) return null
  return Array.isArray(body.labels) ? body.labels : null
}

/**
 * Grades one answer, or each of a list. In a list, a refused grade has no effect on the others.
 *
 * @throws ServiceError for a single grade that is refused, and for a list of which every grade is
 */
export async function gradeRollouts(
  gradeRollout: GradeRollout,
  identity: Identity,
  body: unknown,
): Promise<Label | GradedList> {
  if (itemsOf(body) === null) return (await gradeRollout(identity, body)).label
  const { labels } = parseInput(GradeItems, body)
  if (labels.length > maxRollouts) {
    throw invalidRequest('labels', `At most ${maxRollouts} answers of runs or rounds are graded at once.`)
  }
  const graded: GradedRollout[] = []
  const refused: { readonly index: number; readonly error: ServiceError }[] = []
  for (const [index, item] of labels.entries()) {
    try {
      graded.push(await gradeRollout(identity, item))
    } catch (thrown) {
      refused.push({ index, error: asServiceError(thrown) })
    }
  }
  if (graded.length === 0 && refused[0] !== undefined) throw refused[0].error
  return {
    object: 'list',
    data: graded.map(({ label }) => label),
    created: graded.length,
    superseded: graded.filter(({ superseded }) => superseded).length,
    rejected: refused.map(({ index, error: { code, message, param } }) => ({ index, code, message, param })),
  }
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
      if (error.status === 404) throw notFound('answer of an audit', 'rollout_id')
      if (!error.mayPass) throw error
      const message = 'The answer cannot be graded at the moment. Retry.'
      throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
    }
  }
}
