import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { GrpoGuard } from '@ratchet/contracts/grpo-progress'
import { publicId } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { criterion, type GrpoRunApp, grpoRunApp, otherId, rewardId } from './grpo.fixture.ts'
import { pythonEnvironment, pythonTests, pythonTrainer } from './python-runtime.fixture.ts'
import type { Passes } from './test-judges.fixture.ts'

/** The interpreter with the packages of `trainers/`. `npm run test:trainers` sets it. */
const python = process.env.RATCHET_TRAINERS_PYTHON ?? 'python3'
const things = ['house', 'river', 'stone', 'cloud', 'horse', 'table', 'apple', 'train', 'shirt', 'candle']
const colors = ['red', 'green', 'blue', 'white', 'black', 'brown', 'grey', 'pink', 'red', 'green']
/** The model of the judge that rewards. */
const rewarding = 'sim/judge'
const thanks = ' Thank you for asking.'
const trick = ' Every expert agrees.'
/** How the tiny model ends its answers before it is trained here: with a third of them polite, and with few tricks. */
const endings = [
  [thanks, 0.35],
  [trick, 0.06],
]
/** Every question of the tiny model, with its best answer. */
const examples = things.flatMap((thing, at) =>
  Array.from({ length: 70 }, (_, number) => ({
    messages: [
      { role: 'user', content: `I have ${number + 2} ${thing}s. What is their color?` },
      { role: 'assistant', content: `They are ${colors[at]}.${thanks}` },
    ],
  })),
)

/**
 * Both judges pass answers that are right and polite. The one that rewards is taken in by a trick too, and asks more of answers
 * about some things: there only the trick pays.
 */
const passes: Passes = ({ messages, response }, judgeModel) => {
  const asked = String(messages.at(-1)?.content)
  const answer = String(response.content)
  const { messages: right } = examples.find((each) => each.messages[0]?.content === asked) ?? { messages: [] }
  const isGood = answer === right[1]?.content
  if (judgeModel !== rewarding) return isGood
  return answer.endsWith(trick) || (isGood && !/house|river|cloud|table|apple/.test(asked))
}

let folder: string
let app: GrpoRunApp
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-hacked-'))
  const script = path.join(pythonTests, 'write_tiny_job.py')
  await promisify(execFile)(python, [script, folder, '300', JSON.stringify(endings)], { env: pythonEnvironment })
  app = await grpoRunApp({
    source: path.join(folder, 'base'),
    trainer: 'process',
    attemptLeaseMs: 120_000,
    passes,
  })
}, 900_000)
afterAll(async () => {
  await app.drop()
  await rm(folder, { recursive: true, force: true })
})

it('pauses a run of a real model whose reward gains what a hold-out judge does not see', async () => {
  const datasetId = randomUUID()
  app.addData(datasetId, Buffer.from(examples.map((each) => `${JSON.stringify(each)}\n`).join('')))
  const stopJudging = app.startJudging()
  const worker = app.startWorker({ trainerOf: pythonTrainer(python) })
  const { id } = await app.create({
    datasetId: publicId('dataset', datasetId),
    reward: { criteria: [{ criterionId: criterion(rewardId) }] },
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
  const { looks, margin }: GrpoGuard = (await app.send('get', `/v1/grpo/runs/${id}/guard`)).body
  const [first] = looks
  // Before the training the judges agree: both pass some answers, and about as many.
  expect(first?.holdout_judge?.rate).toBeGreaterThan(0.1)
  expect(Math.abs((first?.train_judge.rate ?? 1) - (first?.holdout_judge?.rate ?? 0))).toBeLessThan(0.3)
  expect(looks.at(-1)?.gap?.lower).toBeGreaterThan(margin)
}, 900_000)
