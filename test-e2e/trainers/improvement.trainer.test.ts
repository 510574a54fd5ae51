import { eventually } from '@ratchet/testing/eventually'
import { untilInForce } from '../alias-propagation.ts'
import { openaiFor } from '../clients.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import { type AskingProgram, keepAsking } from '../improvement/keep-asking.ts'
import {
  compare,
  curate,
  type Improving,
  improving,
  proveJudge,
  train,
  untilLogged,
  untilPromoted,
} from '../improvement/steps-by-api.ts'
import { isPaid, isTraced, noticedNothing, storyBalanceUsd } from '../improvement/story-checks.ts'
import { createJudge, type Json } from '../judged-traffic.ts'
import type { MountedCatalog } from '../mounted-catalog.ts'
import { choose } from '../workspace-with.ts'
import {
  type FlawedModel,
  makeFlawedModel,
  pythonEngines,
  pythonTrainer,
  type ServedModel,
  serveBase,
  tinyCatalog,
  tinyModel,
} from './python-trainer.ts'

/* The whole circle with a real model: it learns in a process from what it was asked, and real engines answer in its place. */

const alias = 'colors'

let flawed: FlawedModel
let served: ServedModel
let catalog: MountedCatalog
let fleet: Fleet
let on: Improving
let program: AskingProgram
/** The eval in which the trained version won. */
let compared: Json

beforeAll(async () => {
  flawed = await makeFlawedModel()
  served = await serveBase(flawed)
  catalog = await tinyCatalog(flawed, 40, served.url)
  fleet = await startFleet({
    judges: true,
    evals: true,
    aliases: true,
    training: true,
    workspace: { balanceUsd: String(storyBalanceUsd) },
    env: {
      CATALOG_DIR: catalog.folder,
      ...pythonTrainer(),
      ...pythonEngines(),
      POOL_MODELS: `${tinyModel}=1`,
      ABUSE_GUARD_LIMIT: '1000',
      MONITOR_EVERY_MS: '500',
      MONITOR_INGEST_LAG_MS: '300',
      GATE_EVERY_MS: '500',
      GATE_INGEST_LAG_MS: '300',
      GATE_PROMOTE_AFTER_HOURS: '0',
      GATE_GRADES_PER_ARM: '20',
    },
  })
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  on = improving(fleet, { alias, base: tinyModel })
}, 600_000)
afterAll(async () => {
  await program?.stop()
  await fleet?.stop()
  await served?.stop()
  await catalog?.remove()
  await flawed?.remove()
}, 180_000)

const things = ['house', 'river', 'stone', 'cloud', 'horse', 'table', 'apple', 'train', 'shirt', 'candle', 'garden']

/** What the model was made for. Each is another one up to 1,078. */
const question = (index: number) =>
  `I have ${2 + (Math.floor(index / things.length) % 98)} ${things[index % things.length]}s. What is their color?`

it('goes from traffic to a promoted model that was trained and is served in Python', async () => {
  const { make, api } = on
  await make('PUT', '/aliases', { name: alias, target_model: tinyModel, require_evidence: true })
  await untilInForce(api, alias)
  program = keepAsking(openaiFor(fleet), alias, { question })
  await untilLogged(on, 340)
  const judge = await createJudge(api, 'sim/judge-1-1', { online_percent: 100 })
  await proveJudge(on, judge, 300)
  const dataset = await curate(on, judge)
  const since = new Date()
  const hyperparameters = { nEpochs: 3, batchSize: 8, loraRank: 8, learningRateMultiplier: 25 }
  const settings = { seed: 7, nCheckpoints: 1, method: { type: 'supervised', supervised: { hyperparameters } } }
  const version = await train(on, dataset, settings)
  compared = await compare(on, { version, judge, since, count: 120 })
  expect(new Set(program.answers.map(({ served: model }) => model))).toEqual(new Set([tinyModel]))
  await make('POST', `${version.path}/adopt`, {
    aliasName: alias,
    canaryPercent: 50,
    gateCriterionId: judge.id,
    gateMode: 'auto',
    reason: 'It won.',
  })
  await untilPromoted(on)
  await untilInForce(api, alias)
  const from = program.answers.length
  await eventually(() => program.answers.length >= from + 20, { withinMs: 60_000 })
  expect(await program.stop()).toEqual([])
  noticedNothing(on, { program, model: version.model_id, from })
  await isTraced(on, version)
  await isPaid(on, { program, job: version.job, compared })
}, 900_000)

it('learns from the pairs of that eval what its judge has preferred', async () => {
  const { api, make, isWrong } = on
  const order = { name: 'Preferred', eval_ids: [compared.id], holdout_pct: 20 }
  const { dataset, summary } = await make('POST', '/datasets/from_evals', order)
  expect(dataset).toMatchObject({ format: 'preference', example_count: summary.train_count })
  // Nothing was decided where both answers were right, or both wrong.
  expect(summary.dropped.tie).toBeGreaterThan(0)
  const hyperparameters = { nEpochs: 4, batchSize: 8, loraRank: 8, learningRate: 3e-3 }
  const method = { type: 'dpo', dpo: { hyperparameters } }
  const preferring = await train(on, dataset, { seed: 7, nCheckpoints: 1, suffix: 'preferring', method })
  expect(preferring.job.method.type).toBe('dpo')
  const wrongOf = async (model: string) => {
    let wrong = 0
    for (let index = 900; index < 940; index += 1) {
      const messages = [{ role: 'user', content: question(index) }]
      const { status, json } = await api('POST', '/chat/completions', { model, messages, max_tokens: 32 })
      expect(status).toBe(200)
      if (isWrong(json.choices[0].message.content)) wrong += 1
    }
    return wrong
  }
  expect(await wrongOf(preferring.model_id)).toBeLessThan((await wrongOf(tinyModel)) / 2)
}, 900_000)
