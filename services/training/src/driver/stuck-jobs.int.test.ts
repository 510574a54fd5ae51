import { eventually } from '@ratchet/testing/eventually'
import { maxDataTries } from './next-job.ts'
import { type TrainingRun, trainingRun } from './training-run.fixture.ts'

let run: TrainingRun

beforeAll(async () => {
  run = await trainingRun()
})
afterAll(() => run.drop())

const failed = (id: string) =>
  eventually(async () => {
    const job = await run.job(id)
    expect(job).toMatchObject({ status: 'failed', held_nano: '0', error_code: 'service_unavailable', cost_nano: '0' })
    expect(run.money.hasOpenHold(id)).toBe(false)
    return job
  })

it('fails a job whose data cannot be read, after some pauses', async () => {
  const worker = run.startWorker()
  const id = await run.createJob({ data: new Error('no storage') })
  for (let tries = 1; tries <= maxDataTries; tries += 1) {
    await eventually(async () => {
      const job = await run.job(id)
      expect(job.data_tries).toBe(tries)
      if (tries < maxDataTries) expect(job.leased_until - Date.now()).toBeGreaterThan(50_000 * 2 ** (tries - 1))
    })
    if (tries === maxDataTries) break
    expect(run.money.heldFor(id)).toBeGreaterThan(0n)
    await run.passTime(id)
  }
  await failed(id)
  await worker.stop()
  expect(run.money.failures.splice(0)).toHaveLength(maxDataTries)
  expect(run.money.notes.splice(0)).toEqual([expect.stringContaining('could not be read in 5 attempts')])
})

it('counts readings in which a worker died', async () => {
  const id = await run.createJob({ data: Buffer.from('{}\n') })
  await run.operator.query('UPDATE training_job SET data_tries = $2 WHERE id = $1', [id, maxDataTries])
  const worker = run.startWorker()
  await failed(id)
  await worker.stop()
})

it('fails a job whose trainer no worker has had for a day', async () => {
  const id = await run.createJob()
  const without = run.startWorker({ hasTrainer: false })
  const waiting = await eventually(async () => {
    const job = await run.job(id)
    expect(job.unoffered_since).not.toBeNull()
    return job
  })
  expect(waiting).toMatchObject({ status: 'queued', waiting_for: 'gpu' })
  run.money.notes.splice(0)
  const text = `UPDATE training_job SET unoffered_since = now() - interval '1 day' WHERE id = $1`
  await run.operator.query(text, [id])
  await run.passTime(id)
  await failed(id)
  await without.stop()
  expect(run.money.notes.splice(0)).toEqual([expect.stringContaining('not been available for a day')])
})

it('trains a job when its trainer is there again', async () => {
  const id = await run.createJob()
  const text = `UPDATE training_job SET unoffered_since = now() - interval '2 days' WHERE id = $1`
  await run.operator.query(text, [id])
  const worker = run.startWorker()
  await eventually(async () => expect(await run.job(id)).toMatchObject({ status: 'succeeded', held_nano: '0' }))
  await worker.stop()
})
