import type { EngineClient } from '../engines/engine-client.ts'

/** How much of its KV cache the engine of a replica uses; undefined when it was asked a moment ago. */
export type ReadCache = (replicaId: string, address: string) => Promise<number | null | undefined>

const everyMs = 5_000

/** Engines write long metrics, so each is asked for them every few seconds only. */
export function createCacheReadings({
  clientOf,
  nowMs,
}: {
  readonly clientOf: (address: string) => Pick<EngineClient, 'cacheUsed'>
  readonly nowMs: () => number
}): ReadCache {
  let readAt = new Map<string, number>()
  return async (replicaId, address) => {
    const before = readAt.get(replicaId)
    if (before !== undefined && nowMs() - before < everyMs) return undefined
    // What has ended is forgotten.
    readAt = new Map([...readAt].filter(([, at]) => nowMs() - at < 10 * everyMs).concat([[replicaId, nowMs()]]))
    return await clientOf(address)
      .cacheUsed()
      .catch(() => null)
  }
}
