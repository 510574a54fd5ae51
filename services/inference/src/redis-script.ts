import { createHash } from 'node:crypto'

/** The commands of ioredis that run scripts. */
export interface ScriptRedis {
  evalsha(sha: string, keyCount: number, ...args: (string | number | Buffer)[]): Promise<unknown>
  eval(script: string, keyCount: number, ...args: (string | number | Buffer)[]): Promise<unknown>
}

export type RunScript = (keys: readonly string[], args: readonly (string | number | Buffer)[]) => Promise<unknown>

/** Redis finds a script by its digest after its first run, so its text is sent only when Redis does not know it. */
export function createScript(redis: ScriptRedis, script: string): RunScript {
  const sha = createHash('sha1').update(script).digest('hex')
  return (keys, args) =>
    redis.evalsha(sha, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!isUnknownScript(error)) throw error
      return redis.eval(script, keys.length, ...keys, ...args)
    })
}

/** Redis was restarted, its scripts were flushed, or it is another instance. */
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
