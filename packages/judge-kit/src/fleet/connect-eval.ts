import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { z } from 'zod'
import type { FleetContext } from './connect-fleet.ts'

/** Address of the eval service, and the keys that sign identities for it. */
export const evalConfig = {
  EVAL_URL: z.url({ protocol: /^https?$/ }),
  EVAL_KEYS: CallerKeys,
}
const EvalConfig = z.object(evalConfig)

/** An eval that is created may wait for its dataset to be read. */
const clocks = { firstByteMs: 30_000, idleMs: 10_000, totalMs: 40_000 }

export function connectEval(
  config: z.output<typeof EvalConfig>,
  { connections, ...context }: FleetContext,
): FleetClient {
  const { EVAL_URL: url, EVAL_KEYS: keys } = config
  return connectService({ audience: 'eval', url, keys, connections, clocks }, context)
}
