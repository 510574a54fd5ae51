import { elapse } from '@ratchet/testing/elapse'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { percentile, statusesOf, timesOf } from './load.ts'
import { expectEachLoggedOnce } from './logged-once.ts'
import { startLoad } from './open-load.ts'
import { type OwnRedis, ownRedis, storesWith } from './own-stores.ts'
import { prepareWork, type Work, workEnv } from './queued-work.ts'
import { readMetric } from './read-metric.ts'

let redis: OwnRedis

/** Far below what the fleet can answer, so that durations show waiting rather than a full queue. */
const requestsPerSecond = 80
const calmMs = 4_000
/** A p99 below this counts as this: on a machine with other work, single requests take that long without a fault. */
const leastP99Ms = 50
const reads = ['/models', '/logs?limit=1', '/evals', '/criteria']

describeFault(
  {
    id: 'F19',
    title: 'Redis dies under load',
    promise:
      'chat, keys, billing and reads continue, p99 < 2×; limits are counted per process; exchanges are sent to the log directly; work continues',
    async fleet(onStop) {
      redis = await ownRedis(onStop, { durable: true })
      const stores = await storesWith(onStop, { redisUrl: redis.url })
      return { stores, judges: true, evals: true, workspace: { balanceUsd: '1000.00' }, env: workEnv }
    },
  },
  (fault) => {
    let work: Work
    let dying: readonly Asked[] = []
    let dead: readonly Asked[] = []

    beforeAll(async () => {
      work = await prepareWork(fault, 30, { requestsPerMinute: 1_000_000 })
    }, 60_000)

    it('fails no chat and no read, and slows none down', async () => {
      const calm = await answersDuring(fault, () => elapse(calmMs))
      dying = await answersDuring(fault, async () => {
        await elapse(300 * fault.random())
        await redis.kill()
      })
      dead = await answersDuring(fault, async () => {
        for (const path of reads) expect((await work.api('GET', path)).status).toBe(200)
        await elapse(calmMs)
      })
      const underFault = [...dying, ...dead]
      fault.note('requests, all 200', underFault.length)
      fault.note('calm p50, p99, ms', timesOf(calm))
      fault.note('faulty p50, p99, ms', timesOf(underFault))
      expect(statusesOf(underFault)).toEqual({ 200: underFault.length })
      expect(underFault.every(({ headers }) => headers.has('x-ratelimit-remaining-requests'))).toBe(true)
      expect(percentile(underFault, 0.99)).toBeLessThan(2 * Math.max(leastP99Ms, percentile(calm, 0.99)))
    }, 60_000)

    it('logs every exchange once without Redis', async () => {
      await expectEachLoggedOnce(fault, dead)
      const direct = await readMetric(fault.fleet.inference, 'ratchet_captured_exchanges_total', 'outcome="direct"')
      expect(direct).toBeGreaterThanOrEqual(dead.length)
    }, 30_000)

    it('processes new work without Redis, and stores what was in Redis when it died', async () => {
      const ordered = await work.order()
      const done = await Promise.all(ordered.map((path) => work.untilOver(path)))
      expect(done.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
      await redis.start()
      await expectEachLoggedOnce(fault, dying)
    }, 90_000)
  },
)

/** Chat requests at a constant rate while `during` runs. */
async function answersDuring(fault: Fault, during: () => Promise<unknown>): Promise<readonly Asked[]> {
  const load = startLoad(fault, { requestsPerSecond, streamsAtOnce: 0 })
  await during()
  await load.stop()
  return load.answers
}
