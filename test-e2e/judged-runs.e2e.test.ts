import { randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { gradeRun } from '@ratchet/contracts/internal-labels'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import pg from 'pg'
import { type AgentRun, agentRun, importRuns } from './agent-runs.ts'
import { type Api, apiOf, calibrate, createJudge, type Json, untilOver } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

interface JudgedRun extends AgentRun {
  readonly isFlawed: boolean
}

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let runs: readonly JudgedRun[]

const tag = 'agent'

/** Runs of two to five steps, of which a third is flawed. */
function someRuns(count: number, more: { readonly tag: string; readonly minutesAgo?: number }): readonly JudgedRun[] {
  return Array.from({ length: count }, (_, number) => {
    const isFlawed = number % 3 === 0
    return { ...agentRun({ number, steps: 2 + (number % 4), isFlawed, ...more }), isFlawed }
  })
}

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  runs = someRuns(90, { tag })
  const open = agentRun({ number: 900, steps: 2, tag, finishReason: 'tool_calls' })
  await importRuns(api, [...runs, open])
}, 120_000)

const judgeOfRuns = (model: string, more: object = {}) =>
  createJudge(api, model, { unit: 'trace', population: tag, ...more })
const truthOf = ({ isFlawed }: JudgedRun) => (isFlawed ? 'fail' : 'pass')

/** Grades a run as the dashboard does for a signed-in user. */
async function grade(body: object): Promise<{ readonly status: number; readonly json: Json }> {
  const { workspaceId, userId } = workspace
  const requestId = randomUUID()
  const bound = { audience: 'judging', requestId, method: 'POST', path: gradeRun.path }
  const identity = { workspaceId, userId, keyId: workspace.keyId, role: 'owner' } as const
  const key = keyOfCaller(fleet.keyFor('judging'), 'dashboard')
  const response = await fetch(fleet.judging.url + gradeRun.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [requestIdHeader]: requestId,
      [identityHeader]: signIdentity(key, bound, identity, Date.now()),
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, json: await response.json() }
}

it('judges one run on demand, as a whole', async () => {
  const { id } = await judgeOfRuns('sim/judge-1-1')
  for (const run of runs.slice(0, 3)) {
    const { status, json } = await api('POST', `/criteria/${id}/judge`, { trace_id: run.traceId })
    expect([status, json.verdict]).toEqual([200, truthOf(run)])
    expect(json.cost_usd).toBeGreaterThan(0)
  }
  const open = await api('POST', `/criteria/${id}/judge`, { trace_id: `${tag}-900` })
  expect([open.status, open.json.error.code]).toEqual([409, 'conflict'])
  const logs = await api('GET', `/logs?trace_id=${runs[0]?.traceId}`)
  const entry = await api('POST', `/criteria/${id}/judge`, { log_id: logs.json.data[0].id })
  expect([entry.status, entry.json.error.code]).toEqual([400, 'unsupported_unit'])
}, 60_000)

it('calibrates a judge on grades of runs, and corrects the estimate of a scan by it', async () => {
  const { id } = await judgeOfRuns('sim/judge-0.99-0.99')
  const [first] = runs
  const publicly = await api('POST', '/labels', { unit: 'trace', trace_id: first?.traceId, label: 'pass' })
  expect([publicly.status, publicly.json.error.code]).toEqual([400, 'unsupported_unit'])
  const throughEdge = await fetch(fleet.url + gradeRun.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}` },
  })
  expect(throughEdge.status).toBe(404)
  const sampling = { method: 'random', probability: 60 / runs.length }
  for (const run of runs.slice(0, 60)) {
    const { status, json } = await grade({ trace_id: run.traceId, criterion_id: id, label: truthOf(run), sampling })
    expect([status, json.unit, json.trace_id]).toEqual([201, 'trace', run.traceId])
    expect(json.snapshot.messages.length).toBeGreaterThanOrEqual(run.steps.length)
  }
  const calibration = await calibrate(api, id)
  const { tp, fn, fp, tn } = calibration.confusion
  expect([calibration.status, tp + fn, fp + tn]).toEqual(['DONE', 20, 40])

  const estimate = await api('POST', `/criteria/${id}/scan`, { sample_count: 500, dry_run: true })
  expect([estimate.status, estimate.json.matched, estimate.json.sample_count]).toEqual([200, 90, 90])
  const started = await api('POST', `/criteria/${id}/scan`, { sample_count: 500 })
  expect(started.status).toBe(202)
  const scan = await untilOver(api, `/criteria/${id}/scans/${started.json.id}`)
  expect(scan).toMatchObject({ status: 'DONE', matched: 90, judged: 90, n_unjudged: 0 })
  const verdicts = await api('GET', `/criteria/${id}/verdicts?source=scan&limit=200`)
  const judged: ReadonlyMap<string, string> = new Map(
    verdicts.json.data.map((row: Json) => [row.trace_id, row.verdict]),
  )
  expect(judged.size).toBe(90)
  const fails = [...judged.values()].filter((verdict) => verdict === 'fail').length
  expect(scan.raw_pass_rate).toBeCloseTo(1 - fails / 90, 12)
  expect(scan.corrected_ci).not.toBeNull()
  // The estimate is at list prices, from the tokens that the log has counted.
  expect(scan.cost_usd).toBeGreaterThan(0)
  expect(estimate.json.estimated_cost_usd).toBeGreaterThan(0)
  const refused = await api('POST', `/criteria/${id}/scan`, { filters: { finish_reason: 'stop' } })
  expect([refused.status, refused.json.error.param]).toEqual([400, 'filters.finish_reason'])
}, 120_000)

it('monitors runs when they are completed, each once', async () => {
  const { id } = await judgeOfRuns('sim/judge-1-1', { population: 'live', online_enabled: true, online_percent: 100 })
  await eventually(() => hasMonitorStarted(), { withinMs: 20_000 })
  // Their last steps are ten minutes old in three seconds.
  const live = someRuns(9, { tag: 'live', minutesAgo: 9.95 })
  const later = agentRun({ number: 901, steps: 2, tag: 'live', minutesAgo: 2 })
  await importRuns(api, [...live, later])
  const judged = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}/verdicts?source=online&limit=200`)
      return json.total >= live.length ? json : null
    },
    { withinMs: 40_000, everyMs: 200 },
  )
  const verdicts = judged.data.map((row: Json) => [row.trace_id, row.verdict])
  expect(verdicts.toSorted()).toEqual(live.map((run) => [run.traceId, truthOf(run)]).toSorted())
}, 90_000)

it('refuses a judge of runs where single exchanges are judged', async () => {
  const { id } = await judgeOfRuns('sim/judge-1-1')
  const next = await api('GET', `/criteria/${id}/next_to_grade`)
  expect([next.status, next.json.error.code]).toEqual([400, 'unsupported_unit'])
  const models = { target_model: 'sim/quality-0.9', canary_model: 'sim/quality-0.8', canary_percent: 10 }
  const gate = { gate_mode: 'recommend', gate_criterion_id: id, sticky_by: 'trace' }
  const alias = await api('PUT', '/aliases', { name: 'runs', ...models, ...gate })
  expect([alias.status, alias.json.error.code, alias.json.error.param]).toEqual([
    400,
    'unsupported_unit',
    'gate_criterion_id',
  ])
}, 30_000)

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 90_000)

async function hasMonitorStarted(): Promise<boolean> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  try {
    const text = 'SELECT 1 FROM run_cursor WHERE workspace_id = $1'
    return (await client.query(text, [workspace.workspaceId])).rows.length === 1
  } finally {
    await client.end()
  }
}
