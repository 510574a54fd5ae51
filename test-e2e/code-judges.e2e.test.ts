import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import {
  type Api,
  apiOf,
  calibrate,
  gradeTruly,
  hasMonitorStarted,
  type Json,
  type LoggedExchange,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let traffic: readonly LoggedExchange[]
let judge: Json

const notFlawed = {
  type: 'script',
  source: 'const check = ({ text }) => ({ pass: !text.includes("(flawed)"), reason: "it says so itself" })',
}

async function create(checks: readonly object[], more: object = {}): Promise<Json> {
  const body = { name: 'No flaws', kind: 'code', judge_prompt: 'The answer contains a mistake.', checks, ...more }
  const { status, json, text } = await api('POST', '/criteria', body)
  if (status !== 201) throw new Error(`${status}: ${text}`)
  return json
}

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  traffic = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: 200, tag: 'support' })
  await gradeTruly(api, traffic)
  judge = await create([{ type: 'characters', min: 1 }, notFlawed], { population: 'support' })
}, 300_000)

it('judges one exchange without a charge, and says which check fails', async () => {
  const flawed = traffic.find(({ isFlawed }) => isFlawed)
  const { status, json } = await api('POST', `/criteria/${judge.id}/judge`, { log_id: flawed?.id })
  expect([status, json.verdict, json.cost_usd]).toEqual([200, 'fail', 0])
  expect(json.explanation).toBe('It fails check 2 (script): it says so itself.')
  const given = { messages: [{ role: 'user', content: 'Hi' }], response: 'Hello.' }
  expect((await api('POST', `/criteria/${judge.id}/judge`, given)).json).toMatchObject({ verdict: 'pass', cost_usd: 0 })
})

it('is measured against the grades of people, free of charge, and trusted when it agrees', async () => {
  const calibration = await calibrate(api, judge.id)
  const fails = traffic.filter(({ isFlawed }) => isFlawed).length
  expect(calibration).toMatchObject({
    status: 'DONE',
    cost_usd: 0,
    confusion: { tp: fails, fn: 0, fp: 0, tn: 200 - fails },
  })
  const { json } = await api('GET', `/criteria/${judge.id}`)
  expect(json).toMatchObject({ kind: 'code', tpr: 1, tnr: 1, trust: 'trustworthy', can_act: true })
}, 120_000)

it('is not trusted when it measures something else', async () => {
  const short = await create([{ type: 'length', max: 5 }], { population: 'support' })
  await calibrate(api, short.id)
  expect((await api('GET', `/criteria/${short.id}`)).json.trust).toBe('misaligned')
}, 120_000)

it('gives no verdict when its script fails, which counts as an error', async () => {
  const broken = await create([{ type: 'script', source: 'const check = ({ text }) => text.nothing.here' }])
  const refused = await api('POST', `/criteria/${broken.id}/judge`, { log_id: traffic[0]?.id })
  expect([refused.status, refused.json.error.code]).toEqual([400, 'invalid_request'])
  expect(refused.json.error.message).toContain('check 1 (script)')
  expect((await calibrate(api, broken.id)).n_unparseable).toBe(200)
  expect((await api('GET', `/criteria/${broken.id}`)).json.can_act).toBe(false)
}, 120_000)

it('scans and monitors all traffic for nothing', async () => {
  const { json: scan } = await api('POST', `/criteria/${judge.id}/scan`, { sample_count: 200 })
  expect(await untilOver(api, `/criteria/${judge.id}/scans/${scan.id}`)).toMatchObject({
    status: 'DONE',
    judged: 200,
    cost_usd: 0,
  })
  await api('PUT', `/criteria/${judge.id}/monitor`, { online_enabled: true, online_percent: 100 })
  await eventually(() => hasMonitorStarted(fleet, workspace), { withinMs: 45_000 })
  const fresh = await sendTraffic(fleet, workspace, {
    model: 'sim/quality-0.6',
    count: 20,
    tag: 'support',
    from: 1_000,
  })
  const verdicts = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${judge.id}/verdicts?source=online&limit=200`)
      return json.total >= fresh.length ? json.data : null
    },
    { withinMs: 60_000, everyMs: 500 },
  )
  const failed = verdicts.filter(({ verdict }: Json) => verdict === 'fail').map(({ log_id: id }: Json) => id)
  expect(new Set(failed)).toEqual(new Set(fresh.filter(({ isFlawed }) => isFlawed).map(({ id }) => id)))
  expect((await api('GET', `/criteria/${judge.id}`)).json.online_spent_usd).toBe(0)
}, 180_000)

it('decides an eval: of two answers the one that passes is better', async () => {
  const { json } = await api('POST', '/evals', {
    name: 'By checks',
    baseline_model: 'sim/quality-0.3',
    candidate_models: ['sim/quality-0.95'],
    criterion_id: judge.id,
    sample_count: 60,
    sample_filters: { tag: 'support' },
  })
  const done = await untilOver(api, `/evals/${json.id}`, 120_000)
  expect(done).toMatchObject({ status: 'DONE', judge_model: 'ratchet/checks' })
  const candidate = done.report.candidates['sim/quality-0.95']
  expect(candidate.losses).toBeLessThan(candidate.wins)
  expect(candidate.win_rate_ci[0]).toBeGreaterThan(0.5)
  expect(done.report.judges).toEqual([{ model: 'ratchet/checks', cost_usd: 0 }])
}, 180_000)

it('holds the gate of an alias, which rolls a worse canary back for nothing', async () => {
  const put = await api('PUT', '/aliases', {
    name: 'by-checks',
    target_model: 'sim/quality-0.95',
    canary_model: 'sim/quality-0.3',
    canary_percent: 50,
    gate_mode: 'auto',
    gate_criterion_id: judge.id,
  })
  expect(put.status).toBe(200)
  let asked = 0
  await eventually(
    async () => {
      const questions = Array.from({ length: 20 }, (_, each) => `Question ${asked + each}: why?`)
      asked += questions.length
      const headers = { 'x-svc-tag': 'support' }
      const call = { model: 'by-checks', apiKey: workspace.apiKey, headers }
      await Promise.all(questions.map(async (content) => (await postChat(fleet, { ...call, content })).text()))
      return (await api('GET', '/aliases/by-checks/gate')).json.state === 'rolled_back'
    },
    { withinMs: 120_000, everyMs: 1_000 },
  )
  expect((await api('GET', `/criteria/${judge.id}`)).json.online_spent_usd).toBe(0)
}, 180_000)
