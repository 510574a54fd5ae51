import { eventually } from '@ratchet/testing/eventually'
import { Redis } from 'ioredis'
import {
  changeJudgements,
  judgementsOver,
  type PlannedSet,
  planJudgements,
  readJudgements,
  readPaidWork,
} from '../judged-rows.ts'
import type { FleetProcess } from '../start-process.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import { endLocks, logExchanges } from './logged-work.ts'
import { ringRaw } from './ring-raw.ts'

const exchanges = 12
const judgeModel = 'sim/judge-1-1'
/** Maximum number of leases of one judgement: deploys may interrupt it this often. */
const maxLeases = 20

describeFault(
  {
    id: 'F28',
    title: 'work that always fails',
    promise: 'after five failures it is dead-lettered with a reason, and counted; all other work continues',
    fleet: { judges: true, env: { JUDGE_CONCURRENCY: '4' } },
  },
  (fault) => {
    let logIds: readonly string[]
    beforeAll(async () => {
      logIds = await logExchanges(fault, exchanges)
    }, 60_000)
    beforeEach(() => fault.fleet.provider.reset())

    /** Work that is planned after the failing work. */
    const others = () => planJudgements(fault.fleet, { judgeModel, logIds })

    it('dead-letters work after five failures, and reports it', async () => {
      const { fleet } = fault
      const deadLetter = await planJudgements(fleet, { judgeModel: 'sim/fail-503', logIds: logIds.slice(0, 4) })
      const sound = await judgementsOver(fleet, await others())
      expect(sound.map(({ state }) => state)).toEqual(logIds.map(() => 'done'))
      const rows = await eventually(
        async () => {
          // Shortens the waits between attempts, half a minute in total.
          await changeJudgements(fleet, deadLetter, 'due_at = now()', 'pending')
          const rows = await readJudgements(fleet, deadLetter)
          return rows.every(({ state }) => state === 'poisoned') ? rows : null
        },
        { withinMs: 60_000, everyMs: 200 },
      )
      const { requests } = await fleet.provider.report({ model: 'sim/fail-503' })
      fault.note('attempts of work that always fails', rows[0]?.failures ?? 0)
      for (const row of rows) expect(row).toMatchObject({ failures: 5, verdict: null, cost_nano: '0' })
      for (const { last_error } of rows) expect(last_error).toMatch(/\S/)
      expect(requests.length).toBeGreaterThanOrEqual(5 * deadLetter.ids.length)
      await expectReported(fleet.judgingWorker, deadLetter)
    }, 90_000)

    it('dead-letters work that kills every worker, and processes the rest', async () => {
      const { fleet } = fault
      const deadly = await planJudgements(fleet, { judgeModel: 'sim/slow-60000', logIds: logIds.slice(0, 1) })
      await eventually(async () => (await readJudgements(fleet, deadly)).some(({ state }) => state === 'leased'))
      await changeJudgements(fleet, deadly, `attempts = ${maxLeases - 1}`)
      let worker = fleet.judgingWorker
      for (let death = 0; death < 2; death++) {
        worker = await dieOf(fault, deadly, worker)
        const sound = await judgementsOver(fleet, await others())
        expect(sound.map(({ state }) => state)).toEqual(logIds.map(() => 'done'))
      }
      const [row] = await judgementsOver(fleet, deadly)
      expect(row).toMatchObject({
        state: 'poisoned',
        last_error: 'every worker that processed this item ended before it finished',
      })
    }, 90_000)

    it('lets another worker take over from a blocked one, and stores the first result', async () => {
      const { fleet } = fault
      const before = await readPaidWork(fleet)
      const blocked = await fleet.add('judging-worker')
      await fleet.provider.script({ model: judgeModel, behaviour: 'slow-500', count: 1_000 })
      const set = await others()
      await eventually(async () => (await fleet.provider.report({ model: judgeModel })).requests.length >= 8)
      blocked.signal('SIGSTOP')
      await endLocks(fleet)
      const rows = await judgementsOver(fleet, set)
      blocked.signal('SIGCONT')
      await eventually(async () => expect((await fetch(`${blocked.url}/readyz`)).status).toBe(200))
      expect(await readJudgements(fleet, set)).toEqual(rows)
      const after = await readPaidWork(fleet)
      expect(after.charges - before.charges).toBe(exchanges)
      expect(after.billedNano).toBe(after.storedNano)
    }, 60_000)

    it('drops jobs with an unknown payload, and processes the rest', async () => {
      const { fleet } = fault
      const jobs = [
        null,
        7,
        {},
        { judgementId: 7 },
        { judgementId: 'no uuid' },
        { runId: logIds[0] },
        ['x'.repeat(100_000)],
      ]
      await ringRaw(fleet.redisUrl, 'judge', jobs)
      await ringRaw(fleet.redisUrl, 'judge-run', jobs)
      const sound = await judgementsOver(fleet, await others())
      expect(sound.map(({ state }) => state)).toEqual(logIds.map(() => 'done'))
      await eventually(async () => expect(await jobsLeft(fleet.redisUrl)).toEqual([]))
    }, 60_000)
  },
)

async function expectReported({ log, url }: FleetProcess, { ids }: PlannedSet): Promise<void> {
  const reported = log.filter((line) => line.includes('judgement_dead_lettered') && ids.some((id) => line.includes(id)))
  expect(reported).toHaveLength(ids.length)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toMatch(new RegExp(`ratchet_judgements_total\\{outcome="dead_lettered"[^}]*\\} ${ids.length}`))
}

/** Lets the worker lease the work and then kills it. */
async function dieOf({ fleet }: Fault, deadly: PlannedSet, worker: FleetProcess): Promise<FleetProcess> {
  const isTaken = async () => (await readJudgements(fleet, deadly)).some(({ state }) => state === 'leased')
  await eventually(isTaken, { withinMs: 45_000 })
  worker.signal('SIGKILL')
  await worker.exited
  await endLocks(fleet)
  return fleet.restartJudgingWorker()
}

async function jobsLeft(redisUrl: string): Promise<readonly string[]> {
  const redis = new Redis(redisUrl)
  const keys = await redis.keys('bull:judge*:*')
  await redis.quit()
  return keys.filter((key) => /:(wait|active|failed|completed|\d+)$/.test(key))
}
