import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import {
  aloneId,
  badId,
  datasetId,
  fileId,
  goneId,
  type JobApp,
  jobApp,
  largeId,
  ofRunsId,
  retiredId,
  siblingId,
  splitId,
} from './job-app.fixture.ts'

const path = '/v1/fine_tuning/jobs'
const least = { model: 'sim/small', datasetId }
const report = {
  examples: 20,
  used: 20,
  validation: 0,
  too_long: 0,
  empty: 0,
  invalid: 0,
  first_invalid: null,
  duplicates: 0,
  leaked_from_eval: 0,
  tokens: 1_000,
  p50_tokens: 50,
  p95_tokens: 60,
  stop_token_trained: null,
  template_sha256: null,
}
/** A job with an eval by this judge. */
const evaluatedBy = (criterionId: string) => ({
  ...least,
  afterTraining: { evalBaselineModel: 'sim/small', criterionId },
})
const openAi = { 'user-agent': 'OpenAI/JS 7.57.0' }

/** Creates a job and returns its id. */
async function create(app: JobApp, body: object = least): Promise<string> {
  const { body: job } = await app.send('post', path, { body })
  return job.id
}

describe('creating a job', () => {
  it('holds the estimate with room, and shows the job', async () => {
    const app = jobApp()
    const { status, body } = await app.send('post', path, { body: { ...least, metadata: { team: 'a' } } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      object: 'fine_tuning.job',
      id: expect.stringMatching(/^ftjob-[0-9a-f]{32}$/),
      status: 'validating_files',
      model: 'sim/small',
      fine_tuned_model: null,
      organization_id: app.workspaceId,
      dataset_id: datasetId,
      training_file: null,
      method: { type: 'supervised', supervised: { hyperparameters: null } },
      hyperparameters: { n_epochs: 'auto', batch_size: 'auto', learning_rate_multiplier: 'auto' },
      seed: 42,
      trainer: 'sim',
      trained_tokens: null,
      tokens_exact: false,
      cost_usd: 0,
      error: null,
      metadata: { team: 'a' },
    })
    expect(body.held_usd).toBeCloseTo(body.estimated_cost_usd * 1.15, 5)
    expect(app.holds).toMatchObject([{ hold: { holdNumber: 1, model: 'sim/small' } }])
    expect(Number(app.holds[0]?.amountNano)).toBeCloseTo(body.held_usd * 1e9)
    const message = expect.stringMatching(/^Job created. At most \$[0-9.]+ is held.$/)
    expect(app.events).toMatchObject([{ level: 'info', type: 'message', message }])
  })

  it('holds no more than the maximum cost', async () => {
    const app = jobApp()
    const { body } = await app.send('post', path, { body: { ...least, maxCostUsd: 0.0001 } })
    expect(body).toMatchObject({ held_usd: 0.0001, max_cost_usd: 0.0001 })
  })

  it('validates with the other side of the split', async () => {
    const { body } = await jobApp().send('post', path, { body: { ...least, datasetId: splitId } })
    expect(body).toMatchObject({ dataset_id: splitId, eval_dataset_id: siblingId })
  })

  it('validates with a part of the data when what was held out is deleted', async () => {
    const { status, body } = await jobApp().send('post', path, { body: { ...least, datasetId: aloneId } })
    expect([status, body.eval_dataset_id]).toEqual([200, null])
    const named = { ...least, evalDatasetId: 'ds_00000000000070008000000000000008' }
    expect((await jobApp().send('post', path, { body: named })).body.error.param).toBe('evalDatasetId')
  })

  it('creates one job for one Idempotency-Key', async () => {
    const app = jobApp()
    const headers = { 'idempotency-key': 'k1' }
    const first = await app.send('post', path, { body: least, headers })
    const second = await app.send('post', path, { body: { model: 'sim/small', dataset_id: datasetId }, headers })
    expect([second.body.id, second.headers['idempotent-replay']]).toEqual([first.body.id, 'true'])
    expect(app.stored.size).toBe(1)
    const other = await app.send('post', path, { body: { ...least, seed: 1 }, headers })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('creates nothing when the wallet does not cover it', async () => {
    const app = jobApp({ covers: false })
    const { status, body } = await app.send('post', path, { body: least })
    expect([status, body.error.code, app.stored.size]).toEqual([402, 'insufficient_balance', 0])
  })

  it('creates no more than a hundred that have not ended, and holds nothing then', async () => {
    const app = jobApp()
    for (let count = 0; count < 100; count += 1) await app.send('post', path, { body: least })
    const { status, body } = await app.send('post', path, { body: least })
    expect([status, body.error.code, app.stored.size, app.holds.length]).toEqual([403, 'quota_exceeded', 100, 100])
    const [id] = app.stored.keys()
    await app.send('post', `${path}/${publicId('fineTuningJob', id ?? '')}/cancel`)
    expect((await app.send('post', path, { body: least })).status).toBe(200)
  })

  it('gives the hold back when the job cannot be stored, unless the request can be repeated', async () => {
    const app = jobApp({ jobs: { create: () => Promise.reject(new Error('the database is away')) } })
    expect((await app.send('post', path, { body: least })).status).toBe(500)
    expect(app.released).toEqual([app.holds[0]?.hold])
    const headers = { 'idempotency-key': 'k1' }
    expect((await app.send('post', path, { body: least, headers })).status).toBe(500)
    expect([app.holds.length, app.released.length]).toEqual([2, 1])
  })

  it.each<[string, object, string]>([
    ['neither data', { model: 'sim/small' }, 'datasetId'],
    ['both data', { ...least, trainingFile: fileId }, 'datasetId'],
    ['other settings', { ...least, method: { type: 'supervised', dpo: {} } }, 'method'],
    ['two values', { ...least, n_checkpoints: 1, nCheckpoints: 2 }, 'nCheckpoints'],
  ])('refuses %s with a flat error', async (_, body, word) => {
    for (const each of [path, `${path}/estimate`]) {
      const answer = await jobApp().send('post', each, { body })
      expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(word) }])
    }
  })

  it.each<[string, object, number, string, string]>([
    ['a model that cannot be trained', { ...least, model: 'sim/large' }, 400, 'model_not_trainable', 'model'],
    ['a method without a price', { ...least, method: { type: 'dpo' } }, 400, 'model_not_trainable', 'model'],
    ['another trainer', { ...least, trainer: 'process' }, 400, 'invalid_request', 'trainer'],
    ['all weights', { ...least, training: 'full' }, 400, 'invalid_request', 'training'],
    ['an unknown dataset', { ...least, datasetId: 'ds_9' }, 404, 'not_found', 'datasetId'],
    ['an unknown file', { model: 'sim/small', training_file: 'file-9' }, 404, 'not_found', 'training_file'],
    ['bad data', { model: 'sim/small', trainingFile: badId }, 400, 'invalid_training_data', 'trainingFile'],
    ['an unknown judge', evaluatedBy(goneId), 404, 'not_found', 'afterTraining.criterionId'],
    ['a judge of runs', evaluatedBy(ofRunsId), 400, 'unsupported_unit', 'afterTraining.criterionId'],
    ['a retired judge', evaluatedBy(retiredId), 400, 'invalid_request', 'afterTraining.criterionId'],
    ['an unknown key', { ...least, nope: 1 }, 400, 'unknown_parameter', 'nope'],
  ])('refuses %s', async (_, body, status, code, param) => {
    const app = jobApp()
    const answer = await app.send('post', path, { body })
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([status, code, param])
    expect([app.stored.size, app.holds.length]).toEqual([0, 0])
  })

  it('says what is wrong with the data, and which models can be trained', async () => {
    const bad = await jobApp().send('post', path, { body: { model: 'sim/small', trainingFile: badId } })
    expect(bad.body.error.details).toMatchObject({ examples: 11, invalid: 1, first_invalid: { line: 11 } })
    const other = await jobApp().send('post', path, { body: { ...least, model: 'sim/large' } })
    expect(other.body.error.details).toEqual({ trainable: ['sim/small'] })
  })
})

describe('estimating a job', () => {
  it('reports cost, time and data, and holds nothing', async () => {
    const app = jobApp()
    const { status, body } = await app.send('post', `${path}/estimate`, { body: least })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      object: 'fine_tuning.estimate',
      examples: 20,
      tokens_exact: false,
      queue_seconds: 0,
      data_report: { examples: 20, used: 20, invalid: 0 },
    })
    expect(body.training_tokens).toBe(3 * body.data_report.tokens)
    expect(body.estimated_seconds).toBe(Math.ceil(body.training_tokens / 100))
    expect(body.estimated_cost_usd).toBeCloseTo(body.training_tokens / 1e6, 6)
    expect([app.holds, app.stored.size]).toEqual([[], 0])
  })

  it('does not read large data while the user waits', async () => {
    const { body } = await jobApp().send('post', `${path}/estimate`, {
      body: { model: 'sim/small', trainingFile: largeId },
    })
    expect(body).toMatchObject({ examples: null, data_report: null })
    expect(body.training_tokens).toBeGreaterThan(4_000_000)
  })
})

describe('reading jobs', () => {
  it('lists a plain array, and an object for clients of OpenAI and with `envelope`', async () => {
    const app = jobApp()
    const ids = [await create(app), await create(app), await create(app)].reverse()
    expect((await app.send('get', path)).body.map(({ id }: { id: string }) => id)).toEqual(ids)
    for (const [query, headers] of [
      ['?limit=2&envelope=true', {}],
      ['?limit=2', openAi],
    ] as const) {
      const { body } = await app.send('get', `${path}${query}`, { headers })
      expect(body).toMatchObject({ object: 'list', data: [{ id: ids[0] }, { id: ids[1] }], has_more: true })
    }
    const rest = await app.send('get', `${path}?after=${ids[1]}`)
    expect(rest.body).toMatchObject([{ id: ids[2] }])
    expect((await app.send('get', `${path}?envelope=false`, { headers: openAi })).body).toHaveLength(3)
  })

  it('shows no job of another workspace', async () => {
    const app = jobApp()
    const id = await create(app)
    for (const [method, rest] of [
      ['get', ''],
      ['post', '/cancel'],
      ['get', '/events'],
      ['get', '/metrics'],
    ] as const) {
      const own = await app.send(method, `${path}/${id}${rest}`, { by: randomUUID() })
      const none = await app.send(method, `${path}/ftjob-1${rest}`)
      expect([own.status, own.body]).toEqual([404, none.body])
    }
  })

  it('shows settings and estimates of time when they are known', async () => {
    const app = jobApp()
    const id = await create(app)
    app.change(id, { status: 'running', dataReport: report, step: 3, phase: 'training', lostAttempts: 1 })
    const { body } = await app.send('get', `${path}/${id}`)
    expect(body).toMatchObject({
      phase: 'training',
      attempts: 1,
      progress: { step: 3 },
      method: { supervised: { hyperparameters: { n_epochs: 3, lora_rank: 16, max_sequence_length: 1_000 } } },
      data_report: report,
    })
    expect(body.estimated_finish).toBeNull()
  })

  it('estimates the end of a job at the pace of its present trainer, without the pause before it', async () => {
    const app = jobApp()
    const id = await create(app)
    const created = (await app.send('get', `${path}/${id}`)).body.created_at
    const run = { since: new Date((created - 60) * 1_000), fromStep: 4 }
    const finishAt = async (step: number) => {
      app.change(id, { status: 'running', totalSteps: 10, run, step })
      return (await app.send('get', `${path}/${id}`)).body.estimated_finish
    }
    expect([await finishAt(4), await finishAt(6), await finishAt(10)]).toEqual([null, created + 120, created])
  })
})

describe('changing a job', () => {
  it('cancels, also twice', async () => {
    const app = jobApp()
    const id = await create(app)
    for (const _ of [1, 2]) {
      const { status, body } = await app.send('post', `${path}/${id}/cancel`)
      expect([status, body.status]).toEqual([200, 'cancelled'])
    }
  })

  it('does not cancel what has ended', async () => {
    const app = jobApp()
    const id = await create(app)
    app.change(id, { status: 'succeeded', finishedAt: new Date() })
    const { status, body } = await app.send('post', `${path}/${id}/cancel`)
    expect([status, body.error.code]).toEqual([409, 'conflict'])
  })

  it('pauses only a running job, also twice', async () => {
    const app = jobApp()
    const id = await create(app)
    expect((await app.send('post', `${path}/${id}/pause`)).status).toBe(409)
    app.change(id, { status: 'running' })
    expect((await app.send('post', `${path}/${id}/pause`)).status).toBe(200)
    app.change(id, { status: 'paused' })
    expect((await app.send('post', `${path}/${id}/pause`)).body.status).toBe('paused')
    app.change(id, { status: 'running', asked: 'cancel' })
    expect((await app.send('post', `${path}/${id}/pause`)).status).toBe(409)
  })

  it('resumes with a hold for what is left', async () => {
    const app = jobApp()
    const id = await create(app)
    const [first] = app.holds
    app.change(id, { status: 'paused', heldNano: 0n, costNano: 1_000_000n, totalTokens: 5_000n })
    const { status, body } = await app.send('post', `${path}/${id}/resume`)
    expect([status, body.status, body.held_usd]).toEqual([200, 'queued', 0.004])
    expect(app.holds[1]).toMatchObject({ hold: { jobId: first?.hold.jobId, holdNumber: 2 }, amountNano: 4_000_000n })
    expect((await app.send('post', `${path}/${id}/resume`)).status).toBe(409)
    const again = await app.send('post', `${path}/${id}/resume`, { headers: { 'idempotency-key': 'k2' } })
    expect([again.status, again.body.status, app.holds.length]).toEqual([200, 'queued', 2])
    expect(app.released).toEqual([])
  })

  it('cancels a paused job with the hold of a resumption that failed, which can be repeated until then', async () => {
    const app = jobApp({ jobs: { resume: () => Promise.reject(new Error('the database is away')) } })
    const id = await create(app)
    app.change(id, { status: 'paused', heldNano: 0n })
    expect((await app.send('post', `${path}/${id}/resume`)).status).toBe(500)
    expect(app.released).toEqual([])
    expect((await app.send('post', `${path}/${id}/cancel`)).body.status).toBe('cancelled')
    const asked = app.holds.map(({ hold }) => [hold.holdNumber, typeof hold.keyId])
    expect(asked).toEqual([
      [1, 'string'],
      [2, 'string'],
    ])
    expect(app.released).toMatchObject([{ jobId: app.holds[1]?.hold.jobId, holdNumber: 2 }])
  })

  it('does not resume when the wallet does not cover it', async () => {
    const app = jobApp({ covers: false })
    const rich = jobApp()
    const id = await create(rich)
    const [job] = rich.stored.values()
    if (job === undefined) throw new Error('no job')
    app.stored.set(job.id, { ...job, workspaceId: app.workspaceId, status: 'paused', heldNano: 0n })
    const { status, body } = await app.send('post', `${path}/${id}/resume`)
    expect([status, body.error.code]).toEqual([402, 'insufficient_balance'])
  })
})

it.each([
  [{ datasetId }, datasetId],
  [{ trainingFile: fileId }, fileId],
  [{ datasetId, evalDatasetId: siblingId }, siblingId],
])('counts the jobs that have to read data, for its owner (%j)', async (sources, id) => {
  const app = jobApp()
  await create(app, { model: 'sim/small', ...sources })
  const readers = async (of: string, by?: string) =>
    (await app.send('get', `/internal/training/data-readers?source_id=${of}`, by === undefined ? {} : { by })).body.jobs
  expect([await readers(id), await readers(badId), await readers('x'), await readers(id, randomUUID())]).toEqual([
    1, 0, 0, 0,
  ])
})

it('lists the models that can be trained', async () => {
  const { body } = await jobApp().send('get', '/v1/fine_tuning/models')
  expect(body).toEqual([
    {
      id: 'sim/small',
      object: 'trainable_model',
      methods: ['supervised'],
      trainers: ['sim'],
      max_context: 1_000,
      lora_ranks: [8, 16],
      full: false,
      supports_tools: true,
      chat_template_sha256: null,
      license: 'Apache-2.0',
      pricing: { supervised_per_mtok: 1, dpo_per_mtok: null, grpo_train_per_mtok: null, grpo_sample_per_mtok: null },
      retires_at: null,
      served_by: ['pool'],
      capacity: { gpus_total: 2, gpus_free: 1, queue_length: 3, estimated_wait_seconds: 0 },
    },
  ])
})
