import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Api, apiOf, type Json, sendTraffic, untilOver } from './judged-traffic.ts'
import { readLedger } from './ledger-oracle.ts'
import { ratchetOf } from './ratchet-command.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await sendTraffic(fleet, workspace, { model: 'sim/quality-1', count: 160, tag: 'support' })
}, 300_000)

const order = (more: object = {}) => ({
  name: 'Questions',
  rubric: 'The answer is right.',
  baseline_model: 'sim/quality-0',
  candidate_models: ['sim/quality-1'],
  sample_count: 150,
  sample_filters: { tag: 'support' },
  judge_model: 'sim/judge-1-1',
  ...more,
})

async function run(body: object): Promise<Json> {
  const { status, json, text } = await api('POST', '/evals', body)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return untilOver(api, `/evals/${json.id}`, 120_000)
}

const nanoOf = (usd: number) => BigInt(Math.round(usd * 1e6)) * 1_000n

it('stops as soon as it is conclusive, and charges only what ran', async () => {
  const before = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  const done = await run(order({ stop_when: 'conclusive' }))
  const after = await eventually(
    async () => {
      const ledger = await readLedger(fleet.databaseUrl, workspace.workspaceId)
      return ledger.held === 0n ? ledger : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  const { samples_total: total, samples_skipped: skipped, candidates } = done.report
  expect(done).toMatchObject({ status: 'DONE', error: null, progress: { done: 150, total: 150 } })
  expect(total + skipped).toBe(150)
  expect(skipped).toBeGreaterThan(30)
  expect(candidates['sim/quality-1']).toMatchObject({
    difference: { method: 'confidence_sequence', verdict: 'better' },
    sign_test_p: null,
    inconclusive: false,
  })
  expect(after.violations).toEqual([])
  expect(before.balance - after.balance).toBe(nanoOf(done.cost_usd) + nanoOf(done.judge_cost_usd))
  expect(after.posted - before.posted).toBeLessThanOrEqual(total * 4)
  const { json } = await api('GET', `/evals/${done.id}/samples?limit=200`)
  expect(json.total).toBe(total)
}, 300_000)

it('is reported while it runs', async () => {
  const { json } = await api('POST', '/evals', order({ candidate_models: ['sim/slow-300'], sample_count: 60 }))
  const seen = await eventually(
    async () => {
      const { interim, report } = (await api('GET', `/evals/${json.id}`)).json
      return interim !== null && interim.samples > 0 ? { interim, report } : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  expect(seen).toMatchObject({
    report: null,
    interim: { candidates: { 'sim/slow-300': { method: 'confidence_sequence' } } },
  })
  await api('POST', `/evals/${json.id}/cancel`)
}, 180_000)

it('answers whether a candidate is not worse, for the gate too', async () => {
  const notWorse = { question: 'not_worse', margin: 0.4, baseline_model: 'sim/quality-1' }
  const equal = await run(order({ ...notWorse, candidate_models: ['sim/quality-0.999999'] }))
  const worse = await run(order({ ...notWorse, candidate_models: ['sim/quality-0'] }))
  const gateOf = (id: string, bar: number) =>
    api('GET', `/evals/${id}/gate?max_worse_by=${bar}&require_measured_judge=false`)
  expect(equal.report.candidates['sim/quality-0.999999'].difference).toMatchObject({
    question: 'not_worse',
    margin: 0.4,
    verdict: 'not_worse',
  })
  expect(worse.report.candidates['sim/quality-0'].difference.verdict).toBe('worse')
  // Its win rate is about 0.5: it is conclusive because its own question is answered.
  expect((await gateOf(equal.id, 0.4)).status).toBe(200)
  expect((await gateOf(worse.id, 0.4)).json.error.details.checks).toMatchObject([
    { name: 'max_worse_by', passed: false },
    { name: 'require_conclusive', passed: true },
    { name: 'require_reliable_judge', passed: true },
  ])
}, 300_000)

it('plans an eval before it starts, from the log', async () => {
  const ratchet = ratchetOf(fleet, workspace)
  const words = ['eval', 'plan', '--baseline', 'sim/quality-1', '--candidate', 'sim/quality-0.5', '--tag', 'support']
  const judge = ['--judge-model', 'sim/judge-1-1', '--rubric', 'The answer is right.', '--samples', '100']
  const question = ['--question', 'not_worse', '--margin', '0.05', '--expect-tie-rate', '0.8']
  const { code, stdout } = await ratchet('--json', ...words, ...judge, ...question)
  expect(code).toBe(0)
  const { plan } = JSON.parse(stdout)
  expect(plan).toMatchObject({
    question: 'not_worse',
    margin: 0.05,
    samples_needed: 623,
    answered_by_this_eval: false,
    model_calls: 200,
    judge_calls: 200,
  })
  expect(plan.minutes).toBeGreaterThan(0)
  expect(plan.cost_usd_needed / plan.cost_usd).toBeCloseTo(6.23, 1)
}, 180_000)

it('has a panel of judges, lists what they dispute, and charges all of them', async () => {
  const before = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  const done = await run(
    order({
      judge_model: undefined,
      judge_models: ['sim/judge-1-1', 'sim/judge-0.9-0.9', 'sim/judge-first'],
      sample_count: 20,
    }),
  )
  const after = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  const { judges, candidates } = done.report
  const { panel, wins } = candidates['sim/quality-1']
  expect(done.judge_models).toHaveLength(3)
  expect(panel.judges[0].wins).toBe(20)
  // The judge that prefers the first answer sees only ties, and cannot outvote the others.
  expect(panel.judges[2]).toMatchObject({ model: 'sim/judge-first', ties: 20, consistency_rate: 0 })
  expect(wins).toBe(panel.judges[1].wins)
  expect(panel.disputed).toBe(20)
  expect(nanoOf(judges.reduce((sum: number, { cost_usd }: Json) => sum + cost_usd, 0))).toBe(
    nanoOf(done.judge_cost_usd),
  )
  expect(before.balance - after.balance).toBe(nanoOf(done.cost_usd) + nanoOf(done.judge_cost_usd))
  const { json } = await api('GET', `/evals/${done.id}/samples?disputed=true`)
  expect(json.total).toBe(20)
  expect(json.data[0].orders.map(({ judge }: Json) => judge)).toContain('sim/judge-first')
}, 300_000)

it('stores preferences of people and corrects the win rate with them', async () => {
  const done = await run(order({ sample_count: 12 }))
  const { json: samples } = await api('GET', `/evals/${done.id}/samples?limit=20`)
  // People prefer the baseline in five of the ten samples that they see; the judge always prefers the candidate.
  for (const [index, { id }] of samples.data.slice(0, 10).entries()) {
    const preference = index % 2 === 0 ? 'baseline' : 'candidate'
    const stored = await api('POST', `/evals/${done.id}/samples/${id}/preferences`, { preference, grader: 'anna' })
    expect([stored.status, stored.json.object]).toEqual([201, 'eval.preference'])
  }
  const { json } = await api('GET', `/evals/${done.id}/calibration`)
  expect(json.candidates['sim/quality-1']).toMatchObject({
    graded: 10,
    accuracy: 0.5,
    win_rate: 1,
    corrected_win_rate: 0.5,
  })
  const [low, high] = json.candidates['sim/quality-1'].corrected_win_rate_ci
  expect([low < 0.5, high > 0.5, high < 1]).toEqual([true, true, true])
  expect((await api('GET', `/evals/${done.id}/preferences`)).json.total).toBe(10)
}, 180_000)
