/** The part of ioredis that rewrites the append-only file. */
export interface RewrittenRedis {
  info(section: string): Promise<string>
  set(key: string, value: string, unit: 'PX', ms: number, condition: 'NX'): Promise<unknown>
  del(key: string): Promise<unknown>
  bgrewriteaof(): Promise<unknown>
}

/** Exists until the next rewrite is due, so that several workers, or one that restarts, do not rewrite more often. */
export const rewrittenKey = 'ratchet:log:rewritten'

/**
 * Has Redis write its append-only file again, because the file contains exchanges that were stored or deleted long ago.
 *
 * @param everyMs how often that happens, however many processes call this
 * @returns whether the rewrite began
 * @throws Error when Redis is unavailable, or its operator does not allow the command
 */
export async function rewriteAppendOnlyFile(redis: RewrittenRedis, everyMs: number): Promise<boolean> {
  // Without an append-only file, the command would create one.
  if (!/^aof_enabled:1/m.test(await redis.info('persistence'))) return false
  if ((await redis.set(rewrittenKey, '1', 'PX', everyMs, 'NX')) === null) return false
  try {
    await redis.bgrewriteaof()
    return true
  } catch (error) {
    if (!String(error).includes('in progress')) throw error
    // It began before the newest deletions, so it is tried again.
    await redis.del(rewrittenKey)
    return false
  }
}
