import type { RewardAudit } from '@ratchet/contracts/model-versions'
import { publicId } from '@ratchet/contracts/public-id'
import type { AuditCount, AuditedAnswer } from './audited-answer.ts'
import { falsePassBound } from './false-pass-bound.ts'

/** Answers that people should grade, with what was found so far, as the API shows them. */
export function auditReply({ graded, falsePass }: AuditCount, answers: readonly AuditedAnswer[]) {
  return {
    object: 'list' as const,
    graded,
    false_pass: falsePass,
    upper: falsePassBound(falsePass, graded),
    data: answers.map(({ id, prompt, completion, grade }) => ({
      rollout_id: publicId('rollout', id),
      messages: [...prompt.messages],
      completion: [...completion],
      grade,
    })),
  }
}

/** Null before anything is graded. */
export function auditFacts({ graded, falsePass }: AuditCount): RewardAudit | null {
  const upper = falsePassBound(falsePass, graded)
  return graded === 0 || upper === null ? null : { graded, false_pass: falsePass, upper }
}
