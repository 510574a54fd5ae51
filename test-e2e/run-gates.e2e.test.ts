import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { untilInForce } from './alias-propagation.ts'
import { postChat } from './clients.ts'
import { type Api, apiOf, createJudge, type Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let judge: Json

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  judge = await createJudge(api, 'sim/judge-1-1', { unit: 'trace', online_percent: 100 })
}, 300_000)

const name = 'agents'
const gate = async (): Promise<Json> => (await api('GET', `/aliases/${name}/gate`)).json

interface Step {
  readonly traceId: string
  readonly content: string
  /** The alias when absent. */
  readonly model?: string
}

/** Returns the model that answered. */
async function call({ traceId, content, model = name }: Step): Promise<string | null> {
  const headers = { 'x-svc-trace-id': traceId }
  const response = await postChat(fleet, { model, content, apiKey: workspace.apiKey, headers })
  await response.text()
  expect(response.status).toBe(200)
  return response.headers.get('x-svc-served-model')
}

/** A run is judged by what is logged of it. */
async function untilLogged(count: number): Promise<void> {
  await eventually(async () => (await api('GET', '/logs?limit=1')).json.total === count, { withinMs: 60_000 })
}

/** Makes the split and everything that it has seen older, because a run is completed ten minutes after its last step. */
async function letTimePass(): Promise<void> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  try {
    const own = [workspace.workspaceId]
    await client.query('BEGIN')
    await client.query(
      `UPDATE alias SET epoch_started_at = epoch_started_at - interval '20 minutes' WHERE workspace_id = $1`,
      own,
    )
    await client.query(
      `UPDATE canary_sample s SET created_at = s.created_at - interval '15 minutes'
       FROM alias a WHERE a.id = s.alias_id AND a.workspace_id = $1`,
      own,
    )
    await client.query(
      `UPDATE exchange SET created_at = created_at - interval '15 minutes' WHERE workspace_id = $1`,
      own,
    )
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}

const chosenIn = ({ arms }: Json): number =>
  [arms.target, arms.canary].reduce((sum, arm) => sum + arm.open + arm.scored + arm.mixed + arm.assisted, 0)

it('gives each run to one arm, scores it once as a whole when it is completed, and recommends a rollback', async () => {
  const settings = { name, target_model: 'sim/quality-1', canary_model: 'sim/quality-0', canary_percent: 50 }
  const gated = { gate_mode: 'recommend', gate_criterion_id: judge.id, sticky_by: 'trace' }
  expect((await api('PUT', '/aliases', { ...settings, ...gated })).status).toBe(200)
  await untilInForce(api, name)
  const runs = Array.from({ length: 60 }, (_, number) => `run-${number}`)
  const arms = new Map<string, string | null>()
  for (const traceId of runs) {
    const served = [
      await call({ traceId, content: `Look up item ${traceId}.` }),
      await call({ traceId, content: `Answer on item ${traceId}.` }),
    ]
    expect(new Set(served).size).toBe(1)
    arms.set(traceId, served[0] ?? null)
  }
  await call({ traceId: 'helped', content: 'Look up an item.' })
  await call({ traceId: 'helped', content: 'Answer on it.', model: 'sim/quality-1' })
  await eventually(async () => chosenIn(await gate()) === runs.length + 1, { withinMs: 60_000, everyMs: 200 })
  await untilLogged(2 * (runs.length + 1))
  expect((await gate()).arms).toMatchObject({ target: { scored: 0 }, canary: { scored: 0 } })
  await letTimePass()
  const found = await eventually(
    async () => {
      const now = await gate()
      if (now.state !== 'rollback_recommended') throw new Error(`${now.state}: ${now.reason}`)
      const { target, canary } = now.arms
      return target.open + canary.open === 0 && target.scored + canary.scored === runs.length ? now : null
    },
    { withinMs: 120_000, everyMs: 200 },
  )
  const ofCanary = [...arms.values()].filter((model) => model === 'sim/quality-0').length
  expect(found.unit).toBe('trace')
  expect(found.arms.canary).toMatchObject({ scored: ofCanary, fails: ofCanary })
  expect(found.arms.target).toMatchObject({ scored: runs.length - ofCanary, fails: 0 })
  expect(found.arms.target.assisted + found.arms.canary.assisted).toBe(1)
  expect(found.plan.unit).toBe('trace')
  const { json } = await api('GET', `/aliases/${name}/gate/next_to_grade?limit=10`)
  const drawn = json.data.map((row: Json) => [row.log_id, arms.has(row.trace_id)])
  expect(drawn).toEqual(Array.from({ length: 10 }, () => [null, true]))
}, 300_000)

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 300_000)
