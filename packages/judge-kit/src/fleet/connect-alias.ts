import { createUpstream } from '@ratchet/http/create-upstream'
import { createFleetClient, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { z } from 'zod'
import type { FleetContext } from './connect-fleet.ts'

/** How the alias service is reached: where it is, and keys that sign for it. */
export const aliasConfig = {
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: NamedKeys,
}
const AliasConfig = z.object(aliasConfig)

/** What it is asked are a few rows: it answers at once or not at all. */
const rowClocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }

export function connectAlias(
  { ALIAS_URL, ALIAS_KEYS: [key] }: z.output<typeof AliasConfig>,
  { onStop, now, connections }: FleetContext,
): FleetClient {
  const upstream = createUpstream({ origin: new URL(ALIAS_URL).origin, connections, connectTimeoutMs: 1_000 })
  onStop(() => upstream.destroy())
  const newId = () => uuidV7(now().getTime())
  return createFleetClient({ audience: 'alias', upstream, key, clocks: rowClocks, now, newId })
}
