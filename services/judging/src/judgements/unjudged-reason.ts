import type { DoneJudgement } from './judgement.ts'

/** Why no judgement has a verdict; null when one has, or when there was nothing to judge. */
export function unjudgedReason(judgements: readonly DoneJudgement[], lost: number): string | null {
  const total = judgements.length + lost
  if (total === 0 || judgements.some(({ verdict }) => verdict !== null)) return null
  const reported = judgements.find(({ failure }) => failure !== 'gone') ?? judgements[0]
  const why = reported?.explanation ?? null
  return `The judge gave no verdict on any of ${total} exchanges${why === null ? '.' : `: ${why}`}`
}
