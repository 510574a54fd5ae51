import { Anchor } from '@mantine/core'
import { readSessionWallet } from '@ratchet/contracts/billing'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { moneyText } from '../../kit/money.ts'
import { Notice } from '../../kit/states/notice.tsx'

/** Why the verdicts of a round wait. Nothing is lost: it goes on by itself when there is credit. */
export function WaitingFor({ reason }: { readonly reason: string }): ReactNode {
  const slug = useWorkspaceSlug()
  const enabled = reasonAgainst('owner_admin', useWorkspace()) === null
  const balance = useEndpoint(readSessionWallet, {}, { topics: ['wallet'], enabled }).data?.balance_nano
  return (
    <Notice
      state="open"
      action={
        enabled && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/w/$slug/billing" params={{ slug }} />}>
            Billing
          </Anchor>
        )
      }
    >
      It waits: {reason}
      {balance !== undefined && <> The balance is {moneyText(balance, { unit: 'nano', exact: true })}.</>} What is done
      is kept.
    </Notice>
  )
}
