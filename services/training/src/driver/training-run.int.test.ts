import { trainerExits } from '@ratchet/contracts/trainer-protocol'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { attemptSettings } from '../attempts/attempt.fixture.ts'
import { crashingTrainer } from '../trainers/crashing-trainer.fixture.ts'
import { type TrainingRun, trainingRun } from './training-run.fixture.ts'

let run: TrainingRun

beforeAll(async () => {
  run = await trainingRun()
})
afterAll(() => run.drop())
afterEach(() => expect(run.money.failures.splice(0)).toEqual([]))

const endOf = (id: string, status: string) =>
  eventually(async () => {
    const job = await run.job(id)
    expect(job).toMatchObject({ status, held_nano: '0' })
    return job
  })
const chargedFor = (id: string) => (run.money.postings.get(id) ?? []).reduce((sum, each) => sum + each, 0n)
const stepsOf = async (id: string) => (await run.checkpoints(id)).map(({ step }) => step)

it('takes a job from the queue to its result, and charges each checkpoint', async () => {
  const worker = run.startWorker()
  const id = await run.createJob()
  const job = await endOf(id, 'succeeded')
  await worker.stop()
  expect(job).toMatchObject({ step: 8, lost_attempts: 0, cost_nano: '8000000', error_code: null, stopped_early: null })
  expect(job.started_at).not.toBeNull()
  expect(await stepsOf(id)).toEqual([2, 4, 6, 8])
  expect((await run.checkpoints(id)).map(({ servable }) => servable)).toEqual([false, true, false, true])
  expect(run.money.postings.get(id)?.reduce((sum, each) => sum + each)).toBe(8_000_000n)
  expect([run.money.heldFor(id), run.money.hasOpenHold(id)]).toEqual([0n, false])
  const metrics = await run.operator.query('SELECT * FROM training_metric WHERE job_id = $1 ORDER BY step', [id])
  expect(metrics.rows.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const losses = metrics.rows.map(({ values }) => JSON.parse(values).train_loss)
  expect(losses.at(-1)).toBeLessThan(losses[0] / 2)
  const [attempt] = await run.attempts(id)
  expect(attempt).toMatchObject({ generation: 1, exit: 'succeeded' })
  expect(JSON.parse(attempt.fingerprint).probes).toHaveLength(8)
})

const lineOf = (index: number) =>
  `${JSON.stringify({
    messages: [
      { role: 'user', content: `Question ${index}` },
      { role: 'assistant', content: `Answer ${index}`, weight: 1 },
    ],
  })}\n`

it('reads the data of a job first, holds what its tokens cost, and trains on what is left for it', async () => {
  const worker = run.startWorker({ jobMs: 100 })
  const lines = Array.from({ length: 300 }, (_, index) => lineOf(index))
  const settings = attemptSettings()
  const small = { ...settings, plan: { ...settings.plan, total_tokens: 10 } }
  const id = await run.createJob({ settings: small, data: Buffer.from(lines.join('')) })
  const job = await endOf(id, 'succeeded')
  await worker.stop()
  const report = JSON.parse(job.data_report)
  expect(report.used + report.validation).toBe(300)
  const { plan } = JSON.parse(job.settings)
  expect(job).toMatchObject({
    total_tokens: String(plan.total_tokens),
    tokens_exact: false,
    total_steps: plan.total_steps,
  })
  expect(plan.total_tokens).toBe(report.tokens * 3)
  expect(chargedFor(id)).toBe(BigInt(plan.total_tokens) * 1_000n)
  const metrics = JSON.parse((await run.checkpoints(id)).at(-1).metrics)
  expect(metrics.valid_loss).toEqual(expect.any(Number))
})

it('fails a job that nothing can be trained on, and charges nothing', async () => {
  const worker = run.startWorker()
  const id = await run.createJob({ data: Buffer.from('no example\n') })
  const job = await endOf(id, 'failed')
  await worker.stop()
  expect(job).toMatchObject({ error_code: 'invalid_training_data', error_param: 'datasetId', cost_nano: '0' })
  expect(JSON.parse(job.data_report).invalid).toBe(1)
  expect(run.money.heldFor(id)).toBe(0n)
  expect(await run.attempts(id)).toEqual([])
})

it('keeps only what a job still needs: servable adapters, and the state of the last checkpoint', async () => {
  const worker = run.startWorker()
  const id = await run.createJob()
  await endOf(id, 'succeeded')
  await worker.stop()
  const text = `SELECT c.step, count(r.sha256)::int AS files FROM checkpoint c
    LEFT JOIN artifact_reference r ON r.holder = c.id WHERE c.job_id = $1 GROUP BY c.step ORDER BY c.step`
  const { rows } = await run.operator.query(text, [id])
  expect(rows).toEqual([
    { step: 2, files: 0 },
    { step: 4, files: 2 },
    { step: 6, files: 0 },
    { step: 8, files: 3 },
  ])
})

const seed = Math.floor(performance.timeOrigin) % 1_000_000
/** Three of the 30 steps at random, in ascending order. */
function killSteps(): readonly number[] {
  const random = seededRandom(seed)
  return [2, 9, 16].map((from) => from + Math.floor(random() * 7))
}

it(`ends with the same adapter and charge when workers are killed at random steps (seed ${seed})`, async () => {
  const settings = attemptSettings({
    plan: { total_steps: 30, total_tokens: 30_000, servable_steps: [30], save_every_steps: 4, save_every_seconds: 300 },
  })
  const undisturbed = await run.createJob({ settings })
  const first = run.startWorker()
  await endOf(undisturbed, 'succeeded')
  await first.stop()
  const id = await run.createJob({ settings })
  for (const [index, step] of killSteps().entries()) {
    const worker = run.startWorker({ jobMs: 1_500 })
    await eventually(async () => expect((await run.attempts(id))[index]?.step).toBeGreaterThanOrEqual(step))
    await worker.kill()
    await run.passTime(id)
  }
  const last = run.startWorker()
  await endOf(id, 'succeeded')
  await last.stop()
  expect(await run.adapter(id, 30)).toEqual(await run.adapter(undisturbed, 30))
  expect(chargedFor(id)).toBe(30_000_000n)
  expect((await run.job(id)).lost_attempts).toBe(3)
  expect((await run.attempts(id)).map(({ exit }) => exit)).toEqual(['lost', 'lost', 'lost', 'succeeded'])
  expect((await run.checkpoints(id)).at(-1)?.sha256).toBe((await run.checkpoints(undisturbed)).at(-1)?.sha256)
})

it('goes on elsewhere when a worker is stopped, and counts no lost attempt', async () => {
  const id = await run.createJob()
  const worker = run.startWorker({ jobMs: 2_000 })
  await eventually(async () => expect((await run.job(id)).step).toBeGreaterThanOrEqual(3))
  await worker.stop()
  expect(await run.attempts(id)).toMatchObject([{ exit: 'stopped' }])
  const other = run.startWorker()
  await endOf(id, 'succeeded')
  await other.stop()
  expect((await run.job(id)).lost_attempts).toBe(0)
  expect(chargedFor(id)).toBe(8_000_000n)
})

it('pauses with a checkpoint, holds nothing meanwhile, and resumes there', async () => {
  const worker = run.startWorker({ jobMs: 2_000 })
  const id = await run.createJob()
  await eventually(async () => expect((await run.job(id)).step).toBeGreaterThanOrEqual(3))
  await run.ask(id, 'pause')
  await endOf(id, 'paused')
  const [attempt] = await run.attempts(id)
  expect(attempt).toMatchObject({ exit: 'stopped' })
  const saved = (await run.checkpoints(id)).at(-1)
  expect(saved.step).toBeLessThan(8)
  expect(run.money.heldFor(id)).toBe(0n)
  expect(chargedFor(id)).toBe(BigInt(saved.trained_tokens) * 1_000n)
  await run.resume(id)
  await endOf(id, 'succeeded')
  await worker.stop()
  expect(chargedFor(id)).toBe(8_000_000n)
  expect((await run.job(id)).lost_attempts).toBe(0)
})

it('cancels, and charges what is durable', async () => {
  const worker = run.startWorker({ jobMs: 2_000 })
  const id = await run.createJob()
  await eventually(async () => expect((await run.job(id)).step).toBeGreaterThanOrEqual(3))
  await run.ask(id, 'cancel')
  await endOf(id, 'cancelled')
  await worker.stop()
  const saved = (await run.checkpoints(id)).at(-1)
  expect(chargedFor(id)).toBe(BigInt(saved.trained_tokens) * 1_000n)
  expect(run.money.heldFor(id)).toBe(0n)
})

it('fails a job whose loss is no number, after its last checkpoint before that', async () => {
  const base = attemptSettings()
  const settings = { ...base, hyperparameters: { ...base.hyperparameters, learning_rate: 1e-2 } }
  const worker = run.startWorker()
  const id = await run.createJob({ settings })
  const job = await endOf(id, 'failed')
  await worker.stop()
  expect(job).toMatchObject({ error_code: 'diverged', lost_attempts: 0 })
  expect(await stepsOf(id)).toEqual([2])
  expect(chargedFor(id)).toBe(2_000_000n)
})

it('fails a job whose trainer is lost five times', async () => {
  const worker = run.startWorker({ crashes: true })
  const id = await run.createJob()
  const job = await endOf(id, 'failed')
  await worker.stop()
  expect(job).toMatchObject({ error_code: 'trainer_lost', lost_attempts: 5, cost_nano: '0' })
  expect((await run.attempts(id)).map(({ exit }) => exit)).toEqual(['lost', 'lost', 'lost', 'lost', 'lost'])
  expect(run.money.heldFor(id)).toBe(0n)
})

it('fails a job whose trainer always stops without being asked, and saves nothing', async () => {
  const worker = run.startWorker({ trainerOf: (onExit) => crashingTrainer(onExit, trainerExits.stopped) })
  const id = await run.createJob()
  const job = await endOf(id, 'failed')
  await worker.stop()
  expect(job).toMatchObject({ error_code: 'trainer_lost', lost_attempts: 5, cost_nano: '0' })
  expect(run.money.heldFor(id)).toBe(0n)
})

it('ends at the last checkpoint that the maximum cost covers', async () => {
  const worker = run.startWorker()
  const id = await run.createJob({ maxCostNano: 5_000_000n })
  const job = await endOf(id, 'succeeded')
  await worker.stop()
  expect(job.stopped_early).toBe('max_cost')
  expect(await stepsOf(id)).toEqual([2, 4])
  expect(chargedFor(id)).toBe(4_000_000n)
})

it('runs no more attempts at once than the trainer has places, of several workspaces in turn', async () => {
  const worker = run.startWorker({ jobMs: 300 })
  const busy = '00000000-0000-7000-8000-0000000000aa'
  const ids = [
    await run.createJob({ workspaceId: busy }),
    await run.createJob({ workspaceId: busy, seed: 8 }),
    await run.createJob({ workspaceId: busy, seed: 9 }),
    await run.createJob({ seed: 10 }),
  ]
  for (const id of ids) await endOf(id, 'succeeded')
  await worker.stop()
  const text = `SELECT max(concurrent)::int AS most FROM (
    SELECT (SELECT count(*) FROM training_attempt b WHERE b.job_id = ANY($1) AND b.started_at <= a.started_at
      AND b.ended_at > a.started_at) AS concurrent FROM training_attempt a WHERE a.job_id = ANY($1)) AS counted`
  expect((await run.operator.query(text, [ids])).rows[0].most).toBeLessThanOrEqual(2)
})
