import type { GrpoAudit } from '@ratchet/contracts/grpo-progress'

type Answers = readonly Pick<GrpoAudit['data'][number], 'rollout_id' | 'grade'>[]

/** The place of the first answer without a grade, from 1; 1 when all have one. */
export function firstUngraded(answers: Answers): number {
  return answers.findIndex(({ grade }) => grade === null) + 1 || 1
}

/** Where to go after an answer was graded: the next one without a grade, from the beginning again, else it stays. */
export function nextUngraded(answers: Answers, gradedId: string): number {
  const place = answers.findIndex(({ rollout_id: id }) => id === gradedId)
  const isOpen = ({ rollout_id: id, grade }: Answers[number]) => grade === null && id !== gradedId
  const later = answers.findIndex((answer, index) => index > place && isOpen(answer))
  return (later === -1 ? answers.findIndex(isOpen) : later) + 1 || place + 1
}
