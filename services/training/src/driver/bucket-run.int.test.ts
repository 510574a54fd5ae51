import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { createS3Artifacts } from '../artifacts/s3-artifacts.ts'
import { type S3Server, startS3Server } from '../artifacts/s3-server.fixture.ts'
import { type TrainingRun, trainingRun } from './training-run.fixture.ts'

let server: S3Server
let run: TrainingRun

beforeAll(async () => {
  server = await startS3Server()
  const { bucket, endpoint, credentials } = server
  const store = createS3Artifacts({
    bucket,
    endpoint,
    credentials,
    region: 'us-east-1',
    now: () => new Date(),
    newId: randomUUID,
  })
  run = await trainingRun({ store })
})
afterAll(async () => {
  await run.drop()
  await server.stop()
})

it('trains with data and checkpoints in a bucket, over a killed worker, as with a folder', async () => {
  const id = await run.createJob()
  const worker = run.startWorker({ jobMs: 1_500 })
  await eventually(async () => expect((await run.attempts(id))[0]?.step).toBeGreaterThanOrEqual(5))
  await worker.kill()
  await run.passTime(id)
  const other = run.startWorker()
  await eventually(async () => expect(await run.job(id)).toMatchObject({ status: 'succeeded', held_nano: '0' }))
  await other.stop()
  expect((await run.checkpoints(id)).map(({ step }) => step)).toEqual([2, 4, 6, 8])
  expect(run.money.postings.get(id)?.reduce((sum, each) => sum + each)).toBe(8_000_000n)
  expect((await run.adapter(id, 8)).length).toBeGreaterThan(1_000)
})
