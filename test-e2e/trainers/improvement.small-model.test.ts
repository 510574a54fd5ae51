import { eventually } from '@ratchet/testing/eventually'
import { untilInForce } from '../alias-propagation.ts'
import { openaiFor } from '../clients.ts'
import { requireRightCharges } from '../dedicated/right-charges.ts'
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
import { createCheckJudge, type Json } from '../judged-traffic.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { MountedCatalog } from '../mounted-catalog.ts'
import { choose } from '../workspace-with.ts'
import { pythonEngines, pythonTrainer, type ServedModel } from './python-trainer.ts'
import { serveSmallModel, smallCatalog, smallModel } from './small-model.ts'

/* The whole circle with a language model that people have made: it learns to say no more than it was asked. */

const alias = 'capitals'
/** Each part takes minutes of a processor, which other programs may want too. */
const waitFactor = 15

let served: ServedModel
let catalog: MountedCatalog
let fleet: Fleet
let on: Improving
let program: AskingProgram

beforeAll(async () => {
  served = await serveSmallModel()
  catalog = await smallCatalog(served.url)
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
      POOL_MODELS: `${smallModel}=1`,
      DEDICATED_HARDWARE: JSON.stringify([{ id: 'cpu-1x', price_usd_per_hour: '0.60', slots: 2 }]),
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
  on = improving(fleet, { alias, base: smallModel, isWrong: (text) => !isBrief(text), waitFactor })
}, 900_000)
afterAll(async () => {
  await program?.stop()
  await fleet?.stop()
  await served?.stop()
  await catalog?.remove()
}, 180_000)

/** What people want: at most eight words, the last with a full stop. */
const isBrief = (text: string) => text.endsWith('.') && text.trim().split(/\s+/).length <= 8
const checks = [
  { type: 'length', max: 8 },
  { type: 'regex', pattern: '.*[.]' },
]

const countries =
  `Albania Algeria Angola Argentina Armenia Australia Austria Bangladesh Belgium Bolivia Brazil Bulgaria Cambodia
  Cameroon Canada Chad Chile China Colombia Croatia Cuba Cyprus Denmark Ecuador Egypt Estonia Ethiopia Finland France Georgia Germany
  Ghana Greece Hungary Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Jordan Kenya Latvia Lebanon Libya Mexico
  Mongolia Morocco Nepal Norway Pakistan Peru Poland Portugal Russia Senegal Serbia Spain Sweden Syria Thailand Tunisia Turkey Uganda`
    .trim()
    .split(/\s+/)
const ways: readonly ((country: string) => string)[] = [
  (country) => `What is the capital of ${country}?`,
  (country) => `Which city is the capital of ${country}?`,
  (country) => `Tell me the capital of ${country}.`,
  (country) => `What is the capital city of ${country}?`,
  (country) => `I am going to ${country}. What is its capital?`,
  (country) => `Name the capital of ${country}.`,
  (country) => `What city is ${country}'s capital?`,
  (country) => `Please tell me what the capital of ${country} is.`,
  (country) => `What is ${country}'s capital?`,
  (country) => `What do people call the capital of ${country}?`,
]

/** Each is another one up to 680. */
function question(index: number): string {
  const country = countries[index % countries.length] ?? ''
  return ways[Math.floor(index / countries.length) % ways.length]?.(country) ?? ''
}

const settings = { max_tokens: 14, temperature: 0.5 }

it('goes from traffic to a promoted model, whose base is a real small one', async () => {
  const { make, api } = on
  await make('PUT', '/aliases', { name: alias, target_model: smallModel, require_evidence: true })
  await untilInForce(api, alias)
  program = keepAsking(openaiFor(fleet), alias, { question, settings })
  await untilLogged(on, 170)
  const judge = await createCheckJudge(api, checks, {
    name: 'Brief',
    judge_prompt: 'The answer is longer than a sentence of eight words.',
    online_percent: 100,
  })
  await proveJudge(on, judge, 160)
  const dataset = await curate(on, judge)
  const since = new Date()
  const hyperparameters = { nEpochs: 3, batchSize: 8, loraRank: 8, learningRateMultiplier: 2 }
  const method = { type: 'supervised', supervised: { hyperparameters } }
  const version = await train(on, dataset, { seed: 7, nCheckpoints: 1, method })
  const compared = await compare(on, { version, judge, since, count: 60, most: 80, params: settings })
  expect(new Set(program.answers.map(({ served: model }) => model))).toEqual(new Set([smallModel]))
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
  await eventually(() => program.answers.length >= from + 20, { withinMs: 600_000 })
  expect(await program.stop()).toEqual([])
  noticedNothing(on, { program, model: version.model_id, from })
  await isTraced(on, version)
  await isPaid(on, { program, job: version.job, compared })
  await answersAlone(version)
}, 5_400_000)

/** A stock client asks the version on an endpoint of its own, which is charged by time alone. */
async function answersAlone(version: Json): Promise<void> {
  const { api, make, read } = on
  const { charged } = await ledgerAtRest(fleet, fleet.workspace)
  const ordered = { name: 'Capitals', hardware: 'cpu-1x', minReplicas: 1, modelVersionId: version.id }
  const endpoint = await make('POST', '/dedicated/endpoints', ordered)
  await eventually(
    async () => {
      const { state, last_error: error } = await read(`/dedicated/endpoints/${endpoint.id}`)
      expect([state, error]).toEqual(['RUNNING', null])
    },
    { withinMs: 900_000, everyMs: 500 },
  )
  const openai = openaiFor(fleet)
  const answers: string[] = []
  for (const country of countries.slice(0, 8)) {
    const messages = [{ role: 'user' as const, content: `What is the capital of ${country}?` }]
    const { data, response } = await openai.chat.completions
      .create({ model: endpoint.model_id, messages, temperature: 0, max_tokens: 14 })
      .withResponse()
    expect(Number(response.headers.get('x-svc-cost-usd'))).toBe(0)
    answers.push(data.choices[0]?.message.content ?? '')
  }
  expect(endpoint.model_id).toMatch(/^dedicated\//)
  expect(answers.filter(isBrief).length).toBeGreaterThanOrEqual(6)
  expect((await api('DELETE', `/dedicated/endpoints/${endpoint.id}`)).status).toBe(200)
  await requireRightCharges(fleet, fleet.workspace, charged)
}
