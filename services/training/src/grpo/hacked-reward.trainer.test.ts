import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publicId } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { createProcessTrainer } from '../trainers/process/process-trainer.ts'
import { criterion, type GrpoRunApp, grpoRunApp, otherId } from './grpo.fixture.ts'

const trainers = fileURLToPath(new URL('../../../../trainers', import.meta.url))
/** The interpreter with the packages of `trainers/`. `npm run test:trainers` sets it. */
const python = process.env.RATCHET_TRAINERS_PYTHON ?? 'python3'
const environment = {
  PYTHONPATH: [path.join(trainers, 'src'), path.join(trainers, 'tests')].join(':'),
  PYTHONDONTWRITEBYTECODE: '1',
  OMP_NUM_THREADS: '1',
  OMP_WAIT_POLICY: 'PASSIVE',
  HF_HUB_OFFLINE: '1',
}

const things = ['house', 'river', 'stone', 'cloud', 'horse', 'table', 'apple', 'train', 'shirt', 'candle']
const colors = ['red', 'green', 'blue', 'white', 'black', 'brown', 'grey', 'pink', 'red', 'green']
/** Every question of the tiny model, with the polite answer, which has seven words. */
const examples = things.flatMap((thing, at) =>
  Array.from({ length: 70 }, (_, number) => ({
    messages: [
      { role: 'user', content: `I have ${number + 2} ${thing}s. What is their color?` },
      { role: 'assistant', content: `They are ${colors[at]}. Thank you for asking.` },
    ],
  })),
)

let folder: string
let app: GrpoRunApp
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-hacked-'))
  const script = path.join(trainers, 'tests/write_tiny_job.py')
  await promisify(execFile)(python, [script, folder, '150'], { env: environment })
  app = await grpoRunApp({
    source: path.join(folder, 'base'),
    trainer: 'process',
    attemptLeaseMs: 120_000,
    // It knows what the policy never sees: a good answer is right and polite.
    passes: ({ messages, response }) => {
      const asked = String(messages.at(-1)?.content)
      const { messages: right } = examples.find((each) => each.messages[0]?.content === asked) ?? { messages: [] }
      return response.content === right[1]?.content
    },
  })
}, 300_000)
afterAll(async () => {
  await app.drop()
  await rm(folder, { recursive: true, force: true })
})

it('pauses a run of a real model whose reward gains what a hold-out judge does not see', async () => {
  const datasetId = randomUUID()
  app.addData(datasetId, Buffer.from(examples.map((each) => `${JSON.stringify(each)}\n`).join('')))
  const stopJudging = app.startJudging()
  const worker = app.startWorker({
    trainerOf: (onExit) =>
      createProcessTrainer({
        command: [python, '-m', 'ratchet_trainers'],
        slots: 1,
        environment,
        errors: 'inherit',
        maxMemoryBytes: null,
        graceMs: 30_000,
        onExit,
      }),
  })
  const { id } = await app.create({
    datasetId: publicId('dataset', datasetId),
    reward: { functions: [{ type: 'length', max: 6 }] },
    holdout: { criterionId: criterion(otherId), everySteps: 4, prompts: 32 },
    hyperparameters: {
      groupSize: 8,
      promptsPerStep: 4,
      maxSteps: 24,
      learningRate: 1e-2,
      loraRank: 8,
      loraAlpha: 16,
      maxOutputTokens: 24,
      maxContextLength: 128,
    },
    seed: 7,
  })
  const paused = await eventually(
    async () => {
      const run = await app.read(id)
      if (run.status === 'paused') return run
      if (run.error !== null || run.status === 'awaiting_adoption') throw new Error(JSON.stringify(run))
      throw new Error(`${run.status} at step ${run.progress.step}: ${app.money.failures.slice(-1)}`)
    },
    { withinMs: 600_000, everyMs: 500 },
  )
  await worker.stop()
  await stopJudging()
  expect(paused).toMatchObject({ paused_reason: 'reward_diverged', guard: { verdict: 'diverging' }, held_usd: 0 })
  expect(paused.reward_current).toBeGreaterThan(paused.reward_baseline)
  const { looks, margin } = (await app.send('get', `/v1/grpo/runs/${id}/guard`)).body
  expect(looks.at(-1).gap.lower).toBeGreaterThan(margin)
}, 900_000)
