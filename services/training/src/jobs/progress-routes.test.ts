import { publicId } from '@ratchet/contracts/public-id'
import { datasetId, type JobApp, jobApp } from './job-app.fixture.ts'
import type { JobCheckpoint, JobEvent, ProgressStore, StepMetrics } from './progress-store.ts'

const at = new Date('2026-12-01T12:00:00Z')
const uuid = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
const eventId = (number: number) => publicId('fineTuningEvent', uuid(number))

const events: readonly JobEvent[] = [1, 2, 3].map((seq) => ({
  id: uuid(seq),
  seq,
  level: 'info',
  type: 'message',
  message: `Event ${seq}`,
  data: null,
  createdAt: at,
}))

const checkpoints: readonly JobCheckpoint[] = [20, 10].map((step) => ({
  id: uuid(step / 10),
  step,
  metrics: { train_loss: step / 10 },
  trainedTokens: step,
  versionName: step === 20 ? 'ft:sim/small:acme::k3m7q2xa' : null,
  sha256: 'ab',
  bytes: 5,
  durableAt: at,
}))

const metrics: readonly StepMetrics[] = Array.from({ length: 100 }, (_, step) => ({
  step,
  at,
  values: { train_loss: step === 50 ? 9 : 1, valid_loss: 2 },
}))

const progress: Partial<ProgressStore> = {
  eventsBefore: async (_, seq, limit) =>
    events
      .filter((event) => seq === null || event.seq < seq)
      .toReversed()
      .slice(0, limit),
  eventsAfter: async (_, seq, limit) => events.filter((event) => event.seq > seq).slice(0, limit),
  placeOf: async (_, id) => events.find((event) => event.id === id)?.seq ?? null,
  checkpoints: async (_, step, limit) =>
    checkpoints.filter((each) => step === null || each.step < step).slice(0, limit),
  stepOf: async (_, id) => checkpoints.find((each) => each.id === id)?.step ?? null,
  metrics: async (_, { fromStep }) => metrics.filter(({ step }) => step >= fromStep),
}

async function withJob(): Promise<{ readonly app: JobApp; readonly path: string; readonly id: string }> {
  const app = jobApp({ progress })
  const body = { model: 'sim/small', datasetId }
  const { id } = (await app.send('post', '/v1/fine_tuning/jobs', { body })).body
  return { app, id, path: `/v1/fine_tuning/jobs/${id}` }
}

describe('events', () => {
  it('are listed newest first, by page', async () => {
    const { app, path } = await withJob()
    const { body } = await app.send('get', `${path}/events?limit=2`)
    expect(body).toEqual({
      object: 'list',
      data: [
        expect.objectContaining({ id: eventId(3), message: 'Event 3' }),
        expect.objectContaining({ id: eventId(2) }),
      ],
      has_more: true,
    })
    const rest = await app.send('get', `${path}/events?after=${eventId(2)}`)
    expect(rest.body).toMatchObject({ data: [{ id: eventId(1), created_at: at.getTime() / 1_000 }], has_more: false })
    expect((await app.send('get', `${path}/events?after=ftevent-1`)).status).toBe(404)
  })

  it('are followed until the job has ended', async () => {
    const { app, path, id } = await withJob()
    app.change(id, { status: 'succeeded', finishedAt: at })
    const headers = { accept: 'text/event-stream' }
    const { text, headers: answered } = await app.send('get', `${path}/events`, { headers })
    expect(answered['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(framesOf(text)).toEqual([
      ...[1, 2, 3].map((seq) => [eventId(seq), 'fine_tuning.job.event', `Event ${seq}`]),
      [undefined, 'done', 'succeeded'],
    ])
  })

  it('are followed from the last one that the client has', async () => {
    const { app, path, id } = await withJob()
    app.change(id, { status: 'cancelled', finishedAt: at })
    const headers = { accept: 'text/event-stream', 'last-event-id': eventId(2) }
    const { text } = await app.send('get', `${path}/events`, { headers })
    expect(framesOf(text).map(([each]) => each)).toEqual([eventId(3), undefined])
  })

  it('are followed while the job runs', async () => {
    const { app, path, id } = await withJob()
    const answer = app.send('get', `${path}/events`, { headers: { accept: 'text/event-stream' } })
    setImmediate(() => app.change(id, { status: 'failed', finishedAt: at }))
    expect(framesOf((await answer).text).at(-1)).toEqual([undefined, 'done', 'failed'])
  })
})

it('lists checkpoints, the last one first, by page', async () => {
  const { app, path, id } = await withJob()
  const { body } = await app.send('get', `${path}/checkpoints?limit=1`)
  const first = publicId('fineTuningCheckpoint', uuid(2))
  expect(body).toEqual({
    object: 'list',
    data: [
      {
        object: 'fine_tuning.job.checkpoint',
        id: first,
        created_at: at.getTime() / 1_000,
        step_number: 20,
        fine_tuned_model_checkpoint: 'ft:sim/small:acme::k3m7q2xa',
        model_version_id: expect.stringMatching(/^mv_[0-9a-f]{32}$/),
        fine_tuning_job_id: id,
        metrics: { step: 20, train_loss: 2 },
        trained_tokens: 20,
        sha256: 'ab',
        size_bytes: 5,
      },
    ],
    first_id: first,
    last_id: first,
    has_more: true,
  })
  const rest = await app.send('get', `${path}/checkpoints?after=${first}`)
  expect(rest.body).toMatchObject({ data: [{ step_number: 10 }], has_more: false })
})

it('searches few names of metrics at a time', async () => {
  const { app, path } = await withJob()
  const statusOf = async (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `m${index}`).join(',')
    return (await app.send('get', `${path}/metrics?names=${names}`)).status
  }
  expect([await statusOf(20), await statusOf(21)]).toEqual([200, 400])
})

it('thins metrics so that peaks stay, and selects them by name', async () => {
  const { app, path } = await withJob()
  const { body } = await app.send('get', `${path}/metrics?names=train_loss&points=10`)
  expect(body.data.length).toBeLessThanOrEqual(10)
  expect(body.data).toContainEqual({ step: 50, at: at.toISOString(), values: { train_loss: 9 } })
  expect((await app.send('get', `${path}/metrics?from_step=98`)).body.data).toHaveLength(2)
  expect((await app.send('get', `${path}/metrics?points=1`)).status).toBe(400)
})

/** Id, name, and message or status of each event of a stream. */
function framesOf(text: string): readonly (readonly (string | undefined)[])[] {
  const frames = text.split('\n\n').filter((frame) => frame.includes('data: '))
  return frames.map((frame) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
    const data = JSON.parse(field('data') ?? '{}') as { readonly message?: string; readonly status?: string }
    return [field('id'), field('event'), data.message ?? data.status]
  })
}
