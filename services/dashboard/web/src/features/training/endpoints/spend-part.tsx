import type { DedicatedEndpoint } from '@ratchet/contracts/dedicated'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'
import { usdText } from './endpoint-words.ts'

/** What it has cost, what is held for it, and what limits it. */
export function SpendPart({ endpoint }: { readonly endpoint: DedicatedEndpoint }): ReactNode {
  const { spend, held_usd: held, price_usd_per_hour: price, max_hourly_cost_usd: most } = endpoint
  return (
    <Card title="Cost">
      <div className={styles.parts}>
        <Figures
          label="Cost of the endpoint"
          figures={[
            ['Last hour', <strong key="hour">{usdText(spend.hour_usd)}</strong>],
            ['Last day', usdText(spend.day_usd)],
            ['In all', usdText(spend.total_usd)],
            ['Held', usdText(held)],
            ['An hour of a replica', usdText(price)],
            ['An hour costs at most', most === null ? 'what the wallet covers' : usdText(most)],
          ]}
        />
        <p className="dimmed" style={{ margin: 0 }}>
          Each second in which a replica answers is charged, in windows of five minutes. The windows that run and come
          next are held; what is held and not used is released.
        </p>
      </div>
    </Card>
  )
}
