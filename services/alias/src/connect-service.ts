import { createUpstream } from '@ratchet/http/create-upstream'
import { createFleetClient, type FleetClient } from '@ratchet/service-kit/fleet-client'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import type { Lifecycle } from '@ratchet/service-kit/run-process'

export interface CalledService {
  readonly audience: 'inference' | 'judging' | 'eval'
  readonly url: string
  /** The first one signs. */
  readonly keys: readonly [NamedKey, ...NamedKey[]]
  readonly connections: number
}

/** Nobody waits long for what is asked before an alias is written. */
const clocks = { firstByteMs: 10_000, idleMs: 10_000, totalMs: 15_000 }

/** A service that is called past the edge. */
export function connectService(
  { audience, url, keys: [key], connections }: CalledService,
  { onStop, now }: Pick<Lifecycle, 'onStop'> & { readonly now: () => Date },
): FleetClient {
  const upstream = createUpstream({ origin: new URL(url).origin, connections, connectTimeoutMs: 1_000 })
  onStop(() => upstream.destroy())
  return createFleetClient({ audience, upstream, key, now, newId: () => uuidV7(now().getTime()), clocks })
}
