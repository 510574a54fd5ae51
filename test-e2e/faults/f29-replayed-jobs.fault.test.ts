import { randomUUID } from 'node:crypto'
import { uuidOf } from '@ratchet/contracts/public-id'
import {
  findingsOf,
  judgementsOver,
  planJudgements,
  readJudgements,
  readPaidWork,
  readSampleIds,
} from '../judged-rows.ts'
import { apiOf, untilOver } from '../judged-traffic.ts'
import { describeFault } from './describe-fault.ts'
import { logExchanges, orderEval } from './logged-work.ts'
import { ringRaw, shuffled } from './ring-raw.ts'

const exchanges = 20
const samples = 12
/** Maximum number of jobs for one work item. */
const maxRings = 12
const judgeModel = 'sim/judge-0.8-0.8'

describeFault(
  {
    id: 'F29',
    title: 'jobs arrive twice, in another order, and again after the work is done',
    promise: 'the same results and charges as without the fault; a job without a work item changes nothing',
    fleet: { judges: true, evals: true, env: { ABUSE_GUARD_LIMIT: '10000' } },
  },
  (fault) => {
    it('gives the same results and charges as without the fault', async () => {
      const { fleet, random } = fault
      const logIds = await logExchanges(fault, exchanges)
      const done = await planJudgements(fleet, { judgeModel, logIds })
      const undisturbed = await judgementsOver(fleet, done)
      const before = await readPaidWork(fleet)

      await fleet.add('judging-worker')
      await fleet.provider.script({ model: '*', behaviour: 'slow-100', count: 1_000_000 })
      const set = await planJudgements(fleet, { judgeModel, logIds })
      const run = await orderEval(fault, samples)
      const api = apiOf(fleet, fleet.workspace)
      const runId = uuidOf('eval', run.slice('/evals/'.length)) ?? ''
      let rings = 0
      const ringForAll = async () => {
        const known = [...set.ids, ...done.ids].flatMap((judgementId) => times(random, { judgementId }))
        const outsiders = Array.from({ length: 20 }, () => ({ judgementId: randomUUID() }))
        const sampleJobs = (await readSampleIds(fleet, runId)).flatMap((sampleId) => times(random, { sampleId }))
        await Promise.all([
          ringRaw(fleet.redisUrl, 'judge', shuffled([...known, ...outsiders], random)),
          ringRaw(fleet.redisUrl, 'judge-run', [{ runId: randomUUID() }, { runId }]),
          ringRaw(fleet.redisUrl, 'eval-run', shuffled([...times(random, { runId }), { runId: randomUUID() }], random)),
          ringRaw(fleet.redisUrl, 'eval-sample', shuffled(sampleJobs, random)),
        ])
        rings += known.length
      }
      await ringForAll()
      const judged = await judgementsOver(fleet, set)
      await ringForAll()
      const over = await untilOver(api, run)
      const paid = await readPaidWork(fleet)
      await ringForAll()
      const sound = await judgementsOver(fleet, await planJudgements(fleet, { judgeModel, logIds: logIds.slice(0, 1) }))

      fault.note('jobs for 40 judgements', rings)
      expect(sound).toHaveLength(1)
      expect(findingsOf(judged)).toEqual(findingsOf(undisturbed))
      expect(await readJudgements(fleet, done)).toEqual(undisturbed)
      expect(await readJudgements(fleet, set)).toEqual(judged)
      expect(over).toMatchObject({ status: 'DONE', progress: { done: samples } })
      // One call per judgement; two answers and two pairwise verdicts per sample.
      expect(paid.charges - before.charges).toBe(exchanges + 4 * samples)
      expect(paid.billedNano).toBe(paid.storedNano)
      expect((await api('GET', run)).json).toEqual(over)
      const last = await readPaidWork(fleet)
      expect(last.charges - paid.charges).toBe(1)
      expect(last.billedNano).toBe(last.storedNano)
    }, 90_000)
  },
)

/** One to `maxRings` copies of a job. */
function times<Job>(random: () => number, job: Job): readonly Job[] {
  return Array.from({ length: 1 + Math.floor(maxRings * random()) }, () => job)
}
