import { randomUUID } from 'node:crypto'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import { eventually } from '@ratchet/testing/eventually'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import pg from 'pg'
import { ledgerOf } from './charge.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
}, 300_000)
beforeEach(() => fleet.provider.reset())

const path = '/v1/chat/completions'
const windowStart = '2026-11-16T00:00:00.000Z'

interface FleetCall {
  readonly key: string
  readonly model?: string
  readonly purpose?: Identity['purpose']
  readonly spendCap?: NonNullable<Identity['spendCap']>
  readonly signal?: AbortSignal
}

/** One internal call like those of workers: directly to inference, with a signed identity. */
async function callAs({ key, model = 'sim/small', purpose = 'judge', spendCap, signal }: FleetCall) {
  const { workspaceId } = fleet.workspace
  const requestId = randomUUID()
  const caller = { workspaceId, userId: workspaceId, role: 'member', keyId: workspaceId, purpose } as const
  const identity = spendCap === undefined ? caller : { ...caller, spendCap }
  const bound = { audience: 'inference', requestId, method: 'POST', path }
  const response = await fetch(`${fleet.inference.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      [requestIdHeader]: requestId,
      [identityHeader]: signIdentity(keyOfCaller(fleet.keyFor('inference'), 'judging'), bound, identity, Date.now()),
    },
    // The hold is for a long answer, so the estimate of the prompt's tokens hardly changes it.
    body: JSON.stringify({ model, max_tokens: 500, messages: [{ role: 'user', content: 'Is it good?' }] }),
    ...(signal === undefined ? {} : { signal }),
  })
  const { usage, error } = (await response.json()) as { usage?: { cost_usd: number }; error?: { code: string } }
  return {
    status: response.status,
    code: error?.code,
    costNano: BigInt(response.headers.get('x-internal-cost-nano') ?? -1),
    costUsd: usage?.cost_usd,
    provider: response.headers.get('x-internal-provider'),
    served: response.headers.get('x-svc-served-model'),
    replayed: response.headers.get('idempotent-replay'),
  }
}

async function rowsOf<Row extends pg.QueryResultRow>(query: string, ...values: unknown[]): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  const { rows } = await client.query<Row>(query, values)
  await client.end()
  return rows
}

async function providerCalls(): Promise<number> {
  return (await fleet.provider.report()).totals.requests
}

it('an internal call is charged to its workspace, returns its cost, and a replay is free', async () => {
  const [before, key] = [await ledgerOf(fleet), randomUUID()]
  const first = await callAs({ key })
  const after = await ledgerOf(fleet)
  const second = await callAs({ key })
  expect(first).toMatchObject({ status: 200, served: 'sim/small', provider: 'sim', replayed: null })
  expect(first.costNano).toBe(before.balance - after.balance)
  expect(first.costNano).toBe(BigInt(Math.round((first.costUsd ?? 0) * 1e9)))
  expect(second).toEqual({ ...first, replayed: 'true' })
  expect(await ledgerOf(fleet)).toEqual(after)
  expect(after.violations).toEqual([])
  const charged = 'SELECT kind, state FROM ledger_request WHERE wallet_id = $1'
  expect(await rowsOf(charged, fleet.workspace.workspaceId)).toEqual([{ kind: 'judge', state: 'posted' }])
})

it('a killed caller that repeats its call is charged once, and receives the cost', async () => {
  const [before, key, model] = [await ledgerOf(fleet), randomUUID(), 'sim/slow-1000']
  const dying = new AbortController()
  const killed = callAs({ key, model, signal: dying.signal })
  await eventually(async () => ((await ledgerOf(fleet)).open === 1 ? true : null))
  dying.abort()
  await expect(killed).rejects.toThrow()
  const answer = await eventually(async () => {
    const again = await callAs({ key, model })
    return again.status === 200 ? again : null
  })
  const after = await ledgerOf(fleet)
  expect(answer.replayed).toBe('true')
  expect(answer.costNano).toBe(before.balance - after.balance)
  expect(after).toMatchObject({ posted: before.posted + 1, open: 0, violations: [] })
  expect(await providerCalls()).toBe(1)
})

it('a spend cap allows the concurrent calls that it covers, and the next window begins with zero', async () => {
  const id = randomUUID()
  // The model waits 3 s, so that all holds are open at the same time and no settlement frees a part of the cap.
  const capped = (capNano: bigint, start = windowStart) =>
    callAs({
      key: randomUUID(),
      model: 'sim/slow-3000',
      spendCap: { id, capNano: String(capNano), windowStart: start },
    })
  const probe = capped(0n, '2026-11-09T00:00:00.000Z')
  const [held] = await eventually(async () => {
    const open = "SELECT hold FROM billing_request WHERE state = 'open' AND wallet_id = $1"
    const rows = await rowsOf<{ hold: string }>(open, fleet.workspace.workspaceId)
    return rows.length === 1 ? rows : null
  })
  await probe
  await fleet.provider.reset()
  const cap = BigInt(held?.hold ?? 0) * 5n

  const answers = await Promise.all(Array.from({ length: 40 }, () => capped(cap)))

  const paid = answers.filter(({ status }) => status === 200)
  expect(paid).toHaveLength(5)
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ code }) => code))).toEqual(
    new Set(['spend_cap_reached']),
  )
  expect(await providerCalls()).toBe(5)
  const spent = paid.reduce((sum, { costNano }) => sum + costNano, 0n)
  const windows = 'SELECT cap, spent, held FROM spend_cap WHERE cap_id = $1 AND window_start = $2'
  expect(await rowsOf(windows, id, windowStart)).toEqual([{ cap: String(cap), spent: String(spent), held: '0' }])
  expect((await capped(spent)).code).toBe('spend_cap_reached')
  const later = await Promise.all([capped(spent + cap), capped(cap, '2026-11-23T00:00:00.000Z')])
  expect(later.map(({ status }) => status)).toEqual([200, 200])
  expect((await ledgerOf(fleet)).violations).toEqual([])
}, 180_000)

it('a call that ends in the next week counts in the week in which it was held', async () => {
  const id = randomUUID()
  const capped = (model: string, start: string) =>
    callAs({ key: randomUUID(), model, spendCap: { id, capNano: '1000000000', windowStart: start } })
  const windows = async () =>
    rowsOf<{ spent: string; held: string }>(
      'SELECT spent, held FROM spend_cap WHERE cap_id = $1 ORDER BY window_start',
      id,
    )
  const running = capped('sim/slow-1000', '2026-11-09T00:00:00.000Z')
  await eventually(async () => (await windows()).some(({ held }) => held !== '0'))
  const next = await capped('sim/small', windowStart)
  expect((await windows()).map(({ spent }) => spent)).toEqual(['0', String(next.costNano)])
  const ended = await running
  expect([ended.status, next.status]).toEqual([200, 200])
  expect(await windows()).toEqual([ended, next].map(({ costNano }) => ({ spent: String(costNano), held: '0' })))
  expect((await ledgerOf(fleet)).violations).toEqual([])
})

it('a caller without the key of inference cannot make internal calls', async () => {
  const { apiKey } = fleet.workspace
  const claims = Buffer.from(JSON.stringify({ purpose: 'judge' })).toString('base64url')
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    [identityHeader]: `v1.k1.${claims}.AA`,
  }
  const body = JSON.stringify({ model: 'sim/small', messages: [{ role: 'user', content: 'Hi' }] })
  const throughEdge = await fetch(`${fleet.url}${path}`, { method: 'POST', headers, body })
  expect(throughEdge.status).toBe(200)
  expect(throughEdge.headers.get('x-internal-cost-nano')).toBeNull()
  const direct = await fetch(`${fleet.inference.url}${path}`, { method: 'POST', headers, body })
  expect(direct.status).toBe(401)
})
