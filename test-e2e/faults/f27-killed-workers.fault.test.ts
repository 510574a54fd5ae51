import { elapse } from '@ratchet/testing/elapse'
import { countLeases, findingsOf, judgementsOver, planJudgements, readPaidWork } from '../judged-rows.ts'
import { apiOf, untilOver } from '../judged-traffic.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import { endLocks, logExchanges, orderEval } from './logged-work.ts'

/** Number of kills; the worker and the time are random. */
const kills = Number(process.env.FAULT_KILLS ?? 8)

const exchanges = 40
const concurrency = 4
const judgeModel = 'sim/judge-0.8-0.8'
/** Duration of each answer, milliseconds: long enough that every kill interrupts work. */
const latencyMs = 900

describeFault(
  {
    id: 'F27',
    title: 'workers are killed during their work',
    promise: 'each result is stored once and charged once; repeated calls of a provider are counted',
    fleet: {
      judges: true,
      evals: true,
      env: {
        JUDGE_CONCURRENCY: String(concurrency),
        EVAL_CONCURRENCY: String(concurrency),
        ABUSE_GUARD_LIMIT: '10000',
      },
    },
  },
  (fault) => {
    it('gives the same verdicts, and charges what is stored', async () => {
      const { fleet } = fault
      const logIds = await logExchanges(fault, exchanges)
      const undisturbed = await judgementsOver(fleet, await planJudgements(fleet, { judgeModel, logIds }))
      const before = await readPaidWork(fleet)
      await fleet.provider.reset()
      await fleet.provider.script({ model: '*', behaviour: `slow-${latencyMs}`, count: 1_000_000 })

      const set = await planJudgements(fleet, { judgeModel, logIds })
      const run = await orderEval(fault, exchanges)
      const inTheMiddle = await killAgainAndAgain(fault)
      const judged = await judgementsOver(fleet, set)
      const { status, progress } = await untilOver(apiOf(fleet, fleet.workspace), run, 60_000)

      const after = await readPaidWork(fleet)
      const asked = (await fleet.provider.report()).totals.requests
      const charges = after.charges - before.charges
      fault.note('kills', kills)
      fault.note('of them with work under way', inTheMiddle)
      fault.note('charges', charges)
      fault.note('repeated calls of the provider', asked - charges)
      expect(findingsOf(judged)).toEqual(findingsOf(undisturbed))
      expect({ status, done: progress.done }).toEqual({ status: 'DONE', done: exchanges })
      expect(after.billedNano).toBe(after.storedNano)
      expect(asked).toBeGreaterThanOrEqual(charges)
      expect(asked - charges).toBeLessThanOrEqual(kills * concurrency)
      expect(inTheMiddle).toBeGreaterThan(kills / 2)
    }, 180_000)
  },
)

/** @returns the number of kills that interrupted work */
async function killAgainAndAgain({ fleet, random }: Fault): Promise<number> {
  const workers = [
    { running: fleet.judgingWorker, restart: fleet.restartJudgingWorker },
    { running: fleet.evalWorker, restart: fleet.restartEvalWorker },
  ]
  let inTheMiddle = 0
  for (let kill = 0; kill < kills; kill++) {
    const worker = workers[Math.floor(random() * workers.length)] ?? workers[0]
    if (worker === undefined) break
    // Between the start of a model call and the time after its answer.
    await elapse(1.5 * latencyMs * random())
    worker.running.signal('SIGKILL')
    await worker.running.exited
    if ((await countLeases(fleet)) > 0) inTheMiddle += 1
    await endLocks(fleet)
    worker.running = await worker.restart()
  }
  return inTheMiddle
}
