import { readSessionWallet, readUsage } from '@ratchet/contracts/billing'
import { useMemo } from 'react'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { hoursAgo } from '../../kit/hours-ago.ts'
import type { WalletState } from './needs.ts'

const weekHours = 168

/** The wallet for owners and admins, and its pace for owners; null for others, and until it is read. */
export function useWalletState(): WalletState | null {
  const workspace = useWorkspace()
  const mayRead = reasonAgainst('owner_admin', workspace) === null
  const mayReadUsage = reasonAgainst('owner', workspace) === null
  const from = useMemo(() => hoursAgo(weekHours), [])
  const wallet = useEndpoint(readSessionWallet, {}, { topics: ['wallet'], enabled: mayRead }).data
  const query = { group_by: 'purpose', from } as const
  const usage = useEndpoint(readUsage, { query }, { topics: ['wallet'], enabled: mayReadUsage }).data
  if (wallet === undefined) return null
  return {
    availableNano: wallet.available_nano,
    thresholdNano: wallet.alert?.threshold_nano ?? null,
    spentNano: usage?.charges_nano ?? null,
  }
}
