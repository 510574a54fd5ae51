import { randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { gradeOne } from '@ratchet/contracts/session-labels'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
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
}, 300_000)

const judgeOfRuns = (model: string, more: object = {}) =>
  createJudge(api, model, { unit: 'trace', population: tag, ...more })
const truthOf = ({ isFlawed }: JudgedRun) => (isFlawed ? 'fail' : 'pass')

/** Grades a run as the edge does for a signed-in user. */
async function grade(body: object): Promise<{ readonly status: number; readonly json: Json }> {
  const { workspaceId, userId } = workspace
  const requestId = randomUUID()
  const bound = { audience: 'judging', requestId, method: 'POST', path: gradeOne.path }
  const session = { id: randomUUID(), mayGrade: true, isFresh: false }
  const identity = { workspaceId, userId, keyId: null, role: 'member', session } as const
  const response = await fetch(fleet.judging.url + gradeOne.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [requestIdHeader]: requestId,
      [identityHeader]: signIdentity(fleet.keyFor('judging'), bound, identity, Date.now()),
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
}, 180_000)

it('calibrates a judge on grades of runs, and corrects the estimate of a scan by it', async () => {
  const { id } = await judgeOfRuns('sim/judge-0.99-0.99')
  const [first] = runs
  const publicly = await api('POST', '/labels', { unit: 'trace', trace_id: first?.traceId, label: 'pass' })
  expect([publicly.status, publicly.json.error.code]).toEqual([400, 'unsupported_unit'])
  const throughEdge = await fetch(fleet.url + gradeOne.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}` },
  })
  expect(throughEdge.status).toBe(404)
  const sampling = { method: 'random', probability: 1 }
  for (const run of runs) {
    const { status, json } = await grade({
      unit: 'trace',
      trace_id: run.traceId,
      criterion_id: id,
      label: truthOf(run),
      sampling,
    })
    expect([status, json.unit, json.trace_id]).toEqual([201, 'trace', run.traceId])
    expect(json.snapshot.messages.length).toBeGreaterThanOrEqual(run.steps.length)
  }
  const early = await api('POST', `/criteria/${id}/calibrate`, {})
  expect([early.status, early.json.error.code]).toEqual([412, 'precondition_failed'])
  const calibration = await calibrate(api, id)
  const { tp, fn, fp, tn } = calibration.confusion
  expect([calibration.status, tp + fn, fp + tn]).toEqual(['DONE', 30, 60])

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
}, 300_000)

it('monitors runs when they are completed, each once', async () => {
  const { id } = await judgeOfRuns('sim/judge-1-1', { population: 'live', online_enabled: true, online_percent: 100 })
  await eventually(() => hasMonitorStarted(), { withinMs: 45_000 })
  // Their last steps are ten minutes old in three seconds.
  const live = someRuns(9, { tag: 'live', minutesAgo: 9.95 })
  const later = agentRun({ number: 901, steps: 2, tag: 'live', minutesAgo: 2 })
  await importRuns(api, [...live, later])
  const judged = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}/verdicts?source=online&limit=200`)
      return json.total >= live.length ? json : null
    },
    { withinMs: 45_000, everyMs: 200 },
  )
  const verdicts = judged.data.map((row: Json) => [row.trace_id, row.verdict])
  expect(verdicts.toSorted()).toEqual(live.map((run) => [run.traceId, truthOf(run)]).toSorted())
}, 300_000)

it('lists runs to grade from a frozen frame, whose grades are a random sample', async () => {
  const { id } = await judgeOfRuns('sim/judge-1-1')
  const next = await api('GET', `/criteria/${id}/next_to_grade?limit=30`)
  expect([next.status, next.json.strategy, next.json.data.length]).toEqual([200, 'random', 30])
  const byId = new Map(runs.map((run) => [run.traceId, run]))
  for (const { log_id, trace_id, messages, sampling } of next.json.data) {
    const run = byId.get(trace_id)
    if (run === undefined) throw new Error(`${trace_id} is no completed run of the population`)
    expect([log_id, sampling.method]).toEqual([null, 'random'])
    expect(messages.length).toBeGreaterThanOrEqual(run.steps.length)
    expect((await grade({ unit: 'trace', trace_id, criterion_id: id, label: truthOf(run) })).status).toBe(201)
  }
  const later = await api('GET', `/criteria/${id}/next_to_grade?limit=50`)
  const graded = new Set(next.json.data.map((row: Json) => row.trace_id))
  expect(later.json.data.some((row: Json) => graded.has(row.trace_id))).toBe(false)
  const calibration = await calibrate(api, id)
  const { tp, fn, fp, tn } = calibration.confusion
  expect([calibration.status, tp + fn + fp + tn]).toEqual(['DONE', 30])
}, 180_000)

it('gates an alias by runs when their steps stay together, and refuses it otherwise', async () => {
  const { id } = await judgeOfRuns('sim/judge-1-1')
  const models = { target_model: 'sim/quality-0.9', canary_model: 'sim/quality-0.8', canary_percent: 10 }
  const gate = { gate_mode: 'recommend', gate_criterion_id: id }
  const apart = await api('PUT', '/aliases', { name: 'runs', ...models, ...gate })
  expect([apart.status, apart.json.error.code, apart.json.error.param]).toEqual([400, 'unsupported_unit', 'sticky_by'])
  const shadow = { shadow_model: 'sim/quality-0.7', shadow_percent: 5 }
  const mirrored = await api('PUT', '/aliases', { name: 'runs', ...models, ...gate, sticky_by: 'trace', ...shadow })
  expect([mirrored.status, mirrored.json.error.param]).toEqual([400, 'shadow_model'])
  const alias = await api('PUT', '/aliases', { name: 'runs', ...models, ...gate, sticky_by: 'trace' })
  expect([alias.status, alias.json.gate_plan.unit]).toEqual([200, 'trace'])
  const shown = await api('GET', '/aliases/runs/gate')
  expect([shown.status, shown.json.unit, shown.json.state]).toEqual([200, 'trace', 'collecting'])
}, 180_000)

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 300_000)

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
