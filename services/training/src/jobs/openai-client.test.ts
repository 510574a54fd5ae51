import { type ServedApp, serveTestApp } from '@ratchet/testing/service-app'
import OpenAI from 'openai'
import { fileId, type JobApp, jobApp } from './job-app.fixture.ts'

let app: JobApp
let served: ServedApp
let client: OpenAI

beforeAll(async () => {
  app = jobApp()
  served = await serveTestApp(app.app)
  client = new OpenAI({
    apiKey: 'unused',
    baseURL: `${served.origin}/v1`,
    maxRetries: 0,
    // Signs each request as the edge would.
    fetch: (url, init) => {
      const { pathname, search } = new URL(String(url))
      const signed = app.headersFor(init?.method ?? 'GET', `${pathname}${search}`)
      return fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...signed } })
    },
  })
})

afterAll(() => served.stop())

it("OpenAI's client creates a job, watches it, lists it and cancels it", async () => {
  const jobs = client.fineTuning.jobs
  const created = await jobs.create({
    model: 'sim/small',
    training_file: fileId,
    suffix: 'test',
    method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2, batch_size: 4 } } },
  })
  expect(created).toMatchObject({ object: 'fine_tuning.job', status: 'validating_files', training_file: fileId })
  expect((await jobs.retrieve(created.id)).id).toBe(created.id)
  const listed: string[] = []
  for await (const job of jobs.list({ limit: 1 })) listed.push(job.id)
  expect(listed).toEqual([created.id])
  expect((await jobs.listEvents(created.id)).data).toEqual([])
  expect((await jobs.checkpoints.list(created.id)).data).toEqual([])
  app.change(created.id, { status: 'running' })
  expect((await jobs.pause(created.id)).status).toBe('running')
  app.change(created.id, { status: 'paused', heldNano: 0n })
  expect((await jobs.resume(created.id)).status).toBe('queued')
  expect((await jobs.cancel(created.id)).status).toBe('cancelled')
  await expect(jobs.retrieve('ftjob-none')).rejects.toMatchObject({ status: 404, code: 'not_found' })
})
