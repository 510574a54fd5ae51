import { readUsage } from '@ratchet/contracts/billing'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { daysLeft, daysLeftText } from '../../../kit/days-left.ts'
import { hoursAgo } from '../../../kit/hours-ago.ts'

/** How long the money lasts. Only owners may read what was spent. */
export function DaysLeft({ availableNano }: { readonly availableNano: string }): ReactNode {
  const mayRead = reasonAgainst('owner', useWorkspace()) === null
  const [from] = useState(() => hoursAgo(7 * 24))
  const { data } = useEndpoint(readUsage, { query: { group_by: 'purpose', from } }, { enabled: mayRead })
  if (data === undefined) return null
  return <p className="dimmed">{daysLeftText(daysLeft(availableNano, data.charges_nano))}</p>
}
