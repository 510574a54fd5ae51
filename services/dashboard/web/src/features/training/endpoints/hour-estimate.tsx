import { readSessionWallet } from '@ratchet/contracts/billing'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { moneyText } from '../../../kit/money.ts'
import { countOf } from '../../../kit/numbers.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'
import { hourCostOf, type ScaleValues } from './endpoint-values.ts'

interface HourEstimateProps {
  readonly values: ScaleValues
  readonly priceUsdPerHour: number
}

/** What an hour costs, beside what the wallet has. */
export function HourEstimate({ values, priceUsdPerHour }: HourEstimateProps): ReactNode {
  const { replica, least, most, required, cappedAfterMinutes: minutes } = hourCostOf(values, priceUsdPerHour)
  const mayRead = reasonAgainst('owner_admin', useWorkspace()) === null
  const wallet = useEndpoint(readSessionWallet, {}, { enabled: mayRead, topics: ['wallet'] }).data
  const isCovered = wallet === undefined || BigInt(wallet.available_nano) >= BigInt(required) * 1_000n
  return (
    <div className={styles.parts}>
      <Figures
        label="What an hour costs"
        figures={[
          ['An hour of a replica', moneyText(replica)],
          ['An hour without requests', least === '0' ? 'nothing, once scaled to zero' : moneyText(least)],
          ['An hour at most', <strong key="most">{moneyText(most)}</strong>],
          ...(wallet === undefined ? [] : [['Wallet', moneyText(wallet.available_nano, { unit: 'nano' })] as const]),
        ]}
      />
      <p className="dimmed" style={{ margin: 0 }}>
        Each second in which a replica answers is charged, in windows of five minutes that are held ahead. Requests cost
        nothing, and starting costs nothing.
      </p>
      {minutes !== null && (
        <Notice state="borderline">
          With all replicas the cap is reached after {countOf(minutes, 'minute')} of an hour. The endpoint then stops,
          and has to be started again.
        </Notice>
      )}
      {!isCovered && (
        <Notice state="wrong">
          The wallet must cover an hour of all replicas, {moneyText(required)}. Top it up, or allow fewer replicas.
        </Notice>
      )}
    </div>
  )
}
