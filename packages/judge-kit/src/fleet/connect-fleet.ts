import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { z } from 'zod'

/** Addresses of inference and logging, and the keys that sign identities for them. */
export const fleetConfig = {
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  INFERENCE_KEYS: CallerKeys,
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  LOGGING_KEYS: CallerKeys,
}
const FleetConfig = z.object(fleetConfig)
type FleetConfig = z.output<typeof FleetConfig>

export interface FleetClients {
  readonly inference: FleetClient
  readonly logging: FleetClient
}

/** A judge may take minutes to answer. */
const judgeClocks = { firstByteMs: 150_000, idleMs: 60_000, totalMs: 170_000 }

export interface FleetContext extends CallerContext {
  /** Maximum number of concurrent calls to each service. */
  readonly connections: number
}

export function connectFleet(config: FleetConfig, { connections, ...context }: FleetContext): FleetClients {
  const { INFERENCE_URL, INFERENCE_KEYS, LOGGING_URL, LOGGING_KEYS } = config
  const inference = { audience: 'inference', url: INFERENCE_URL, keys: INFERENCE_KEYS, clocks: judgeClocks } as const
  const logging = { audience: 'logging', url: LOGGING_URL, keys: LOGGING_KEYS } as const
  return {
    inference: connectService({ ...inference, connections }, context),
    logging: connectService({ ...logging, connections }, context),
  }
}
