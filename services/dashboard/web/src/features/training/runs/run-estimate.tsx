import type { GrpoEstimate } from '@ratchet/contracts/grpo'
import type { ReactNode } from 'react'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import { duration } from '../../../kit/time.ts'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'

/** What a run takes, by what it pays for. */
export function RunEstimate({ estimate }: { readonly estimate: GrpoEstimate }): ReactNode {
  const { estimated_seconds: seconds, prompts } = estimate
  const about = (usd: number) => moneyText(microOfUsd(usd))
  return (
    <div className={styles.parts}>
      <Figures
        label="What the run takes"
        figures={[
          ['Cost', <strong key="cost">about {about(estimate.total_usd)}</strong>],
          ['Answers', about(estimate.sampling_usd)],
          ['Training', about(estimate.training_usd)],
          ['Judges', about(estimate.judging_usd)],
          ['Guard', `${about(estimate.guard_usd)}, ${count(estimate.looks)} looks`],
          ['Held at the start', about(estimate.hold_usd)],
          ['Prompts', `${count(prompts.train)} to train, ${count(prompts.guard + prompts.proof)} held out`],
          ['Time', seconds === null ? 'not known' : `about ${duration(seconds * 1_000)}`],
        ]}
      />
      {estimate.warnings.map((warning) => (
        <Notice key={warning} state="open">
          {warning}
        </Notice>
      ))}
    </div>
  )
}
