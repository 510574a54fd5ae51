import { readSessionWallet } from '@ratchet/contracts/billing'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Facts } from '../../../kit/facts.tsx'
import { moneyText } from '../../../kit/money.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import styles from '../billing.module.css'
import { DaysLeft } from './days-left.tsx'
import { OpenRequests } from './open-requests.tsx'
import { TopUpCard } from './top-up-card.tsx'
import { WalletAlert } from './wallet-alert.tsx'
import type { WalletReply } from './wallet-reply.ts'

export function WalletPage(): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  return (
    <Page title="Wallet" lead="The money of this workspace. Every request is paid from it.">
      {reason === null ? <WalletParts /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

function WalletParts(): ReactNode {
  const wallet = useEndpoint(readSessionWallet, {}, { topics: ['wallet'] })
  return (
    <Loaded query={wallet}>
      {(data) => (
        <div className={styles.columns}>
          <BalanceCard wallet={data} />
          <div className={styles.cards}>
            <TopUpCard kind={data.top_ups} />
            <WalletAlert wallet={data} />
          </div>
        </div>
      )}
    </Loaded>
  )
}

const exact = (nano: string) => moneyText(nano, { unit: 'nano', exact: true })

function BalanceCard({ wallet }: { readonly wallet: WalletReply }): ReactNode {
  const { available_nano: available, balance_nano: balance, held_nano: held, in_blocks_nano: blocks, audit } = wallet
  return (
    <Card title="Available">
      <p className={styles.amount} title={exact(available)}>
        {moneyText(available, { unit: 'nano' })}
      </p>
      <DaysLeft availableNano={available} />
      <Facts
        facts={[
          ['Balance', exact(balance)],
          ['Held', blocks === '0' ? exact(held) : `${exact(held)}, ${exact(blocks)} of it for requests to come`],
          ['Ledger', <AuditState key="audit" audit={audit} />],
        ]}
      />
      <OpenRequests wallet={wallet} />
    </Card>
  )
}

function AuditState({ audit }: { readonly audit: WalletReply['audit'] }): ReactNode {
  if (audit === null) return <span className="dimmed">not audited since the service started</span>
  const { agree, audited_at: at } = audit
  return (
    <span>
      {agree ? 'Books agree' : 'Books do not agree; the operator is alerted'}, audited <TimeText at={at} />
    </span>
  )
}
