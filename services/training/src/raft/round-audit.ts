import type { AuditCount, AuditedAnswer, GradeStore } from '../audits/audited-answer.ts'
import { falsePassBound } from '../audits/false-pass-bound.ts'
import type { Round, RoundKey } from './round.ts'

/** Answers of a round that people are given to grade; fewer when it trained on fewer. */
export const auditSample = 30
/** Largest upper bound of the share of false passes. With 30 grades, at most 2 may fail. */
const maxFalsePass = 0.2
/** Rounds of a chain between which people grade what it was trained on. */
const roundsPerAudit = 3

/** Answers that rounds trained on, as people grade them. */
export interface RoundAudits extends GradeStore {
  /** At most so many, of different prompts where there are enough. Their order says nothing about them. */
  answers(round: RoundKey, of: { readonly limit: number; readonly grader: string }): Promise<readonly AuditedAnswer[]>
  /** What people found in these rounds of a workspace, by round. A round without grades is missing. */
  found(workspaceId: string, roundIds: readonly string[]): Promise<ReadonlyMap<string, AuditCount>>
}

/** Whether people graded enough of what a round trained on, and found the judges right about it. */
function isAudited(count: AuditCount | undefined): boolean {
  if (count === undefined || count.graded < auditSample) return false
  const bound = falsePassBound(count.falsePass, count.graded)
  return bound !== null && bound <= maxFalsePass
}

/**
 * The rounds at the end of a chain since people last found its judges right about the chain's own answers, if they are too many to
 * go on: judges were calibrated on other text.
 *
 * @param done rounds of the chain that are done, the first one first
 * @returns their number; null when the chain may go on
 */
export function roundsWithoutAudit(
  done: readonly Pick<Round, 'id'>[],
  found: ReadonlyMap<string, AuditCount>,
): number | null {
  const since = done.length - 1 - done.findLastIndex(({ id }) => isAudited(found.get(id)))
  return since < roundsPerAudit ? null : since
}
