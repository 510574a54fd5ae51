import { readSessionWallet } from '@ratchet/contracts/billing'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { moneyText } from '../../kit/money.ts'
import { StateMark } from '../../kit/state-mark.tsx'
import styles from './billing.module.css'

/** What the workspace can still spend, for those who may read it. */
export function WalletChip(): ReactNode {
  const workspace = useWorkspace()
  const mayRead = reasonAgainst('owner_admin', workspace) === null
  const { data } = useEndpoint(readSessionWallet, {}, { topics: ['wallet'], enabled: mayRead })
  if (data === undefined) return null
  const { available_nano: available, alert } = data
  const text = moneyText(available, { unit: 'nano' })
  const isLow = BigInt(available) < BigInt(alert?.threshold_nano ?? '1')
  return (
    <Link
      to="/w/$slug/billing"
      params={{ slug: workspace.slug }}
      className={styles.chip}
      aria-label={`Wallet: ${text} available${isLow ? ', which is low' : ''}`}
    >
      {isLow && <StateMark state="wrong" />}
      {text}
    </Link>
  )
}
