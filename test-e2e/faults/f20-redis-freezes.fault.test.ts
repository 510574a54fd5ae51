import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { loadDuring, percentile, statusesOf, tenths, timesOf } from './load.ts'
import { expectEachLoggedOnce } from './logged-once.ts'
import { type OwnRedis, ownRedis, redisCommand, storesWith } from './own-stores.ts'
import { prepareWork, type Work, workEnv } from './queued-work.ts'
import { readMetric } from './read-metric.ts'

let redis: OwnRedis

const load = { clients: 4, model: 'sim/echo' }
const calmMs = 4_000
/** Includes one second in which the API tries to notify workers. */
const maxOrderMs = 2_500
/** Prefix of the keys of rate limits. */
const bucketPrefix = 'ratchet:rate:'
/** Timeout of one command of Redis, milliseconds. */
const timeoutMs = 100
/** Number of consecutive timeouts after which the circuit breaker opens for a second. */
const timeoutsToOpen = 3

describeFault(
  {
    id: 'F20',
    title: 'Redis freezes: it accepts connections and does not answer',
    promise:
      'a circuit breaker opens after three timeouts of 50 to 100 ms, tries once a second, and closes automatically',
    async fleet(onStop) {
      redis = await ownRedis(onStop)
      const stores = await storesWith(onStop, { redisUrl: redis.url })
      return { stores, judges: true, evals: true, workspace: { balanceUsd: '1000.00' }, env: workEnv }
    },
  },
  (fault) => {
    let work: Work
    let frozen: readonly Asked[]
    let ordered: readonly string[]

    beforeAll(async () => {
      work = await prepareWork(fault, 20, { requestsPerMinute: 1_000_000 })
    }, 60_000)

    it('delays no chat by more than one timeout, and most chats not at all', async () => {
      const calm = await loadDuring(fault, load, () => elapse(calmMs))
      await rememberCommands()
      frozen = await loadDuring(fault, load, async () => {
        await elapse(300 * fault.random())
        redis.freeze()
        const startedAt = performance.now()
        ordered = await work.order()
        const orderMs = performance.now() - startedAt
        fault.note('work accepted after, ms', Math.round(orderMs))
        expect(orderMs).toBeLessThan(maxOrderMs)
        await elapse(calmMs)
      })
      fault.note('requests, all 200', frozen.length)
      fault.note('calm p50, p99, ms', timesOf(calm))
      fault.note('frozen p50, p99, slowest, ms', `${timesOf(frozen)}, ${tenths(percentile(frozen, 1))}`)
      expect(statusesOf(frozen)).toEqual({ 200: frozen.length })
      expect(percentile(frozen, 0.5)).toBeLessThan(2 * percentile(calm, 0.5))
      expect(percentile(frozen, 0.99)).toBeLessThan(percentile(calm, 0.99) + timeoutMs)
      expect(percentile(frozen, 1)).toBeLessThan(percentile(calm, 1) + 2 * timeoutMs)
    }, 60_000)

    it('is tried once a second, and used again when it answers', async () => {
      expect([await ofLimiter(fault, 'outages_total'), await ofLimiter(fault, 'up')]).toEqual([1, 0])
      const thawedAt = Date.now()
      redis.thaw()
      // No request is limited now, so Redis executes only commands that were sent while it was frozen.
      const tries = await eventually(() => drawsSince(thawedAt))
      fault.note('tries while it was frozen', tries)
      expect(tries).toBeLessThanOrEqual(timeoutsToOpen + load.clients + calmMs / 1_000 + 1)
      await eventually(async () => {
        await fault.ask({ model: 'sim/echo' })
        expect(await ofLimiter(fault, 'up')).toBe(1)
      })
      await expectEachLoggedOnce(fault, frozen)
      const done = await Promise.all(ordered.map((path) => work.untilOver(path)))
      expect(done.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
    }, 60_000)
  },
)

function ofLimiter({ fleet }: Fault, metric: 'outages_total' | 'up'): Promise<number> {
  return readMetric(fleet.inference, `ratchet_dependency_${metric}`, 'dependency="rate_limits"')
}

/** Makes Redis record every command. */
function rememberCommands(): Promise<unknown> {
  return redisCommand(redis.url, async (client) => {
    await client.config('SET', 'slowlog-max-len', '100000')
    await client.config('SET', 'slowlog-log-slower-than', '0')
  })
}

/** Number of draws from token buckets since then; null when there was none. */
async function drawsSince(sinceMs: number): Promise<number | null> {
  const entries = (await redisCommand(redis.url, (client) => client.slowlog('GET', 100_000))) as [
    number,
    number,
    number,
    string[],
  ][]
  // Redis also counts commands inside a script.
  const draws = entries.filter(([, seconds, , [name = '', ...args]]) => {
    const isScript = name.toLowerCase().startsWith('eval') && args.some((arg) => arg.startsWith(bucketPrefix))
    return isScript && seconds >= Math.floor(sinceMs / 1_000)
  })
  return draws.length === 0 ? null : draws.length
}
