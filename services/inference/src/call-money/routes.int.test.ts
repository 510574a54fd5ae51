import { randomBytes, randomUUID } from 'node:crypto'
import type { EndpointCaller } from '@ratchet/contracts/endpoint'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp } from '../app.ts'
import { createExactWallets } from '../ledger/exact-wallets.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgRecalls } from '../ledger/pg-escrow-store.ts'
import { silentProvider } from '../request/request-records.fixture.ts'
import { createPgCallHolds } from './pg-call-holds.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/internal/call_holds'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

/** Calls inference as the voice service does. */
async function served(caller: EndpointCaller = 'voice') {
  const workspaceId = await database.newWallet(10_000n)
  const charged: [string, bigint][] = []
  const { pool } = database
  const exact = createExactWallets({ store: createPgRecalls({ pool }) })
  const callHolds = createPgCallHolds({ pool, exact, onEvent: () => undefined, timeoutMs: 10_000 })
  const onCharged = (kind: string, nano: bigint) => charged.push([kind, nano])
  const app = createApp(testDeps(silentProvider, { identityKeys: [key], callHolds, onCharged }))
  const post = (target: string, body: object) => {
    const requestId = randomUUID()
    const bound = { audience: 'inference', requestId, method: 'POST', path: target }
    const identity = { workspaceId, userId: workspaceId, role: 'admin' as const, keyId: workspaceId }
    const signed = signIdentity(keyOfCaller(key, caller), bound, identity, testNow().getTime())
    return request(app)
      .post(target)
      .set({ [requestIdHeader]: requestId, [identityHeader]: signed })
      .send(body)
  }
  const holdId = randomUUID()
  const taking = (amount: string) => ({
    hold_id: holdId,
    owner_id: randomUUID(),
    amount_nano: amount,
    keep_ms: 30_000,
    model: 'voice/sim/readable',
    tag: 'agent_1',
  })
  return { workspaceId, post, holdId, taking, charged }
}

it('holds, keeps, settles and tells what it cost', async () => {
  const { workspaceId, post, holdId, taking, charged } = await served()
  const taken = await post(path, taking('1000'))
  expect([taken.status, taken.body]).toEqual([200, { outcome: 'held' }])
  const items = [{ hold_id: holdId, workspace_id: workspaceId, cost_nano: '10' }]
  const kept = await post(`${path}/checkpoints`, { owner_id: randomUUID(), keep_ms: 30_000, items })
  expect([kept.status, kept.body]).toEqual([200, { object: 'checkpoints' }])
  const running = await post('/internal/charges/read', { request_ids: [holdId, randomUUID()] })
  expect(running.body.data).toEqual([{ request_id: holdId, cost_nano: null }])
  const settled = await post(`${path}/${holdId}/settle`, { cost_nano: '25' })
  expect(settled.body).toEqual({ charged_nano: '25' })
  expect((await post(`${path}/${holdId}/release`, {})).body).toEqual({ charged_nano: '25' })
  const read = await post('/internal/charges/read', { request_ids: [holdId] })
  expect(read.body.data).toEqual([{ request_id: holdId, cost_nano: '25' }])
  expect(charged).toEqual([['voice', 25n]])
  expect((await post(path, taking('1000'))).body.error.code).toBe('conflict')
})

it('refuses what the wallet or the cap does not cover', async () => {
  const { post, taking } = await served()
  const refused = await post(path, taking('10001'))
  expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_balance'])
  const windowStart = '2026-12-01T00:00:00.000Z'
  const cap = { id: randomUUID(), capNano: '99', windowStart }
  expect((await post(path, { ...taking('100'), cap })).body.error.code).toBe('spend_cap_reached')
})

it('is closed to every other service', async () => {
  const { post, taking } = await served('training')
  expect((await post(path, taking('1'))).status).toBe(403)
})
