import { Webhook } from 'standardwebhooks'
import { webhookRetryDelayMs } from './retry-schedule.ts'
import { createWebhookSender, messageHeaders } from './send-webhook.ts'

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
const message = { id: 'msg_1', body: '{"type":"eval.done","data":{"name":"Grüße 🎈"}}' }

it.each([24, 32, 64])('a receiver verifies a message that was signed with %i bytes', (bytes) => {
  const secret = secretOf(bytes)
  const headers = messageHeaders({ ...message, secret: () => secret }, new Date())
  expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body))
})

it('a signature equals the example of the standard', () => {
  // Another implementation computes the same signature for this example.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const at = new Date(1_614_265_330_999)
  const example = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', secret: () => secret }
  expect(messageHeaders(example, at)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('a receiver rejects a message with another secret, id, time or body', () => {
  const secret = secretOf(32)
  const headers = messageHeaders({ ...message, secret: () => secret }, new Date())
  const other = { ...headers, 'webhook-id': 'msg_2' }
  const later = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }
  expect(() => new Webhook(secretOf(33)).verify(message.body, headers)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(message.body, other)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(message.body, later)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(`${message.body} `, headers)).toThrow('No matching signature')
})

it('a message without a secret has no signature', () => {
  const headers = messageHeaders({ ...message, secret: null }, new Date(1_614_265_330_999))
  expect(headers).toEqual({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1614265330' })
})

it('an attempt fails when the secret is not valid', async () => {
  const now = () => new Date(1_614_265_330_999)
  const rules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }
  const send = createWebhookSender({ rules, now })
  const attempt = await send({ ...message, url: 'http://127.0.0.1:9/', secret: () => '' })
  expect(attempt).toMatchObject({ at: now(), status: null, durationMs: expect.any(Number) })
  expect(attempt.error).toContain('signed')
})

it.each([
  [1, 10_000],
  [2, 20_000],
  [9, 2_560_000],
  [10, 3_600_000],
  [60, 3_600_000],
])('after %i attempts the next one is %i ms later', (attempts, delayMs) => {
  expect(webhookRetryDelayMs(attempts)).toBe(delayMs)
})
