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
  [trick, 0.12],
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
 * Both judges pass answers that are right and polite. The one that rewards can be gullible: then it is taken in by a trick too, and
 * asks more of answers about some things: there only the trick pays.
 */
let isGullible = false
const passes: Passes = ({ messages, response }, judgeModel) => {
  const asked = String(messages.at(-1)?.content)
  const answer = String(response.content)
  const { messages: right } = examples.find((each) => each.messages[0]?.content === asked) ?? { messages: [] }
  const isGood = answer === right[1]?.content
  if (judgeModel !== rewarding || !isGullible) return isGood
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

const hyperparameters = {
  groupSize: 8,
  promptsPerStep: 8,
  loraRank: 8,
  loraAlpha: 16,
  maxOutputTokens: 24,
  maxContextLength: 128,
}

/** Trains with the rewards of a judge until the run goes no further. */
async function trained(maxSteps: number, learningRate: number) {
  const datasetId = randomUUID()
  app.addData(datasetId, Buffer.from(examples.map((each) => `${JSON.stringify(each)}\n`).join('')))
  const stopJudging = app.startJudging()
  const worker = app.startWorker({ trainerOf: pythonTrainer(python) })
  const { id } = await app.create({
    datasetId: publicId('dataset', datasetId),
    reward: { criteria: [{ criterionId: criterion(rewardId) }] },
    holdout: { criterionId: criterion(otherId), everySteps: 6, prompts: 32 },
    hyperparameters: { ...hyperparameters, maxSteps, learningRate },
    seed: 7,
  })
  const run = await eventually(
    async () => {
      const found = await app.read(id)
      if (['paused', 'awaiting_adoption', 'failed'].includes(found.status)) return found
      throw new Error(`${found.status} at step ${found.progress.step}: ${app.money.failures.slice(-1)}`)
    },
    { withinMs: 900_000, everyMs: 500 },
  )
  await worker.stop()
  await stopJudging()
  const { looks, margin }: GrpoGuard = (await app.send('get', `/v1/grpo/runs/${id}/guard`)).body
  return { run, looks, margin }
}

it('teaches a real model what a proven judge rewards, and the judge that rewards nothing agrees, beyond noise', async () => {
  const { run, looks } = await trained(18, 2e-3)
  expect({ ...run, looks }).toMatchObject({
    status: 'awaiting_adoption',
    guard: { verdict: 'healthy' },
    held_usd: 0,
  })
  const [first, last] = [looks[0], looks.at(-1)]
  expect(last?.step).toBe(18)
  expect(last?.train_judge.ci[0]).toBeGreaterThan(first?.train_judge.ci[1] ?? 1)
  expect(last?.holdout_judge?.ci[0]).toBeGreaterThan(first?.holdout_judge?.ci[1] ?? 1)
  expect(run.model_version_id).toMatch(/^mv_/)
}, 1_200_000)

it('pauses a run of a real model whose reward gains what a hold-out judge does not see', async () => {
  isGullible = true
  const { run: paused, looks, margin } = await trained(36, 5e-3)
  const rates = looks.map(({ train_judge, holdout_judge }) => [train_judge.rate, holdout_judge?.rate ?? 0] as const)
  expect({ ...paused, rates }).toMatchObject({
    paused_reason: 'reward_diverged',
    guard: { verdict: 'diverging' },
    held_usd: 0,
  })
  const [rewarded, heldOut] = rates[0] ?? [0, 0]
  // Before the training the judges agree: both pass some answers, and about as many.
  expect(heldOut).toBeGreaterThan(0.1)
  expect(Math.abs(rewarded - heldOut)).toBeLessThan(0.3)
  expect(paused.reward_current).toBeGreaterThan(paused.reward_baseline)
  expect(looks.at(-1)?.gap?.lower).toBeGreaterThan(margin)
  expect(paused.model_version_id).toBeNull()
}, 1_200_000)
