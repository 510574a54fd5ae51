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

describe('a candidate of 90 days', () => {
  const expire = () => createPgFinish(app.pool).expire()
  const candidate = async () => (await app.send('get', '/v1/grpo/runs?status=awaiting_adoption')).body.runs[0]
  const staged = (id: string, days: number) =>
    app.operator.query("UPDATE grpo_run SET staged_at = now() - $2 * interval '1 day' WHERE id = $1", [
      uuidOf('grpoRun', id),
      days,
    ])

  it('stays adopted when somebody has adopted it', async () => {
    const { id, model } = await candidate()
    await staged(id, 91)
    await app.operator.query(
      `INSERT INTO model_adoption SELECT gen_random_uuid(), name, workspace_id, 'support', 'canary', 10, workspace_id, now()
       FROM model_version WHERE name = $1`,
      [model],
    )
    expect(await expire()).toBe(0)
    expect((await app.read(id)).status).toBe('adopted')
  })

  it('is rejected when nobody has decided about it, with its version', async () => {
    const { id, model_version_id: versionId } = await candidate()
    await staged(id, 89)
    expect(await expire()).toBe(0)
    await staged(id, 91)
    expect(await expire()).toBe(1)
    const why = 'Nobody decided about the candidate in 90 days.'
    expect(await app.read(id)).toMatchObject({ status: 'rejected', status_message: why })
    const { rows } = await app.operator.query('SELECT reject_reason FROM model_version WHERE id = $1', [
      uuidOf('modelVersion', versionId),
    ])
    expect(rows).toEqual([{ reject_reason: why }])
    const notices = await app.operator.query("SELECT data FROM training_notice WHERE type = 'model_version.rejected'")
    expect(notices.rows.map(({ data }) => JSON.parse(data).id)).toEqual([versionId])
    expect(await expire()).toBe(0)
  })
})
