import type { GrpoRun } from '@ratchet/contracts/grpo'
import type { ReactNode } from 'react'
import { addMoney, billText, microOfUsd, moneyText, nanoOfUsd } from '../../../kit/money.ts'
import { Card } from '../../../kit/page.tsx'
import { CostBar } from '../../../pictures/cost-bar.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'

/** What a run has cost, by what it paid for, against its hold, its estimate and its maximum. */
export function MoneyPart({ run }: { readonly run: GrpoRun }): ReactNode {
  const training = nanoOfUsd(run.cost_usd)
  const judges = nanoOfUsd(run.judge_cost_usd)
  const charged = addMoney([microOfUsd(run.cost_usd), microOfUsd(run.judge_cost_usd)])
  const held = microOfUsd(run.held_usd)
  const estimate = microOfUsd(run.estimated_cost_usd)
  const maximum = microOfUsd(run.max_cost_usd)
  return (
    <Card title="Cost">
      <div className={styles.parts}>
        <CostBar charged={charged} held={held} estimate={estimate} maximum={maximum} />
        <Figures
          label="Cost of the run"
          figures={[
            ['Charged', <strong key="charged">{billText(addMoney([training, judges]))}</strong>],
            ['For training', billText(training)],
            ['For judges', billText(judges)],
            ['Held', moneyText(held)],
            ['Estimate', moneyText(estimate)],
            ['At most', moneyText(maximum)],
          ]}
        />
        <p className="dimmed">
          Steps until the last checkpoint are charged, and judges as they are called. What is held and not used is
          released.
        </p>
      </div>
    </Card>
  )
}
