import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { adminCommand } from './brought-keys.ts'
import { postChat } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let pool: Pool

beforeAll(async () => {
  fleet = await shareFleet()
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
}, 300_000)
afterAll(() => pool?.end())
// No process knows a new workspace, so what is set before its first request applies to that one.
beforeEach(async () => {
  workspace = await workspaceWith(fleet)
})

const admin = (line: string) => adminCommand(fleet, line)

async function ask(model: string, headers: Record<string, string> = {}) {
  const call = { model, apiKey: workspace.apiKey, headers, body: { max_tokens: 200 } }
  const response = await postChat(fleet, call)
  const answer = (await response.json()) as { readonly error?: { readonly code: string } }
  return { status: response.status, code: answer.error?.code, served: response.headers.get('x-svc-served-model') }
}

/** Spent and held of the only window, and the budget. */
async function readWindow(): Promise<readonly [used: bigint, amount: bigint]> {
  const text = 'SELECT spent + held AS used, amount FROM budget_window WHERE wallet_id = $1'
  const { rows } = await pool.query<{ used: string; amount: string }>(text, [workspace.workspaceId])
  return [BigInt(rows[0]?.used ?? 0), BigInt(rows[0]?.amount ?? 0)]
}

it('no number of requests at once exceeds a budget, and what it refuses says so', async () => {
  await admin(`admin budget set --workspace ${workspace.slug} --scope user --subject * --period day --usd 0.005`)
  const headers = { 'x-svc-user': 'ann' }
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask('sim/large', headers)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.every(({ status, code }) => status === 402 && code === 'budget_exceeded')).toBe(true)
  expect([answers.length > refused.length, refused.length > 0]).toEqual([true, true])
  const [used, amount] = await readWindow()
  expect(amount).toBe(5_000_000n)
  expect(used <= amount).toBe(true)
  // Somebody else has a budget of their own.
  expect((await ask('sim/large', { 'x-svc-user': 'bob' })).status).toBe(200)
}, 60_000)

it('a key calls the models that its owner chose, until it expires', async () => {
  await admin(`admin key limit ${workspace.keyId} --models sim/s*,support`)
  expect(await ask('sim/large')).toMatchObject({ status: 403, code: 'model_not_allowed' })
  expect(await ask('sim/small')).toMatchObject({ status: 200, served: 'sim/small' })
  await pool.query("UPDATE api_key SET expires_at = now() + interval '2 seconds' WHERE id = $1", [workspace.keyId])
  await eventually(async () => expect(await ask('sim/small')).toMatchObject({ status: 401 }), { withinMs: 15_000 })
}, 60_000)
