import { randomBytes, randomUUID } from 'node:crypto'
import type { EndpointCaller } from '@ratchet/contracts/endpoint'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp } from '../app.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { silentProvider } from '../request/request-records.fixture.ts'
import { openJobHolds } from './job-holds.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/internal/training_holds'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

/** Calls inference as the training service does. */
async function served(balanceNano = 10_000n, caller: EndpointCaller = 'training') {
  const workspaceId = await database.newWallet(balanceNano)
  const charged: [string, bigint][] = []
  const onCharged = (kind: string, nano: bigint) => charged.push([kind, nano])
  const deps = { identityKeys: [key], jobHolds: openJobHolds(database), onCharged }
  const app = createApp(testDeps(silentProvider, deps))
  const call = (method: 'get' | 'post', target: string, body?: object) => {
    const requestId = randomUUID()
    const bound = { audience: 'inference', requestId, method: method.toUpperCase(), path: target }
    const identity = { workspaceId, userId: workspaceId, role: 'admin' as const, keyId: workspaceId }
    const signed = signIdentity(keyOfCaller(key, caller), bound, identity, testNow().getTime())
    const sent = request(app)
      [method](target)
      .set({ [requestIdHeader]: requestId, [identityHeader]: signed })
    return body === undefined ? sent : sent.send(body)
  }
  const [holdId, jobId] = [randomUUID(), randomUUID()]
  const taking = (amount: string, changes = {}) => ({
    hold_id: holdId,
    job_id: jobId,
    amount_nano: amount,
    model: 'sim/large',
    ...changes,
  })
  return { workspaceId, call, holdId, jobId, taking, charged }
}

it('holds, charges, confirms, lists, settles and releases', async () => {
  const { call, holdId, jobId, taking, charged } = await served()
  const taken = await call('post', path, taking('1000'))
  expect([taken.status, taken.body]).toEqual([200, { held_nano: '1000', job_cost_nano: '0' }])
  const checkpoint = await call('post', `${path}/${holdId}/checkpoint`, { cost_nano: '300', trained_tokens: '600' })
  expect(checkpoint.body).toEqual({ state: 'open', held_nano: '700', job_cost_nano: '300' })
  const listed = { hold_id: holdId, job_id: jobId, held_nano: '700', job_cost_nano: '300' }
  const data = [{ ...listed, opened_at: expect.any(String), expires_at: expect.any(String) }]
  expect((await call('post', `${path}/confirm`, { hold_ids: [holdId] })).body).toEqual({ object: 'list', data })
  expect((await call('get', path)).body).toEqual({ object: 'list', data })
  const settled = await call('post', `${path}/${holdId}/settle`, { cost_nano: '350' })
  expect(settled.body).toEqual({ state: 'posted', held_nano: '0', job_cost_nano: '350' })
  expect((await call('post', `${path}/${holdId}/release`)).body).toEqual(settled.body)
  expect((await call('get', path)).body.data).toEqual([])
  expect(charged).toEqual([
    ['training', 300n],
    ['training', 50n],
  ])
})

it('answers 402 when the wallet does not cover the hold, and 409 when the hold cannot be taken any more', async () => {
  const { call, holdId, taking } = await served(500n)
  const refused = await call('post', path, taking('501'))
  expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_balance'])
  await call('post', path, taking('100'))
  const other = await call('post', path, taking('100', { hold_id: randomUUID() }))
  expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
  await call('post', `${path}/${holdId}/release`)
  expect((await call('post', path, taking('100'))).status).toBe(409)
})

it('answers 404 for a cost of an unknown hold, and 400 for an amount that is none', async () => {
  const { call, holdId, taking } = await served()
  expect((await call('post', `${path}/${holdId}/checkpoint`, { cost_nano: '1' })).status).toBe(404)
  expect((await call('post', `${path}/${holdId}/settle`, { cost_nano: '1' })).status).toBe(404)
  for (const amount of ['-1', '1.5', '01', '9223372036854775808', '']) {
    expect((await call('post', path, taking(amount))).status).toBe(400)
  }
})

it.each(['eval', 'judging', 'alias', 'logging', 'dashboard'] as const)('refuses %s', async (caller) => {
  const { call, taking } = await served(10_000n, caller)
  expect((await call('post', path, taking('1'))).status).toBe(403)
  expect((await call('get', path)).status).toBe(403)
})
