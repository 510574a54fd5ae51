import type { Identity } from '@ratchet/contracts/identity'
import type { GradedList } from '@ratchet/contracts/labels'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { type GradeRollout, isRolloutGrade } from './grade-rollout.ts'

/** Most answers of runs that one request grades: their contents are in the answer. */
const maxRollouts = 50

/**
 * Grades answers of GRPO runs, one after the other. A refused grade does not affect the others. When training cannot be reached,
 * the rest is refused, unless nothing was graded yet.
 *
 * @throws ServiceError `invalid_request` for grades of logged exchanges among them; `service_unavailable`
 */
export async function gradeRollouts(
  gradeRollout: GradeRollout,
  identity: Identity,
  items: readonly unknown[],
): Promise<GradedList> {
  if (!items.every(isRolloutGrade)) {
    throw invalidRequest('labels', 'Answers of runs and logged exchanges cannot be graded in one request.')
  }
  if (items.length > maxRollouts) {
    throw invalidRequest('labels', `A request grades at most ${maxRollouts} answers of runs.`)
  }
  const list: GradedList = { object: 'list', data: [], created: 0, superseded: 0, rejected: [] }
  for (const [index, item] of items.entries()) {
    try {
      const { label, superseded } = await gradeRollout(identity, item)
      list.data.push(label)
      list.created += 1
      if (superseded) list.superseded += 1
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const { code, message, param } = error
      const isGeneral = code === 'service_unavailable'
      if (isGeneral && list.created === 0) throw error
      const refused = isGeneral ? [...items.keys()].slice(index) : [index]
      list.rejected.push(...refused.map((each) => ({ index: each, code, message, param })))
      if (isGeneral) break
    }
  }
  return list
}
