import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@ratchet/testing/eventually'
import { readCounter } from './counters.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { loadDuring, percentile, statusesOf, tenths, timesOf } from './load.ts'
import { expectEachLoggedOnce } from './logged-once.ts'
import { type OwnRedis, ownRedis, redisCommand, storesWith } from './own-stores.ts'
import { prepareWork, type Work, workEnv } from './queued-work.ts'

let redis: OwnRedis

const load = { clients: 4, model: 'sim/echo' }
const calmMs = 4_000
/** A second is how long it is tried to tell the workers of new work. */
const maxOrderMs = 2_500
/** Of the keys of limits. */
const bucketPrefix = 'ratchet:rate:'
/** Longest wait for one answer of Redis, milliseconds. */
const timeoutMs = 100
/** Time-outs in a row that a breaker takes before it leaves Redis alone for a second. */
const timeoutsToOpen = 3

describeFault(
  {
    id: 'F20',
    title: 'Redis freezes: it takes connections and answers nothing',
    promise: 'a breaker opens after three time-outs of 50 to 100 ms, tries once a second, and closes by itself',
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

    it('costs no chat more than one time-out, and most of them nothing', async () => {
      const calm = await loadDuring(fault, load, () => sleep(calmMs))
      await rememberCommands()
      frozen = await loadDuring(fault, load, async () => {
        await sleep(300 * fault.random())
        redis.freeze()
        const startedAt = performance.now()
        ordered = await work.order()
        const orderMs = performance.now() - startedAt
        fault.note('work taken on after, ms', Math.round(orderMs))
        expect(orderMs).toBeLessThan(maxOrderMs)
        await sleep(calmMs)
      })
      fault.note('requests, all 200', frozen.length)
      fault.note('calm p50, p99, ms', timesOf(calm))
      fault.note('frozen p50, p99, slowest, ms', `${timesOf(frozen)}, ${tenths(percentile(frozen, 1))}`)
      expect(statusesOf(frozen)).toEqual({ 200: frozen.length })
      expect(percentile(frozen, 0.5)).toBeLessThan(2 * percentile(calm, 0.5))
      expect(percentile(frozen, 0.99)).toBeLessThan(percentile(calm, 0.99) + timeoutMs)
      expect(percentile(frozen, 1)).toBeLessThan(percentile(calm, 1) + 2 * timeoutMs)
    }, 60_000)

    it('is asked once a second, and used again when it answers', async () => {
      expect(await Promise.all(ordered.map(work.statusOf))).toEqual(['PENDING', 'PENDING'])
      expect([await limiterEvents(fault, 'away'), await limiterEvents(fault, 'back')]).toEqual([1, 0])
      const thawedAt = Date.now()
      redis.thaw()
      // Nobody draws meanwhile: what it does now is what was sent while it stood still.
      const tries = await eventually(() => drawsSince(thawedAt))
      fault.note('tries while it was frozen', tries)
      expect(tries).toBeLessThanOrEqual(timeoutsToOpen + load.clients + calmMs / 1_000 + 1)
      await eventually(async () => {
        await fault.ask({ model: 'sim/echo' })
        expect(await limiterEvents(fault, 'back')).toBe(1)
      })
      await expectEachLoggedOnce(fault, frozen)
      const done = await Promise.all(ordered.map((path) => work.untilOver(path)))
      expect(done.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
    }, 60_000)
  },
)

function limiterEvents({ fleet }: Fault, kind: string): Promise<number> {
  return readCounter(fleet.inference, 'rate_limit_events_total', `kind="${kind}"`)
}

/** Has Redis keep every command that it does. */
function rememberCommands(): Promise<unknown> {
  return redisCommand(redis.url, async (client) => {
    await client.config('SET', 'slowlog-max-len', '100000')
    await client.config('SET', 'slowlog-log-slower-than', '0')
  })
}

/** How often buckets were drawn from since then; null while it did not. */
async function drawsSince(sinceMs: number): Promise<number | null> {
  const entries = (await redisCommand(redis.url, (client) => client.slowlog('GET', 100_000))) as [
    number,
    number,
    number,
    string[],
  ][]
  // What a script does counts as commands too.
  const draws = entries.filter(([, seconds, , [name = '', ...args]]) => {
    const isScript = name.toLowerCase().startsWith('eval') && args.some((arg) => arg.startsWith(bucketPrefix))
    return isScript && seconds >= Math.floor(sinceMs / 1_000)
  })
  return draws.length === 0 ? null : draws.length
}
