import type { ErasureStep } from '@ratchet/work-kit/erasure/erasure'
import type { Redis } from 'ioredis'

const keysOf = (workspaceId: string) => [`ratchet:cache:expiries:${workspaceId}`, `ratchet:cache:sizes:${workspaceId}`]
const entriesPerBatch = 500

/** Cached answers do not say who asked, so all of the workspace are deleted. */
export function cacheStep(redis: Pick<Redis, 'zrange' | 'unlink' | 'zrem' | 'exists'>): ErasureStep {
  const entriesOf = (workspaceId: string, last: number) => redis.zrange(keysOf(workspaceId)[0] ?? '', '0', String(last))
  return {
    kind: 'cached_answers',
    async count({ workspaceId }) {
      const entries = await entriesOf(workspaceId, -1)
      return entries.length === 0 ? 0 : redis.exists(...entries)
    },
    async erase(_, { workspaceId }) {
      for (;;) {
        const entries = await entriesOf(workspaceId, entriesPerBatch - 1)
        if (entries.length === 0) break
        const removed = await redis.unlink(...entries)
        await redis.zrem(keysOf(workspaceId)[0] ?? '', ...entries)
        if (removed > 0) return removed
      }
      await redis.unlink(...keysOf(workspaceId))
      return 0
    },
  }
}
