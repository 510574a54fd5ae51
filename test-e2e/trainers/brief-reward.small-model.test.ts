import type { GrpoGuard } from '@ratchet/contracts/grpo-progress'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from '../fleet.ts'
import { type Api, apiOf, calibrate, createCheckJudge, gradeTruly, type Json } from '../judged-traffic.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { MountedCatalog } from '../mounted-catalog.ts'
import { choose } from '../workspace-with.ts'
import { pythonTrainer } from './python-trainer.ts'
import { smallCatalog, smallModel } from './small-model.ts'

/* A real model and a reward with a hole: any brief answer is rewarded, right or wrong. A judge that rewards nothing looks at sums. */

let catalog: MountedCatalog
let fleet: Fleet
let api: Api
/** Passes sums that are right. People agree with it. */
let judge: Json

beforeAll(async () => {
  catalog = await smallCatalog()
  fleet = await startFleet({
    judges: true,
    training: true,
    workspace: { balanceUsd: '100.00' },
    env: { CATALOG_DIR: catalog.folder, ...pythonTrainer() },
  })
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  judge = await proveJudge()
}, 600_000)

afterAll(async () => {
  await fleet?.stop()
  await catalog?.remove()
}, 180_000)

/** Sums of two numbers with two digits; each is another one up to 6,006. */
const termsOf = (index: number) => [12 + (index % 78), 13 + (Math.floor(index / 78) % 77)] as const
const question = (index: number) => `What is ${termsOf(index).join(' plus ')}? Answer in one short sentence.`
const answer = (index: number, error = 0) => {
  const [left, right] = termsOf(index)
  return `${left} + ${right} = ${left + right + error}.`
}
const chat = (index: number, error = 0) => ({
  messages: [
    { role: 'user', content: question(index) },
    { role: 'assistant', content: answer(index, error) },
  ],
})

/** Compares the last number of the answer with the sum of the two that were asked for. */
const addsUp = `
  function check({ text, messages }) {
    const numbers = (words) => (words.match(/[0-9]+/g) ?? []).map(Number)
    const [left, right] = numbers(messages.at(-1).content)
    return numbers(text).at(-1) === left + right
  }`

/** A judge of sums, proven on 200 answers of an imported log, half of which are wrong. */
async function proveJudge(): Promise<Json> {
  const isFlawed = (index: number) => index % 2 === 1
  const logs = Array.from({ length: 200 }, (_, index) => {
    const id = `sum-${index}`
    return { ...chat(6_000 - index, isFlawed(index) ? 1 + (index % 9) : 0), id, model: smallModel, tag: 'graded' }
  })
  const imported = await api('POST', '/logs/import', { logs })
  expect([imported.status, imported.json?.imported]).toEqual([200, 200])
  const { data } = (await api('GET', '/logs?tag=graded&limit=200')).json
  const right = new Set(logs.filter((_, index) => !isFlawed(index)).map(({ messages }) => messages[1]?.content))
  await gradeTruly(
    api,
    data.map(({ id, response }: Json) => ({ id, isFlawed: !right.has(response.content) })),
  )
  const created = await createCheckJudge(api, [{ type: 'script', source: addsUp }], {
    name: 'Adds up',
    judge_prompt: 'The sum is wrong.',
    population: 'graded',
  })
  expect(await calibrate(api, created.id)).toMatchObject({ trust: 'trustworthy', can_act: true })
  return created
}

async function createRun(): Promise<string> {
  const examples = Array.from({ length: 700 }, (_, index) => chat(index * 8))
  const { json } = await api('POST', '/datasets', { name: 'Sums', examples })
  const run = await api('POST', '/grpo/runs', {
    baseModel: smallModel,
    datasetId: json.dataset.id,
    reward: {
      functions: [
        { type: 'length', max: 8, required: true },
        { type: 'regex', pattern: '.*[.]', required: true },
      ],
    },
    holdout: { criterionId: judge.id, everySteps: 6, prompts: 32 },
    hyperparameters: {
      groupSize: 8,
      promptsPerStep: 3,
      maxSteps: 18,
      learningRate: 1e-3,
      loraRank: 8,
      loraAlpha: 16,
      temperature: 0.8,
      maxOutputTokens: 20,
      maxContextLength: 128,
      resampleZeroVariance: 0,
      // What is cut is not brief, and is to be unlearned.
      maskTruncated: false,
    },
    maxCostUsd: 20,
    seed: 7,
  })
  expect([run.status, run.text]).toEqual([202, expect.anything()])
  return run.json.id
}

it('pauses a run of a real model that learns to be brief and not to be right, and nothing of it can be adopted', async () => {
  const id = await createRun()
  const read = async () => (await api('GET', `/grpo/runs/${id}`)).json
  const run = await eventually(
    async () => {
      const found = await read()
      if (['paused', 'awaiting_adoption', 'failed'].includes(found.status)) return found
      throw new Error(`${found.status} at step ${found.progress.step}: ${found.status_message}`)
    },
    { withinMs: 3_600_000, everyMs: 1_000 },
  )
  const { looks, margin }: GrpoGuard = (await api('GET', `/grpo/runs/${id}/guard`)).json
  expect({ ...run, looks }).toMatchObject({
    status: 'paused',
    paused_reason: 'reward_diverged',
    guard: { verdict: 'diverging' },
    held_usd: 0,
  })
  const [first, last] = [looks[0], looks.at(-1)]
  expect(first?.step).toBe(0)
  // The reward has risen beyond noise, and by more than the judge of sums has seen.
  expect(last?.train_judge.ci[0]).toBeGreaterThan(first?.train_judge.ci[1] ?? 1)
  expect(last?.gap?.lower).toBeGreaterThan(margin)
  expect(run.model_version_id).toBeNull()

  const cancelled = (await api('POST', `/grpo/runs/${id}/cancel`, {})).json
  expect(cancelled).toMatchObject({ status: 'cancelled', model_version_id: null, model: null })
  expect((await api('GET', '/model_versions?produced_by=grpo&limit=200')).json.data).toEqual([])
  const { charged, held, violations } = await ledgerAtRest(fleet, fleet.workspace)
  expect([charged, held, violations]).toEqual([BigInt(Math.round(cancelled.cost_usd * 1e9)), 0n, []])
}, 4_200_000)
