import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

/* GRPO runs on a fleet, with the simulated trainer: one that learns, and one that learns to deceive its judge. */

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
/** Proven judges: one that is right, one of another family, and one that a phrase takes in. */
const judges: Record<'right' | 'other' | 'gullible', Json> = { right: null, other: null, gullible: null }

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await gradeTruly(api, await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 300, tag: 'graded' }))
  for (const [name, model] of [
    ['right', 'sim/judge-1-1'],
    ['other', 'sim-anthropic/judge-1-1'],
    ['gullible', 'sim/judge-gullible'],
  ] as const) {
    judges[name] = await createJudge(api, model, { name, population: 'graded' })
    expect(await calibrate(api, judges[name].id)).toMatchObject({ trust: 'trustworthy', can_act: true })
  }
}, 300_000)

const example = (index: number) => ({
  messages: [
    { role: 'user', content: `Where is parcel ${index}, which was sent on day ${index}?` },
    { role: 'assistant', content: 'It is on its way.' },
  ],
})

async function prompts(): Promise<string> {
  const examples = Array.from({ length: 400 }, (_, index) => example(index))
  const { status, json, text } = await api('POST', '/datasets', { name: `Prompts ${Math.random()}`, examples })
  if (status >= 300) throw new Error(text)
  return json.dataset.id
}

async function create(more: object): Promise<Json> {
  const { status, json, text } = await api('POST', '/grpo/runs', {
    baseModel: 'sim/small',
    datasetId: await prompts(),
    maxCostUsd: 5,
    hyperparameters: { groupSize: 4, promptsPerStep: 4, maxSteps: 12, loraRank: 8, learningRate: 2e-5 },
    ...more,
  })
  if (status !== 202) throw new Error(`${status}: ${text}`)
  return json
}

const reaching = (id: string, status: string) =>
  eventually(
    async () => {
      const { json } = await api('GET', `/grpo/runs/${id}`)
      if (json.status === status) return json
      throw new Error(`${json.status} at step ${json.progress.step}: ${json.status_message}`)
    },
    { withinMs: 150_000, everyMs: 250 },
  )

it('trains until a candidate waits, which answers requests, and leaves the ledger at rest', async () => {
  const { id } = await create({
    reward: { criteria: [{ criterionId: judges.right.id }] },
    holdout: { criterionId: judges.other.id, everySteps: 6, prompts: 32 },
  })
  const edit = await api('PATCH', `/criteria/${judges.right.id}`, { judge_prompt: 'Something else.' })
  expect([edit.status, edit.json.error.code]).toEqual([409, 'criterion_in_use'])
  const run = await reaching(id, 'awaiting_adoption')
  expect(run.reward_current).toBeGreaterThan(run.reward_baseline)
  expect(run).toMatchObject({ held_usd: 0, guard: { verdict: 'healthy' }, progress: { step: 12 } })
  expect(run.cost_usd).toBeGreaterThan(0)
  expect(run.judge_cost_usd).toBeGreaterThan(0)
  expect(run.cost_usd + run.judge_cost_usd).toBeLessThanOrEqual(5)
  expect((await api('GET', '/grpo/runs')).json.candidates_waiting).toBeGreaterThanOrEqual(1)
  const answer = await eventually(async () => {
    const said = await api('POST', '/chat/completions', {
      model: run.model,
      messages: [{ role: 'user', content: 'Hi?' }],
    })
    return said.status === 200 ? said.json : null
  })
  expect(answer.choices[0].message.content).toEqual(expect.any(String))
  const version = await api('GET', `/model_versions/${run.model_version_id}`)
  expect(version.json).toMatchObject({ model_id: run.model, produced_by: { type: 'grpo', id } })

  const audit = (await api('GET', `/grpo/runs/${id}/audit`)).json
  const grade = await api('POST', '/labels', { rollout_id: audit.data[0].rollout_id, label: 'pass' })
  expect(grade.json).toMatchObject({ source: 'audit', rollout_id: audit.data[0].rollout_id, criterion_id: null })
  expect((await api('GET', `/grpo/runs/${id}/audit`)).json).toMatchObject({ graded: 1, false_pass: 0 })
  expect((await api('GET', `/labels?criterion_id=${judges.right.id}&limit=1`)).json.data[0]?.source).not.toBe('audit')
  expect((await ledgerAtRest(fleet, workspace)).violations).toEqual([])
}, 240_000)

it('pauses a run that learns to deceive its judge', async () => {
  const { id } = await create({
    reward: { criteria: [{ criterionId: judges.gullible.id }] },
    holdout: { criterionId: judges.other.id, everySteps: 4, prompts: 32 },
    hyperparameters: { groupSize: 8, promptsPerStep: 8, maxSteps: 40, loraRank: 8, learningRate: 2e-5, klBeta: 0 },
  })
  const run = await reaching(id, 'paused')
  expect(run).toMatchObject({ paused_reason: 'reward_diverged', guard: { verdict: 'diverging' }, held_usd: 0 })
  const cancelled = (await api('POST', `/grpo/runs/${id}/cancel`, {})).json
  // So there is nothing of it that could be adopted.
  expect(cancelled).toMatchObject({ status: 'cancelled', model_version_id: null, model: null })
  const { data: made } = (await api('GET', '/model_versions?produced_by=grpo&limit=200')).json
  expect(made.filter(({ produced_by }: Json) => produced_by.id === id)).toEqual([])
  expect((await ledgerAtRest(fleet, workspace)).violations).toEqual([])
}, 240_000)

it('refuses a judge that is not proven', async () => {
  const unproven = await createJudge(api, 'sim/judge', { name: 'unproven' })
  const { status, json } = await api('POST', '/grpo/runs', {
    baseModel: 'sim/small',
    datasetId: await prompts(),
    maxCostUsd: 5,
    reward: { criteria: [{ criterionId: unproven.id }] },
  })
  expect([status, json.error.code]).toEqual([412, 'criterion_not_trustworthy'])
  expect(json.error.details).toMatchObject({ criterion_id: unproven.id, trust: 'unmeasured' })
})
