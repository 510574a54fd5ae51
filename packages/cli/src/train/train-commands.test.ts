import { ioFor, type Ran, runTrainCommand } from '../api/run-against.fixture.ts'
import { refusal, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { doneJob, estimateWith, jobId, jobWith } from './jobs.fixture.ts'

const jobs = '/v1/fine_tuning/jobs'
const one = `GET ${jobs}/${jobId}`
let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

function train(line: string, columns: number | null = null): Promise<Ran> {
  return runTrainCommand(ioFor(api, columns), line)
}

it('lists the models that can be trained', async () => {
  const model = {
    id: 'sim/trainable',
    object: 'trainable_model',
    methods: ['supervised', 'dpo'],
    trainers: ['sim'],
    max_context: 8_192,
    lora_ranks: [8, 16, 32],
    full: false,
    supports_tools: true,
    chat_template_sha256: null,
    license: 'apache-2.0',
    pricing: { supervised_per_mtok: 3, dpo_per_mtok: 4.5, grpo_train_per_mtok: null, grpo_sample_per_mtok: null },
    served_by: ['pool', 'dedicated'],
    retires_at: null,
    capacity: { gpus_total: 2, gpus_free: 1, queue_length: 0, estimated_wait_seconds: null },
  }
  api.answers('GET /v1/fine_tuning/models', { body: [model] })

  expect((await train('models')).out.split('\n')).toEqual([
    'ID             METHODS          TRAINERS  MAX TOKENS  LORA RANKS  USD PER 1M TOKENS  FREE',
    'sim/trainable  supervised, dpo  sim       8192        8, 16, 32   3 / 4.5            1 of 2',
    '',
  ])
  expect(JSON.parse((await train('models --json')).out)).toEqual({ object: 'list', data: [model] })
})

it('says so when no model can be trained', async () => {
  api.answers('GET /v1/fine_tuning/models', { body: [] })

  expect((await train('models')).out).toBe('no model of this deployment can be trained\n')
})

it('estimates with the body that would create the job', async () => {
  api.answers(`POST ${jobs}/estimate`, { body: estimateWith({ tokens_exact: false, warnings: ['No validation.'] }) })

  expect((await train('estimate --model sim/trainable --dataset ds_1')).out).toBe(
    [
      'cost                       $0.0360',
      'held when it starts        $0.0414',
      'tokens of all epochs       12000 (estimated)',
      'examples                   110, 10 left out',
      'examples to validate with  10',
      'time                       about 2m 5s',
      'warning: No validation.',
      '',
    ].join('\n'),
  )
  expect(api.seen[0]?.body).toEqual({
    model: 'sim/trainable',
    method: { type: 'supervised', supervised: { hyperparameters: {} } },
    datasetId: 'ds_1',
  })
})

it('sends every flag under its field of the API', async () => {
  api.answers(`POST ${jobs}`, { body: jobWith({ status: 'queued' }) })

  await train(
    'create --detach --model m --training-file file-1 --validation-file file-2 --method dpo --epochs 2 --batch-size auto --learning-rate 0.0001 --lora-rank 16 --beta 0.2 --max-tokens 2048 --suffix v1 --seed 3 --checkpoints 4 --stop-after 2 --max-cost-usd 1.5 --trainer sim',
  )

  expect(api.seen[0]?.body).toEqual({
    model: 'm',
    trainingFile: 'file-1',
    validationFile: 'file-2',
    method: {
      type: 'dpo',
      dpo: {
        hyperparameters: {
          nEpochs: 2,
          batchSize: 'auto',
          learningRate: 0.0001,
          loraRank: 16,
          beta: 0.2,
          maxSequenceLength: 2048,
        },
      },
    },
    suffix: 'v1',
    seed: 3,
    nCheckpoints: 4,
    // biome-ignore lint/plugin: the name of the setting in the API
    earlyStopping: { patience: 2 },
    maxCostUsd: 1.5,
    trainer: 'sim',
  })
})

it('creates a job once, also when the first answer is lost, and prints its id with --detach', async () => {
  api.answers(`POST ${jobs}`, 'hang up', { body: jobWith({ status: 'queued' }) })

  expect(await train('create --model m --dataset ds_1 --detach')).toMatchObject({
    code: 0,
    out: `${jobId}\n`,
    err: expect.stringContaining(`Started. \`ratchet train watch ${jobId}\` shows its progress.\n`),
  })
  const keys = api.seen.map(({ idempotencyKey }) => idempotencyKey)
  expect(keys).toEqual([expect.stringMatching(/^ratchet-cli-[0-9a-f]{32}$/), keys[0]])
})

it('shows the progress until the job has succeeded, and then what it cost', async () => {
  api.answers(`POST ${jobs}`, { body: jobWith({ status: 'queued', phase: null, waiting_for: 'gpu', cost_usd: 0 }) })
  api.answers(
    one,
    { body: jobWith() },
    { body: jobWith({ progress: { step: 20, total_steps: 40, epoch: 2 } }) },
    { body: doneJob() },
  )

  const { code, out, err } = await train('create --model m --dataset ds_1', 100)

  expect(code).toBe(0)
  expect(err.split('\r\u001b[2K')).toEqual([
    `Started ${jobId}\n`,
    'queued 10/40 25 %, 0s, $0.0000, waiting for gpu',
    'running training 10/40 25 %, 1s, $0.0120',
    'running training 20/40 50 %, 2s, about 4s left, $0.0120',
    'succeeded 40/40 100 %, 1m 30s, $0.0360\n',
  ])
  expect(out).toBe(
    [
      `job             ${jobId}`,
      'status          succeeded',
      'model           sim/trainable',
      'steps           40/40',
      'examples        110',
      'trained tokens  12000',
      'cost            $0.0360',
      '',
    ].join('\n'),
  )
})

it.each([
  [0, doneJob({ stopped_early: 'max_cost', fine_tuned_model: 'ft:m' }), 'stopped early   max cost'],
  [1, doneJob({ status: 'cancelled' }), 'status          cancelled'],
  [1, jobWith({ status: 'paused', phase: null, held_usd: 0 }), 'status          paused'],
  [
    1,
    doneJob({
      status: 'failed',
      error: { code: 'diverged', message: 'The loss grew.', param: null },
      data_report: null,
    }),
    'status          failed: The loss grew. (diverged)',
  ],
])('watches until the job rests, with exit code %d', async (exitCode, job, line) => {
  api.answers(one, { body: jobWith() }, { body: job })

  const { code, out } = await train(`watch ${jobId}`)

  expect([code, out.split('\n')]).toEqual([exitCode, expect.arrayContaining([line])])
})

it('does not cancel the job on Ctrl-C', async () => {
  const io = ioFor(api)
  api.answers(one, { body: jobWith() })
  api.onRequest(() => {
    if (api.seen.length === 2) io.interrupt()
  })

  const { code, err } = await runTrainCommand(io, `watch ${jobId}`)

  expect(code).toBe(1)
  expect(err).toContain(`Interrupted. The job continues; \`ratchet train watch ${jobId}\` shows it again.\n`)
  expect(new Set(api.seen.map(({ line }) => line))).toEqual(new Set([one]))
})

it('lists jobs', async () => {
  const waiting = jobWith({ id: 'ftjob-2', status: 'queued', progress: { step: 0, total_steps: null, epoch: 0 } })
  api.answers(`GET ${jobs}`, { body: { object: 'list', data: [jobWith(), waiting], has_more: false } })

  expect((await train('list --limit 2 --status running --model sim/trainable')).out.split('\n')).toEqual([
    `${'ID'.padEnd(jobId.length)}  MODEL          STATUS   STEPS  COST     CREATED`,
    `${jobId}  sim/trainable  running  10/40  $0.0120  2026-11-21T12:00:00.000Z`,
    `${'ftjob-2'.padEnd(jobId.length)}  sim/trainable  queued   -      $0.0120  2026-11-21T12:00:00.000Z`,
    '',
  ])
  expect(api.seen[0]?.line).toBe(`GET ${jobs}?limit=2&status=running&model=sim%2Ftrainable&envelope=true`)
})

it('names the command that starts a job when there are none', async () => {
  api.answers(`GET ${jobs}`, { body: { object: 'list', data: [], has_more: false } })

  expect((await train('list')).out).toBe('no jobs; `ratchet train create` starts one\n')
})

it.each([
  ['cancel', 'cancelled'],
  ['pause', 'running'],
  ['resume', 'queued'],
] as const)('can %s a job, and prints the status after it', async (name, status) => {
  api.answers(`POST ${jobs}/${jobId}/${name}`, { body: jobWith({ status }) })

  expect((await train(`${name} ${jobId}`)).out).toBe(`${jobId}: ${status}\n`)
})

it('prints a refusal of the API', async () => {
  api.answers(`POST ${jobs}`, refusal(402, { message: 'The wallet is empty.', code: 'insufficient_balance' }))

  expect(await train('create --model m --dataset ds_1')).toMatchObject({
    code: 1,
    err: 'error: The wallet is empty. (insufficient_balance)\n',
  })
})

it.each([
  ['create --dataset ds_1', "required option '--model <model>' not specified"],
  ['create --model m', 'one of --dataset and --training-file is required'],
  ['estimate --model m --dataset d --training-file f', "option '--dataset <id>' cannot be used with option"],
  ['create --model m --dataset d --epochs 21', "option '--epochs <count>' argument '21' is invalid."],
  ['create --model m --dataset d --method grpo', "option '--method <method>' argument 'grpo' is invalid."],
  ['watch eval_1', 'Expected an id, as `ratchet train list` prints it.'],
])('refuses wrong usage without a request: %s', async (line, message) => {
  const { code, err } = await train(line)

  expect(code).toBeGreaterThan(0)
  expect(err).toContain(message)
  expect(api.seen).toEqual([])
})
