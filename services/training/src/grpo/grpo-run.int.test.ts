import { eventually } from '@ratchet/testing/eventually'
import { criterion, type GrpoRunApp, grpoRunApp, judge, rewardId, small16 } from './grpo.fixture.ts'

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

const uuidOf = (id: string) => id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Waits until a run has a status. Fails at once in another final one. */
async function reaching(id: string, status: string, seconds = 60) {
  return await eventually(
    async () => {
      const run = await app.read(id)
      if (run.status !== status)
        throw new Error(
          `${run.status} ${run.status_message} ${JSON.stringify(app.money.failures.slice(-2))} step ${run.progress.step}`,
        )
      return run
    },
    { withinMs: seconds * 1_000 },
  )
}

it('trains until a candidate waits, whose reward has risen, and holds nothing then', async () => {
  const worker = app.startWorker()
  const { id } = await app.create()
  const run = await reaching(id, 'awaiting_adoption')
  await worker.stop()
  expect(run).toMatchObject({
    progress: { step: 12 },
    held_usd: 0,
    guard: { verdict: 'healthy', looks: 4, last_step: 12 },
  })
  expect(run.reward_current).toBeGreaterThan(run.reward_baseline + 0.2)
  expect(run.best_step).toBeGreaterThan(0)
  expect(run.model).toMatch(/^ft:/)
  expect(run.cost_usd).toBeGreaterThan(0)
  expect(run.cost_usd + run.judge_cost_usd).toBeLessThanOrEqual(run.max_cost_usd)
  expect(app.money.hasOpenHold(uuidOf(id))).toBe(false)
})

it('pauses a run whose policy exploits its judge', async () => {
  const worker = app.startWorker()
  app.judging.judges.set(rewardId, judge(rewardId, { judgeModel: 'sim/judge-gullible' }))
  const { id } = await app.create({
    hyperparameters: { ...small16, klBeta: 0, maxSteps: 60, promptsPerStep: 8, groupSize: 8 },
  })
  const run = await reaching(id, 'paused')
  await worker.stop()
  app.judging.judges.set(rewardId, judge(rewardId))
  expect(run).toMatchObject({ paused_reason: 'reward_diverged', guard: { verdict: 'diverging' }, held_usd: 0 })
  const guard = (await app.send('get', `/v1/grpo/runs/${id}/guard`)).body
  expect(guard).toMatchObject({ object: 'grpo.guard' })
  expect(guard.looks.at(-1).gap.lower).toBeGreaterThan(guard.margin)
  expect(criterion(rewardId)).toBe(run.judges_at_start[0].criterion_id)
})
