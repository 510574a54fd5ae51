import { createUpstream } from '@ratchet/http/create-upstream'
import { createFleetClient, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { z } from 'zod'

/** How the services that judging asks are reached: where they are, and keys that sign for them. */
export const fleetConfig = {
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  INFERENCE_KEYS: NamedKeys,
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  LOGGING_KEYS: NamedKeys,
}
const FleetConfig = z.object(fleetConfig)
type FleetConfig = z.output<typeof FleetConfig>

export interface FleetClients {
  readonly inference: FleetClient
  readonly logging: FleetClient
}

/** A judge may think for minutes; a log is read at once or not at all. */
const judgeClocks = { firstByteMs: 150_000, idleMs: 60_000, totalMs: 170_000 }

export interface FleetContext extends Pick<Lifecycle, 'onStop'> {
  readonly now: () => Date
  /** Calls to one of them at the same time. */
  readonly connections: number
}

export function connectFleet(config: FleetConfig, { onStop, now, connections }: FleetContext): FleetClients {
  const newId = () => uuidV7(now().getTime())
  const upstreamOf = (url: string) => {
    const upstream = createUpstream({ origin: new URL(url).origin, connections, connectTimeoutMs: 1_000 })
    onStop(() => upstream.destroy())
    return upstream
  }
  const [inferenceKey] = config.INFERENCE_KEYS
  const [loggingKey] = config.LOGGING_KEYS
  return {
    inference: createFleetClient({
      audience: 'inference',
      upstream: upstreamOf(config.INFERENCE_URL),
      key: inferenceKey,
      clocks: judgeClocks,
      now,
      newId,
    }),
    logging: createFleetClient({
      audience: 'logging',
      upstream: upstreamOf(config.LOGGING_URL),
      key: loggingKey,
      now,
      newId,
    }),
  }
}
