import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { loadDuring, percentile, statusesOf, timesOf } from './load.ts'
import { expectEachLoggedOnce } from './logged-once.ts'
import { type OwnRedis, ownRedis, redisCommand, storesWith } from './own-stores.ts'
import { prepareWork, type Work, workEnv } from './queued-work.ts'
import { readMetric } from './read-metric.ts'

let redis: OwnRedis

const load = { clients: 4, model: 'sim/echo' }
const calmMs = 3_000
const filler = 'filler'
/** Timeout for adding a job to Redis, with tolerance for a busy machine, milliseconds. */
const orderMs = 1_500

describeFault(
  {
    id: 'F22',
    title: 'Redis is full',
    promise: 'chat continues, no request hangs; new work is processed',
    async fleet(onStop) {
      redis = await ownRedis(onStop)
      const stores = await storesWith(onStop, { redisUrl: redis.url })
      return { stores, judges: true, evals: true, workspace: { balanceUsd: '1000.00' }, env: workEnv }
    },
  },
  (fault) => {
    let work: Work
    let full: readonly Asked[]
    let ordered: readonly string[]

    beforeAll(async () => {
      work = await prepareWork(fault, 20, { requestsPerMinute: 1_000_000 })
    }, 60_000)

    it('fails no chat, and accepts work without delay', async () => {
      const calm = await loadDuring(fault, load, () => elapse(calmMs))
      full = await loadDuring(fault, load, async () => {
        await elapse(300 * fault.random())
        await fill()
        const startedAt = performance.now()
        ordered = await work.order()
        expect(performance.now() - startedAt).toBeLessThan(orderMs)
        await elapse(calmMs)
      })
      fault.note('requests, all 200', full.length)
      fault.note('calm p50, p99, ms', timesOf(calm))
      fault.note('full p50, p99, ms', timesOf(full))
      expect(statusesOf(full)).toEqual({ 200: full.length })
      expect(percentile(full, 0.99)).toBeLessThan(2 * percentile(calm, 0.99))
    }, 60_000)

    it('logs the problem, and processes work and logs exchanges without Redis', async () => {
      const done = await Promise.all(ordered.map((path) => work.untilOver(path)))
      expect(done.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
      const { judgingWorker, evalWorker, inference } = fault.fleet
      await eventually(() => {
        for (const { log } of [judgingWorker, evalWorker]) expect(log.join('\n')).toMatch(/"queue_failed".*OOM/)
      })
      await expectEachLoggedOnce(fault, full)
      expect(await readMetric(inference, 'ratchet_captured_exchanges_total', 'outcome="direct"')).toBeGreaterThan(0)
    }, 90_000)

    it('uses Redis again when there is memory again', async () => {
      await redisCommand(redis.url, (client) => client.del(filler))
      await eventually(() => isLimitedByRedis(fault))
    }, 90_000)
  },
)

/** Fills Redis until it refuses writes. */
function fill(): Promise<void> {
  return redisCommand(redis.url, async (client) => {
    const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1])
    await client.config('SET', 'maxmemory', String(used + 1_000_000))
    const block = 'x'.repeat(50_000)
    const full = await eventually(() =>
      client.rpush(filler, block).then(
        () => null,
        (error: Error) => error,
      ),
    )
    expect(full.message).toMatch(/^OOM/)
  })
}

/** Whether the rate limiter uses Redis again instead of counting locally. */
async function isLimitedByRedis(fault: Fault): Promise<boolean> {
  const counted = () => readMetric(fault.fleet.inference, 'ratchet_rate_limit_local_decisions_total', '')
  const before = await counted()
  await fault.ask({ model: 'sim/echo' })
  return (await counted()) === before
}
