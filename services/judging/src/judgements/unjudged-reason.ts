import type { DoneJudgement } from './judgement.ts'

/** Why nothing at all was judged; null where something was, or there was nothing to judge. */
export function unjudgedReason(judgements: readonly DoneJudgement[], lost: number): string | null {
  const total = judgements.length + lost
  if (total === 0 || judgements.some(({ verdict }) => verdict !== null)) return null
  const reported = judgements.find(({ failure }) => failure !== 'gone') ?? judgements[0]
  const why = reported?.explanation ?? null
  return `The judge gave no verdict on any of ${total} exchanges${why === null ? '.' : `: ${why}`}`
}
