import { randomBytes, randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testNow } from '../app.fixture.ts'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import { aliasedApp } from './aliased-app.fixture.ts'
import { testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'

/** Inference for a workspace with a limit of one request a minute, a cache and an alias, called as the voice service does. */
function called() {
  const logged: unknown[] = []
  const app = aliasedApp({
    routes: [aliasRoute({ name: 'reception' })],
    settings: { loggingEnabled: true, responseCache: true, limits: { requestsPerMinute: 1, tokensPerMinute: 1 } },
    changes: {
      identityKeys: [key],
      limiter: createRateLimiter({ redis: null, now: testNow, onEvent() {} }),
      capture: { add: (exchange) => void logged.push(exchange), skipTooLarge() {}, async stop() {} },
    },
  })
  const send = (changes: object = {}) => {
    const requestId = randomUUID()
    const bound = { audience: 'inference', requestId, method: 'POST', path }
    const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'admin' as const, keyId: null }
    const identity = { ...caller, channel: 'voice' as const, ...changes }
    const signed = signIdentity(keyOfCaller(key, 'voice'), bound, identity, testNow().getTime())
    return request(app.app)
      .post(path)
      .set({ [requestIdHeader]: requestId, [identityHeader]: signed, 'x-svc-trace-id': 'call_1' })
      .send({ model: 'reception', messages: [{ role: 'user', content: 'Hi' }], temperature: 0 })
  }
  return { ...app, logged, send }
}

it('are traffic of clients: they are logged under their trace, without a key, and aliases hold for them', async () => {
  const { send, logged, called: models } = called()
  const answer = await send()
  expect([answer.status, answer.headers['x-svc-alias']]).toEqual([200, 'reception'])
  expect(models).toHaveLength(1)
  expect(logged).toMatchObject([{ meta: { traceId: 'call_1', keyId: null, alias: 'reception' } }])
})

it('are never refused by limits of other traffic, and never answered from the cache', async () => {
  const { send, called: models } = called()
  const statuses: number[] = []
  for (let time = 0; time < 4; time += 1) statuses.push((await send()).status)
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(models).toHaveLength(4)
})

it('may not be measured as an internal call', async () => {
  expect((await called().send({ purpose: 'judge' })).status).toBe(401)
})
