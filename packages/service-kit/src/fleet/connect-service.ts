import type { ServiceName } from '@ratchet/contracts/endpoint'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { CallClocks } from '@ratchet/http/upstream-call'
import type { SigningKey } from '../identity/identity.ts'
import type { Lifecycle } from '../process/run-process.ts'
import { uuidV7 } from '../values/ids.ts'
import { createFleetClient, type FleetClient } from './fleet-client.ts'

export interface ServiceConnection {
  readonly audience: ServiceName
  readonly url: string
  /** The first one signs. */
  readonly keys: readonly [SigningKey, ...SigningKey[]]
  /** Maximum concurrent calls; further ones wait for a connection. */
  readonly connections: number
  /** Time limits of a call; absent: 60 s in total. */
  readonly clocks?: CallClocks
}

export interface CallerContext extends Pick<Lifecycle, 'onStop'> {
  readonly now: () => Date
}

/** Creates a client of another service of the fleet. It calls the service directly, not through the edge. */
export function connectService(
  { audience, url, keys: [key], connections, clocks }: ServiceConnection,
  { onStop, now }: CallerContext,
): FleetClient {
  const upstream = createUpstream({ origin: new URL(url).origin, connections, connectTimeoutMs: 1_000 })
  onStop(() => upstream.destroy())
  const newId = () => uuidV7(now().getTime())
  const limits = clocks === undefined ? {} : { clocks }
  return createFleetClient({ audience, upstream, key, now, newId, ...limits })
}
