import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type OpenAI, toFile } from 'openai'
import { openaiFor } from './clients.ts'
import { readJson } from './fine-tuning/read-json.ts'
import type { Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { ratchetOf } from './ratchet-command.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

/* Fine-tuning jobs on a fleet, with the simulated trainer: created, watched and stopped by OpenAI's own client. */

let fleet: SharedFleet
beforeAll(async () => {
  fleet = await shareFleet()
}, 300_000)

const model = 'sim/small'
/** Nano-dollars of a million trained tokens of that model. */
const priceNanoPerMtok = 800_000_000n
const jobsPath = '/v1/fine_tuning/jobs'

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const messages = [
      { role: 'user', content: `Where is parcel ${index}? It was sent on day ${index} of the month.` },
      { role: 'assistant', content: `Parcel ${index} is on its way, and comes within three days.` },
    ]
    return JSON.stringify({ messages })
  }).join('\n')

async function upload(openai: OpenAI, count = 40): Promise<string> {
  const file = await toFile(Buffer.from(lines(count)), 'train.jsonl')
  return (await openai.files.create({ file, purpose: 'fine-tune' })).id
}

const ended = (openai: OpenAI, id: string) => reaches(openai, id, ['succeeded', 'failed', 'cancelled'])

/** Waits for one of these statuses, and returns the whole job. */
async function reaches(openai: OpenAI, id: string, statuses: readonly string[]): Promise<Json> {
  return eventually(
    async () => {
      const job = (await openai.fineTuning.jobs.retrieve(id)) as unknown as Json
      return statuses.includes(job.status) ? job : null
    },
    { withinMs: 60_000, everyMs: 100 },
  )
}

/** The cost of so many tokens: in whole micro-dollars, rounded up once. */
function costNano(tokens: number): bigint {
  return ((BigInt(tokens) * priceNanoPerMtok + 999_999_999n) / 1_000_000_000n) * 1_000n
}

const ask = (
  { apiKey }: Pick<DemoWorkspace, 'apiKey'>,
  method: string,
  path: string,
  { body, headers = {} }: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {},
) => readJson(`${fleet.url}${path}`, { method, apiKey, body, headers })

describe('a fine-tuning job by the openai package', () => {
  let workspace: DemoWorkspace
  let openai: OpenAI
  let job: Json
  beforeAll(async () => {
    workspace = await workspaceWith(fleet)
    openai = openaiFor(fleet, workspace)
    const training_file = await upload(openai)
    const created = await openai.fineTuning.jobs.create({
      model,
      training_file,
      seed: 7,
      suffix: 'first',
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3 } } },
    })
    expect(['validating_files', 'queued']).toContain(created.status)
    job = await ended(openai, created.id)
  }, 120_000)

  it('succeeds, with a report of its data', () => {
    expect(job).toMatchObject({
      object: 'fine_tuning.job',
      status: 'succeeded',
      model,
      seed: 7,
      suffix: 'first',
      error: null,
      attempts: 0,
      data_report: { examples: 40, invalid: 0, duplicates: 0 },
    })
    expect(job.progress.step).toBe(job.progress.total_steps)
    expect(job.finished_at).toBeGreaterThanOrEqual(job.created_at)
  })

  it('has one file with the figures of its steps', async () => {
    const [id] = job.result_files
    expect(job.result_files).toEqual([expect.stringMatching(/^file-/)])
    const file = await openai.files.retrieve(id)
    expect(file).toMatchObject({ filename: 'step_metrics.csv', purpose: 'fine-tune-results', status: 'processed' })
    const [header, ...lines] = (await (await openai.files.content(id)).text()).trimEnd().split('\n')
    expect(header).toBe('step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy')
    const figures = lines.map((line) => line.split(',').slice(0, 2).map(Number))
    expect(figures.at(-1)?.[0]).toBe(job.progress.total_steps)
    expect(figures.every(([, loss]) => (loss ?? 0) > 0)).toBe(true)
    const listed = await openai.files.list({ purpose: 'fine-tune-results' })
    expect(listed.data.map((each) => each.id)).toContain(id)
    const other = openaiFor(fleet, await workspaceWith(fleet))
    await expect(other.files.content(id)).rejects.toMatchObject({ status: 404 })
  })

  it('charges exactly the tokens until its last checkpoint, and holds nothing', async () => {
    const { data } = await openai.fineTuning.jobs.checkpoints.list(job.id)
    const [last] = data as unknown as readonly Json[]
    const cost = costNano(last.trained_tokens)
    expect(last.trained_tokens).toBe(job.trained_tokens)
    expect(last.trained_tokens).toBe(job.training_tokens)
    const ledger = await ledgerAtRest(fleet, workspace)
    expect({
      charged: ledger.charged,
      held: ledger.held,
      balance: ledger.balance,
      violations: ledger.violations,
    }).toEqual({ charged: cost, held: 0n, balance: 10_000_000_000n - cost, violations: [] })
    expect([job.cost_usd, job.held_usd]).toEqual([Number(cost) / 1e9, 0])
  })

  it('names the model that answers as it was trained, and the models of its checkpoints', async () => {
    const { data } = await openai.fineTuning.jobs.checkpoints.list(job.id)
    expect(data[0]?.fine_tuned_model_checkpoint).toBe(job.fine_tuned_model)
    const asked = { model: job.fine_tuned_model, messages: [{ role: 'user' as const, content: 'Where is parcel 3?' }] }
    // A new name is known after a second.
    const answer = await eventually(() => openai.chat.completions.create(asked).catch(() => null), { withinMs: 10_000 })
    expect(job.fine_tuned_model).toMatch(/^ft:sim\/small:.+:first:[a-z2-7]{8}$/)
    expect(answer.choices[0]?.message.content).toBeTruthy()
  })

  it('lists its job, events and checkpoints in the form that the client reads', async () => {
    const jobs = await openai.fineTuning.jobs.list({ limit: 1 })
    expect(jobs.data.map(({ id }) => id)).toEqual([job.id])
    const events: OpenAI.FineTuning.FineTuningJobEvent[] = []
    for await (const event of openai.fineTuning.jobs.listEvents(job.id, { limit: 5 })) events.push(event)
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['message', 'metrics']))
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    const { data: checkpoints } = await openai.fineTuning.jobs.checkpoints.list(job.id)
    expect(checkpoints.map(({ fine_tuning_job_id }) => fine_tuning_job_id)).toEqual(Array(3).fill(job.id))
    expect(checkpoints.map(({ step_number }) => step_number).toSorted((a, b) => b - a)).toEqual(
      checkpoints.map(({ step_number }) => step_number),
    )
  })

  it('is a plain array for other clients, an envelope on request, and has its metrics', async () => {
    expect((await ask(workspace, 'GET', jobsPath)).json).toMatchObject([{ id: job.id }])
    expect((await ask(workspace, 'GET', `${jobsPath}?envelope=true`)).json).toMatchObject({
      object: 'list',
      data: [{ id: job.id }],
      has_more: false,
    })
    const { json } = await ask(workspace, 'GET', `${jobsPath}/${job.id}/metrics?names=train_loss&points=4`)
    expect(json.data.length).toBeGreaterThan(0)
    expect(json.data[0].values).toEqual({ train_loss: expect.any(Number) })
  })

  it('streams its events from the first to the last', async () => {
    const headers = { accept: 'text/event-stream' }
    const { status, text } = await ask(workspace, 'GET', `${jobsPath}/${job.id}/events`, { headers })
    expect(status).toBe(200)
    expect(text).toContain('fine_tuning.job.event')
    expect(text.trimEnd()).toMatch(/event: done/)
  })
})

describe('a job that does not run to its end', () => {
  let workspace: DemoWorkspace
  let openai: OpenAI
  let training_file: string
  beforeAll(async () => {
    workspace = await workspaceWith(fleet)
    openai = openaiFor(fleet, workspace)
    training_file = await upload(openai, 200)
  }, 120_000)

  const running = async () => {
    const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 20, batch_size: 8 } } } as const
    const { id } = await openai.fineTuning.jobs.create({ model, training_file, method })
    await reaches(openai, id, ['running'])
    return id
  }
  /** What the jobs of the workspace were charged, which must be what their last checkpoints cost. */
  const settled = async () => {
    const jobs = (await openai.fineTuning.jobs.list()).data as unknown as readonly Json[]
    const cost = jobs.reduce((sum, job) => sum + costNano(job.trained_tokens ?? 0), 0n)
    const ledger = await ledgerAtRest(fleet, workspace)
    expect([ledger.charged, ledger.held, ledger.violations]).toEqual([cost, 0n, []])
  }

  it('is cancelled once, charged until its last checkpoint, and cancelled again without an error', async () => {
    const id = await running()
    await openai.fineTuning.jobs.cancel(id)
    const job = await ended(openai, id)
    expect([job.status, job.held_usd]).toEqual(['cancelled', 0])
    expect((await openai.fineTuning.jobs.cancel(id)).status).toBe('cancelled')
    await settled()
  }, 120_000)

  it('is paused without a hold, resumed with one, and then succeeds with all tokens charged once', async () => {
    const id = await running()
    await openai.fineTuning.jobs.pause(id)
    const paused = await reaches(openai, id, ['paused'])
    expect(paused.held_usd).toBe(0)
    await settled()
    await openai.fineTuning.jobs.resume(id)
    const job = await ended(openai, id)
    expect([job.status, job.trained_tokens, job.attempts]).toEqual(['succeeded', job.training_tokens, 0])
    await settled()
  }, 120_000)
})

describe('a request for a job', () => {
  it('is a 402 with an empty wallet, and leaves no job', async () => {
    const poor = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '0' })
    const training_file = await upload(openaiFor(fleet, poor))
    const { status, json } = await ask(poor, 'POST', jobsPath, { body: { model, training_file } })
    expect([status, json.error.code]).toEqual([402, 'insufficient_balance'])
    expect((await ask(poor, 'GET', jobsPath)).json).toEqual([])
  })

  it('costs nothing as an estimate, which is what the job then holds and costs', async () => {
    const workspace = await workspaceWith(fleet)
    const openai = openaiFor(fleet, workspace)
    const body = { model, trainingFile: await upload(openai), method: { type: 'supervised' }, seed: 1 }
    const { json: estimate } = await ask(workspace, 'POST', `${jobsPath}/estimate`, { body })
    expect((await ask(workspace, 'GET', jobsPath)).json).toEqual([])
    const { json: created } = await ask(workspace, 'POST', jobsPath, { body })
    expect([created.training_tokens, created.estimated_cost_usd]).toEqual([
      estimate.training_tokens,
      estimate.estimated_cost_usd,
    ])
    expect((await ended(openai, created.id)).status).toBe('succeeded')
  }, 120_000)

  it('is refused to members, who may read and estimate', async () => {
    const workspace = await workspaceWith(fleet)
    const member = await workspace.addMember('member')
    const body = { model, trainingFile: await upload(openaiFor(fleet, workspace)) }
    const { status, json } = await ask(member, 'POST', jobsPath, { body })
    expect([status, json.error.code]).toEqual([403, 'insufficient_permissions'])
    const { json: job } = await ask(workspace, 'POST', jobsPath, { body })
    for (const change of ['cancel', 'pause', 'resume']) {
      expect((await ask(member, 'POST', `${jobsPath}/${job.id}/${change}`)).status).toBe(403)
    }
    const reads = ['', `/${job.id}`, `/${job.id}/events`, `/${job.id}/checkpoints`, `/${job.id}/metrics`]
    for (const path of reads) expect((await ask(member, 'GET', jobsPath + path)).status).toBe(200)
    expect((await ask(member, 'POST', `${jobsPath}/estimate`, { body })).status).toBe(200)
    expect((await ask(member, 'GET', '/v1/fine_tuning/models')).json).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: model, trainers: ['sim'] })]),
    )
  })

  it('of another workspace looks like one for a job that does not exist', async () => {
    const [owner, other] = [await workspaceWith(fleet), await workspaceWith(fleet)]
    const body = { model, trainingFile: await upload(openaiFor(fleet, owner)) }
    const { json: job } = await ask(owner, 'POST', jobsPath, { body })
    const missing = `ftjob-${'0'.repeat(32)}`
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/events'],
      ['GET', '/checkpoints'],
      ['GET', '/metrics'],
      ['POST', '/cancel'],
      ['POST', '/pause'],
      ['POST', '/resume'],
    ] as const) {
      const [foreign, none] = await Promise.all(
        [job.id, missing].map((id) => ask(other, method, `${jobsPath}/${id}${rest}`)),
      )
      const bytes = (answer: typeof foreign, id: string) =>
        answer?.text.replaceAll(id, 'ID').replace(/"request_id":"[^"]*"/, '')
      expect([rest, foreign?.status, bytes(foreign, job.id)]).toEqual([rest, 404, bytes(none, missing)])
    }
  })

  it.each([[{ trainingFile: 'file-1', datasetId: 'ds_1' }], [{}], [{ datasetId: 'a', dataset_id: 'b' }]])(
    'is refused with a plain message for %j',
    async (wrong) => {
      const { status, json } = await ask(fleet.workspace, 'POST', jobsPath, { body: { model, ...wrong } })
      expect([status, json]).toEqual([400, { error: expect.any(String) }])
    },
  )
})

it('is created, watched, listed and cancelled by commands', async () => {
  const workspace = await workspaceWith(fleet)
  const ratchet = ratchetOf(fleet, workspace)
  const openai = openaiFor(fleet, workspace)
  const file = await upload(openai)
  const given = ['--model', model, '--training-file', file]
  const printed = async (...words: readonly string[]) => {
    const { code, stdout } = await ratchet('train', ...words)
    return [code, stdout] as const
  }
  expect(await printed('models')).toEqual([0, expect.stringContaining(`${model} `)])
  expect(await printed('estimate', ...given)).toEqual([0, expect.stringMatching(/^cost +\$0\.\d{4}$/m)])
  const watched = await ratchet('train', 'create', ...given, '--epochs', '2')
  expect([watched.code, watched.stdout]).toEqual([0, expect.stringMatching(/^status +succeeded$/m)])
  expect(watched.stderr).toMatch(/succeeded \d+\/\d+ 100 %/)
  // The simulated trainer trains two at a time, so the job that is cancelled still waits.
  for (let waiting = 0; waiting < 6; waiting += 1) await openai.fineTuning.jobs.create({ model, training_file: file })
  const [, started = ''] = await printed('create', ...given, '--detach')
  expect(await printed('cancel', started.trim())).toEqual([0, expect.stringContaining(started.trim())])
  expect((await ratchet('train', 'watch', started.trim())).code).toBe(1)
  const [, list] = await printed('list')
  expect(list).toMatch(/cancelled[\s\S]+succeeded/)
}, 120_000)

it('forwards no call of trainers, and answers none without the token of a job', async () => {
  const spec = '/internal/trainer/v1/spec'
  const atEdge = await ask(fleet.workspace, 'GET', spec)
  expect([atEdge.status, atEdge.json.error.code]).toEqual([404, 'unknown_url'])
  const forged = { authorization: 'Bearer forged', [requestIdHeader]: 'r1', [identityHeader]: 'x' }
  for (const headers of [{}, forged]) {
    const direct = await readJson(`${fleet.training.url}${spec}`, { method: 'GET', headers })
    expect([direct.status, direct.json.error.code]).toEqual([401, 'invalid_job_token'])
  }
})
