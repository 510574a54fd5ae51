import { uuidOf } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { criterion, type GrpoRunApp, grpoRunApp, judge, otherId, rewardId, small16 } from './grpo.fixture.ts'
import { createPgFinish } from './runs/pg-finish.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})
afterAll(async () => {
  await stopJudging()
  await app.drop()
})

const reaching = (id: string, status: string) =>
  eventually(
    async () => {
      const run = await app.read(id)
      if (run.status !== status) throw new Error(`${run.status} ${run.status_message} at ${run.progress.step}`)
      return run
    },
    { withinMs: 60_000 },
  )

/** A run whose judge a policy soon takes in, and what happens then. */
async function exploiting(action: string, maxSteps: number) {
  app.judging.judges.set(rewardId, judge(rewardId, { judgeModel: 'sim/judge-gullible' }))
  const { id } = await app.create({
    holdout: { criterionId: criterion(otherId), everySteps: 4, prompts: 32, action },
    hyperparameters: { ...small16, klBeta: 0, maxSteps, promptsPerStep: 8, groupSize: 8 },
  })
  return id
}

it('ends a run whose policy exploits its judge, when that is asked for, with its best step', async () => {
  const worker = app.startWorker()
  const run = await reaching(await exploiting('stop', 60), 'awaiting_adoption')
  await worker.stop()
  expect(run).toMatchObject({ stopped_early: 'diverged', guard: { verdict: 'diverging' }, held_usd: 0 })
  expect(run.progress.step).toBeLessThan(60)
  expect(run.model_version_id).toMatch(/^mv_/)
  expect(run.status_message).toContain('that the hold-out judge does not see')
})

it('lets a run go on that exploits its judge, when that is asked for, and says so', async () => {
  const worker = app.startWorker()
  const run = await reaching(await exploiting('none', 24), 'awaiting_adoption')
  await worker.stop()
  expect(run).toMatchObject({ stopped_early: null, progress: { step: 24 }, guard: { verdict: 'diverging' } })
  expect(run.status_message).toContain('that the hold-out judge does not see')
})

it('rejects a candidate that nobody has decided about in 90 days', async () => {
  const { runs } = (await app.send('get', '/v1/grpo/runs?status=awaiting_adoption')).body
  const { id } = runs[0]
  const stage = (days: number) =>
    app.operator.query("UPDATE grpo_run SET staged_at = now() - $2 * interval '1 day' WHERE id = $1", [
      uuidOf('grpoRun', id),
      days,
    ])
  const { expire } = createPgFinish(app.pool)
  await stage(89)
  expect(await expire()).toBe(0)
  await stage(91)
  expect(await expire()).toBe(1)
  const run = await app.read(id)
  expect([run.status, run.status_message]).toEqual(['rejected', 'Nobody decided about the candidate in 90 days.'])
})
