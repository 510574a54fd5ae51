import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { z } from 'zod'

/** Address of the service judging, and the keys that sign identities for it. */
export const judgingConfig = {
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: CallerKeys,
}
const JudgingConfig = z.object(judgingConfig)

const connections = 4

export function connectJudging(config: z.output<typeof JudgingConfig>, context: CallerContext): FleetClient {
  return connectService(
    { audience: 'judging', url: config.JUDGING_URL, keys: config.JUDGING_KEYS, connections },
    context,
  )
}
