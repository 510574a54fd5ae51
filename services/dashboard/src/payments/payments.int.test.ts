import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { receivePayment } from '@ratchet/contracts/billing'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { startTestDashboard, type TestDashboard } from '../dashboard.fixture.ts'
import { type ScriptedInference, startScriptedInference } from '../scripted-inference.fixture.ts'

let dashboard: TestDashboard
let inference: ScriptedInference

beforeAll(async () => {
  inference = await startScriptedInference(() => dashboard.inferenceKey)
  dashboard = await startTestDashboard({ env: inference.env })
})
afterAll(async () => {
  await dashboard.stop()
  await inference.stop()
})
beforeEach(() => {
  inference.calls.length = 0
  inference.answer = { status: 200, body: { accepted: true } }
})

const signature = `t=1,v1=${'a'.repeat(64)}`

function send(body: string, headers: Record<string, string> = { 'stripe-signature': signature }, method = 'POST') {
  return fetch(`${dashboard.url}/api/payments/stripe`, { method, headers, ...(method === 'GET' ? {} : { body }) })
}

it('passes on the exact text and the signature, without session, key or origin, signed as the dashboard', async () => {
  const payload = '{ "id":"evt_1",\n "name": "Zoë 💶" }  '
  for (let n = 0; n < 2; n += 1) {
    const reply = await send(payload, {
      'stripe-signature': signature,
      'content-type': 'application/json; charset=utf-8',
    })
    expect([reply.status, await reply.json()]).toEqual([200, { accepted: true }])
  }
  const path = receivePayment.path.replace(':provider', 'stripe')
  const one = { path, body: { payload, signature }, identity: fleetIdentity }
  expect(inference.calls).toEqual([one, one])
})

it.each([
  ['forged', 400, 400, 'invalid_request'],
  ['for an installation without Stripe', 404, 404, 'not_found'],
  ['while inference refuses the dashboard', 401, 503, 'service_unavailable'],
  ['while inference is too busy', 429, 503, 'service_unavailable'],
  ['while inference fails', 500, 503, 'service_unavailable'],
])('a message %s, which inference answers with %d, is a %d', async (_what, status, expected, code) => {
  inference.answer = { status, body: { error: { code: 'scripted', message: 'secret detail' } } }
  const reply = await send('{}')
  const body = await reply.text()
  expect([reply.status, JSON.parse(body).error.code]).toEqual([expected, code])
  expect(body).not.toContain('secret detail')
})

it.each<[string, Record<string, string>]>([
  ['without a signature', {}],
  ['with a signature of another form', { 'stripe-signature': 'v1=abc' }],
  ['with a signature that is far too long', { 'stripe-signature': `t=1,v1=${'a'.repeat(3_000)}` }],
])('refuses a message %s before it reads it', async (_what, headers) => {
  expect((await send('{}', headers)).status).toBe(400)
  expect(inference.calls).toEqual([])
})

it('takes 256 KiB and refuses more, and every other method', async () => {
  expect((await send('x'.repeat(262_144))).status).toBe(200)
  expect((await send('x'.repeat(262_145))).status).toBe(413)
  expect((await send('', {}, 'GET')).status).toBe(404)
  expect((await send('{}', { 'stripe-signature': signature }, 'PUT')).status).toBe(404)
  expect(inference.calls).toHaveLength(1)
})

it('asks Stripe to repeat a message while inference does not run', async () => {
  const alone = await startTestDashboard()
  const headers = { 'stripe-signature': signature }
  const reply = await fetch(`${alone.url}/api/payments/stripe`, { method: 'POST', headers, body: '{}' })
  expect([reply.status, await reply.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }])
  await alone.stop()
})

it('takes a message while somebody sends many, slowly', async () => {
  const headers = { 'stripe-signature': signature, 'content-length': 1_000, expect: '100-continue' }
  const slow = Array.from({ length: 40 }, () => {
    const sent = httpRequest(`${dashboard.url}/api/payments/stripe`, { method: 'POST', agent: false, headers })
    sent.on('error', () => undefined).flushHeaders()
    return sent
  })
  // Then their bodies are being read.
  await Promise.all(slow.map((sent) => once(sent, 'continue')))
  expect((await send('{}')).status).toBe(200)
  for (const sent of slow) sent.write('{')
  const answers = await Promise.all(slow.map((sent) => once(sent, 'response')))
  for (const [answer] of answers) expect(answer.resume().statusCode).toBe(408)
  for (const sent of slow) sent.destroy()
}, 20_000)
