import type { CurationSummary } from '@ratchet/contracts/datasets'
import type { ReactNode } from 'react'
import { count, percent, rate } from '../../../kit/numbers.ts'
import { Notice } from '../../../kit/states/notice.tsx'

/** How much the held out examples resemble training. */
export function Leakage({ leakage }: Pick<CurationSummary, 'leakage'>): ReactNode {
  if (leakage === null) return <Notice state="none">Nothing is held out, so nothing can leak.</Notice>
  const { share, share_ci: ci, compared, nearest } = leakage
  return (
    <Notice state={share === 0 ? 'proven' : 'borderline'}>
      {share === 0
        ? 'No held out prompt is like a training prompt'
        : `${percent(share)} of the held out prompts are like training`}
      ; the nearest has a likeness of {rate(nearest)}, and 0.8 counts as like.
      {ci !== null && ` This is a sample of ${count(compared)} of them: of all, it is at most ${percent(ci[1])}.`}
    </Notice>
  )
}
