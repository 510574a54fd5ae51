import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { z } from 'zod'
import type { FleetContext } from './connect-fleet.ts'

/** Address of the alias service, and the keys that sign identities for it. */
export const aliasConfig = {
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: CallerKeys,
}
const AliasConfig = z.object(aliasConfig)

/** Short, because these calls read or write only a few rows. */
const rowClocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }

export function connectAlias(
  config: z.output<typeof AliasConfig>,
  { connections, ...context }: FleetContext,
): FleetClient {
  const { ALIAS_URL: url, ALIAS_KEYS: keys } = config
  return connectService({ audience: 'alias', url, keys, connections, clocks: rowClocks }, context)
}
