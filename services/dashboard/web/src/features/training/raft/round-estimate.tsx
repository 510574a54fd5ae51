import type { RaftEstimate } from '@ratchet/contracts/session-raft'
import type { ReactNode } from 'react'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'

/** What a round takes, by what it pays for. */
export function RoundEstimate({ estimate }: { readonly estimate: RaftEstimate }): ReactNode {
  const about = (usd: number) => moneyText(microOfUsd(usd))
  return (
    <div className={styles.parts}>
      <Figures
        label="What the round takes"
        figures={[
          ['Cost', <strong key="cost">about {about(estimate.total_usd)}</strong>],
          ['Answers', about(estimate.sampling_usd)],
          ['Judges', about(estimate.judging_usd)],
          ['Training', `at most ${about(estimate.training_usd)}`],
          ['Prompts', `${count(estimate.prompts)} to answer, ${count(estimate.held_out)} held out`],
          ['Answers by', estimate.start_model],
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
