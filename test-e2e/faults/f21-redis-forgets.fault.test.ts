import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import type { Json } from '../judged-traffic.ts'
import { ledgerAtRest, readLedger } from '../ledger-oracle.ts'
import { describeFault, type Fault, type OnStop } from './describe-fault.ts'
import { tenths } from './load.ts'
import { type OwnRedis, ownRedis, redisCommand, storesWith } from './own-stores.ts'
import { prepareWork, type Work, workEnv } from './queued-work.ts'

const exchanges = 40
/** Duration of each answer, milliseconds: long enough that the fault happens before the work is done. */
const latencyMs = 300
/** Lag of the replica, milliseconds. */
const lagMs = 200

let master: OwnRedis
let replica: OwnRedis
/** A fixed address that always leads to the master. */
let address: ChaosProxy

describeFault(
  {
    id: 'F21',
    title: 'Redis loses data: it is emptied, and it fails over to a replica that lags',
    promise:
      'no work is lost, and duplicates do no harm: evals and calibrations end with the same report and the same charges',
    async fleet(onStop) {
      const redisUrl = await startPair(onStop)
      const env = { ...workEnv, EVAL_CONCURRENCY: '4', JUDGE_CONCURRENCY: '4' }
      const stores = await storesWith(onStop, { redisUrl })
      return { stores, judges: true, evals: true, workspace: { balanceUsd: '1000.00' }, env }
    },
  },
  (fault) => {
    let work: Work
    let undisturbed: Outcome

    beforeAll(async () => {
      work = await prepareWork(fault, exchanges)
      undisturbed = await outcomeOf(fault, work)
      expect(undisturbed.results.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
      await fault.fleet.provider.script({ model: '*', behaviour: `slow-${latencyMs}`, count: 1_000_000 })
    }, 90_000)

    it('gives the same results when everything in Redis is deleted', async () => {
      const outcome = await outcomeOf(fault, work, 'emptied', () =>
        redisCommand(master.url, (redis) => redis.flushall()),
      )
      expect(outcome).toEqual(undisturbed)
    }, 90_000)

    it('gives the same results when a replica takes over without the last jobs', async () => {
      const outcome = await outcomeOf(fault, work, 'failed over', async () => {
        await master.kill()
        await redisCommand(replica.url, (redis) => redis.replicaof('NO', 'ONE'))
        address.aim(replica.port)
      })
      expect(outcome).toEqual(undisturbed)
    }, 90_000)
  },
)

interface Outcome {
  readonly results: readonly Json[]
  readonly charges: number
  readonly chargedNano: bigint
}

/** The results of an eval and a calibration when a fault of Redis happens meanwhile. */
async function outcomeOf(
  fault: Fault,
  work: Work,
  name = 'undisturbed',
  harm: () => Promise<unknown> = async () => undefined,
): Promise<Outcome> {
  const { fleet, random } = fault
  const before = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
  const startedAt = performance.now()
  const paths = await work.order()
  const share = 0.1 + 0.4 * random()
  await eventually(() => areUnderWay(work, paths, share), { withinMs: 45_000 })
  await harm()
  const results = await Promise.all(paths.map((path) => work.untilOver(path)))
  fault.note(`${name}, done after, s`, tenths((performance.now() - startedAt) / 1_000))
  const after = await ledgerAtRest(fleet, fleet.workspace)
  expect(after.violations).toEqual([])
  return {
    results: results.map(withoutNames),
    charges: after.posted - before.posted,
    chargedNano: after.charged - before.charged,
  }
}

async function areUnderWay({ api }: Work, paths: readonly string[], share: number): Promise<boolean> {
  const all = await Promise.all(paths.map((path) => api('GET', path)))
  return all.every(({ json: { progress } }) => progress.done > share * progress.total)
}

/** Removes names and times, which differ from run to run. */
function withoutNames(result: Json): Json {
  const differs = /^(id|criterion_id|created_at|finished_at)$|latency/i
  return JSON.parse(JSON.stringify(result, (name, value) => (differs.test(name) ? undefined : value)))
}

/** Starts a master and a replica that lags. Resolves with an address that leads to the master. */
async function startPair(onStop: OnStop): Promise<string> {
  master = await ownRedis(onStop)
  replica = await ownRedis(onStop)
  const link = await startChaosProxy({ targetPort: master.port })
  onStop(link.stop)
  await redisCommand(master.url, (redis) => redis.config('SET', 'repl-diskless-sync-delay', '0'))
  await redisCommand(replica.url, (redis) => redis.replicaof('127.0.0.1', link.port))
  await eventually(async () => {
    const info = await redisCommand(replica.url, (redis) => redis.info('replication'))
    expect(info).toContain('master_link_status:up')
  })
  link.delay(lagMs)
  address = await startChaosProxy({ targetPort: master.port })
  onStop(address.stop)
  return `redis://127.0.0.1:${address.port}`
}
