import { createScript, type ScriptRedis } from '../redis-script.ts'
import { bucketScript } from './bucket-script.ts'
import type { Drawing, Drawn } from './token-bucket.ts'

/** The commands of ioredis that the buckets use. */
export type BucketRedis = ScriptRedis

/** @param nowMs the clock; by default that of Redis, which all processes share */
export function createRedisBuckets(redis: BucketRedis, nowMs: () => number = () => 0) {
  const run = createScript(redis, bucketScript)
  return {
    /** Runs all drawings in one call, one after the other. */
    async draw(drawings: readonly Drawing[]): Promise<readonly Drawn[]> {
      const keys = drawings.flatMap(({ draws }) => draws.map(({ key }) => key))
      const answer = await run(keys, [nowMs(), ...drawings.flatMap(argsOf)])
      return readAnswer(drawings, answer)
    },
  }
}

function argsOf({ kind, draws }: Drawing): readonly number[] {
  return [kind === 'take' ? 1 : 0, draws.length, ...draws.flatMap(({ limit, cost }) => [limit, cost])]
}

function readAnswer(drawings: readonly Drawing[], answer: unknown): readonly Drawn[] {
  const numbers = Array.isArray(answer) ? answer.map(Number) : []
  let at = 0
  return drawings.map(({ draws }) => {
    const [waitMs = Number.NaN, ...parts] = numbers.slice(at, at + 1 + draws.length)
    at += 1 + draws.length
    if (![waitMs, ...parts].every(Number.isFinite) || parts.length !== draws.length) {
      throw new Error('Redis answered something else than buckets')
    }
    return { waitMs, parts }
  })
}
