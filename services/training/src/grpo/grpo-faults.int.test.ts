import { eventually } from '@ratchet/testing/eventually'
import { type GrpoRunApp, grpoRunApp, judge, otherId, refusal, rewardId } from './grpo.fixture.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>

beforeEach(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})

afterEach(async () => {
  await stopJudging()
  await app.drop()
})

const uuidOf = (id: string) => id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const reaching = (id: string, status: string) =>
  eventually(
    async () => {
      const run = await app.read(id)
      const failures = JSON.stringify(app.money.failures.slice(-2).map(String))
      if (run.status !== status) throw new Error(`${run.status} ${run.status_message} ${failures} ${run.progress.step}`)
      return run
    },
    { withinMs: 60_000 },
  )

const atStep = (id: string, step: number) =>
  eventually(async () => (await app.read(id)).progress.step >= step, { withinMs: 30_000 })

const rewardsOf = async (id: string) =>
  (await app.send('get', `/v1/grpo/runs/${id}/steps`)).body.data.map(
    (step: { reward_mean: number }) => step.reward_mean,
  )

const replayedOf = async (id: string): Promise<number[]> =>
  (await app.send('get', `/v1/grpo/runs/${id}/steps`)).body.data
    .filter((each: { replayed: boolean }) => each.replayed)
    .map(({ step }: { step: number }) => step)

const rows = async (text: string, id: string) => (await app.operator.query(text, [uuidOf(id)])).rows

it('samples and judges every step once, over three kills, and comes to the same result', async () => {
  const calm = app.startWorker()
  const { id: undisturbed } = await app.create({ seed: 3 })
  await reaching(undisturbed, 'awaiting_adoption')
  await calm.stop()

  app.judging.keys.length = 0
  const { id } = await app.create({ seed: 3 })
  const beforeRun = app.judging.keys.length
  for (const step of [2, 5, 8]) {
    const worker = app.startWorker({ jobMs: 1_200 })
    await atStep(id, step)
    await worker.kill()
  }
  const last = app.startWorker()
  const run = await reaching(id, 'awaiting_adoption')
  await last.stop()

  expect(run.attempts).toBe(3)
  expect(await rewardsOf(id)).toEqual(await rewardsOf(undisturbed))
  expect(await replayedOf(undisturbed)).toEqual([])
  const replayed = await replayedOf(id)
  // Nothing is durable before step 3, so the second attempt began with the first step again.
  expect(replayed[0]).toBe(1)
  expect(replayed.length).toBeLessThan(12)
  const answers = (await app.send('get', `/v1/grpo/runs/${id}/rollouts?limit=200`)).body.data
  for (const answer of answers) expect(answer.replayed).toBe(replayed.includes(answer.step))
  const asked = app.judging.keys.slice(beforeRun)
  expect(new Set(asked).size).toBe(asked.length)
  const [counted] = await rows(
    `SELECT count(*)::int AS verdicts, count(DISTINCT (v.rollout_id, v.role))::int AS distinct_ones
     FROM grpo_verdict v JOIN grpo_rollout o ON o.id = v.rollout_id WHERE o.run_id = $1`,
    id,
  )
  expect(counted).toEqual({ verdicts: asked.length, distinct_ones: asked.length })
  const [cost] = await rows('SELECT cost_nano, held_nano FROM training_job WHERE id = $1', id)
  const [other] = await rows('SELECT cost_nano, held_nano FROM training_job WHERE id = $1', undisturbed)
  expect(cost).toEqual(other)
  const posted = (app.money.postings.get(uuidOf(id)) ?? []).reduce((sum, each) => sum + each, 0n)
  expect(posted).toBe(BigInt(cost.cost_nano))
}, 120_000)

it('pauses before the next step when a judge has lost its proof, and asks again at resume', async () => {
  const worker = app.startWorker({ jobMs: 1_200 })
  const { id } = await app.create()
  await atStep(id, 2)
  app.judging.judges.set(rewardId, judge(rewardId, { canAct: false, trust: 'borderline' }))
  const paused = await reaching(id, 'paused')
  expect(paused).toMatchObject({ paused_reason: 'criterion_trust_lost', held_usd: 0 })
  const refused = await app.send('post', `/v1/grpo/runs/${id}/resume`)
  expect([refused.status, refused.body.error.code]).toEqual([412, 'criterion_not_trustworthy'])
  app.judging.judges.set(rewardId, judge(rewardId))
  expect((await app.send('post', `/v1/grpo/runs/${id}/resume`)).body).toMatchObject({ paused_reason: null })
  await reaching(id, 'awaiting_adoption')
  await worker.stop()
}, 120_000)

it('fails before training when all answers have the same reward, and charges no training', async () => {
  const worker = app.startWorker()
  const { id } = await app.create({ reward: { functions: [{ type: 'length' }] } })
  const run = await reaching(id, 'failed')
  await worker.stop()
  expect(run).toMatchObject({ error: { code: 'reward_has_no_variance' }, cost_usd: 0, held_usd: 0 })
  expect(app.money.hasOpenHold(uuidOf(id))).toBe(false)
})

it('pauses when the wallet does not cover the judges, and goes on after a top-up', async () => {
  const worker = app.startWorker({ jobMs: 1_200 })
  const { id } = await app.create()
  await atStep(id, 1)
  app.judging.refuse = refusal(402, 'insufficient_balance')
  expect(await reaching(id, 'paused')).toMatchObject({ paused_reason: 'credit', waiting_for: 'credit' })
  app.judging.refuse = null
  expect((await app.send('post', `/v1/grpo/runs/${id}/resume`)).body.waiting_for).not.toBe('credit')
  expect(await reaching(id, 'awaiting_adoption')).toMatchObject({ waiting_for: 'people' })
  await worker.stop()
}, 120_000)

it('ends with what its maximum covers, and costs no more', async () => {
  app.judging.costNano = 20_000n
  const worker = app.startWorker()
  const { id } = await app.create({ maxCostUsd: 0.04 })
  const run = await reaching(id, 'awaiting_adoption')
  await worker.stop()
  expect(run.stopped_early).toBe('max_cost')
  expect(run.progress.step).toBeLessThan(12)
  expect(run.cost_usd + run.judge_cost_usd).toBeLessThanOrEqual(0.04)
}, 120_000)

it('pauses and cancels a running run after a checkpoint', async () => {
  const worker = app.startWorker({ jobMs: 1_200 })
  const { id } = await app.create()
  await atStep(id, 1)
  await app.send('post', `/v1/grpo/runs/${id}/pause`)
  const paused = await reaching(id, 'paused')
  expect(paused).toMatchObject({ paused_reason: 'user', held_usd: 0 })
  expect((await app.send('post', `/v1/grpo/runs/${id}/cancel`)).body.status).toBe('cancelled')
  await worker.stop()
}, 60_000)

it('shows steps, answers, looks, and the best answers without verdicts', async () => {
  const worker = app.startWorker()
  const { id } = await app.create()
  const run = await reaching(id, 'awaiting_adoption')
  await worker.stop()
  const read = async (path: string) => (await app.send('get', `/v1/grpo/runs/${id}/${path}`)).body
  const { data: steps } = await read('steps?points=4')
  expect(steps.length).toBeLessThanOrEqual(4)
  expect(steps.at(-1)).toMatchObject({ state: 'durable', adapter_version: expect.any(Number), truncated_ratio: 0 })
  const worst = await read('rollouts?kind=look&step=0&sort=reward&limit=3')
  expect(worst).toMatchObject({ total: 80, has_more: true })
  expect(worst.data[0]).toMatchObject({ object: 'grpo.rollout', reward: 0, kind: 'look', step: 0 })
  expect(worst.data[0].verdicts.map((verdict: { role: string }) => verdict.role)).toEqual(['reward', 'holdout'])
  const large = JSON.stringify([{ role: 'user', content: 'x'.repeat(1_000_000) }])
  await app.operator.query('UPDATE grpo_prompt SET messages = $2 WHERE run_id = $1', [uuidOf(id), large])
  const page = await read('rollouts?kind=look&step=0&limit=200')
  expect(page).toMatchObject({ data: { length: 7 }, total: 80, has_more: true })
  expect((await read('rollouts?kind=look&step=0&limit=200&offset=7')).data).toHaveLength(7)
  const guard = await read('guard')
  expect(guard.looks.map((look: { step: number }) => look.step)).toEqual([0, 4, 8, 12])
  const audit = await read('audit')
  expect(audit).toMatchObject({ step: run.best_step, graded: 0, upper: null })
  expect(Object.keys(audit.data[0])).toEqual(['rollout_id', 'messages', 'completion', 'grade'])
  const grades = ['fail', 'pass', 'pass'].map((verdict, index) => ({ ...audit.data[index], verdict }))
  for (const { rollout_id, verdict } of grades) {
    const body = { rollout_id, verdict, rationale: null, grader: 'ann' }
    const { body: graded } = await app.send('post', '/internal/grpo/grades', body)
    expect(graded.label).toMatchObject({ source: 'audit', rollout_id, criterion_id: null, blind: true })
  }
  expect(await read('audit')).toMatchObject({ graded: 3, false_pass: 1, upper: expect.closeTo(0.8646, 3) })
  const look = (await read('guard')).looks.find((each: { step: number }) => each.step === run.best_step)
  expect(look.human).toMatchObject({ graded: 3, false_pass: 1 })
})

it('names the unfinished runs that a criterion judges', async () => {
  const { id } = await app.create({ name: 'Kind' })
  const runsOf = async (uuid: string) =>
    (await app.send('get', `/internal/grpo/criterion-runs?criterion_id=crit_${uuid.replaceAll('-', '')}`)).body.runs
  expect(await runsOf(rewardId)).toEqual(['Kind'])
  expect(await runsOf(otherId)).toEqual(['Kind'])
  await app.send('post', `/v1/grpo/runs/${id}/cancel`)
  expect(await runsOf(rewardId)).toEqual([])
})
