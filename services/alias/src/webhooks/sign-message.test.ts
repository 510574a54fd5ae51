import { Webhook } from 'standardwebhooks'
import { signatureHeaders } from './sign-message.ts'

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
const message = { id: 'msg_1', body: '{"type":"eval.done","data":{"name":"Grüße 🎈"}}' }

it.each([24, 32, 64])('with a secret of %i bytes a receiver verifies what it got', (bytes) => {
  const secret = secretOf(bytes)
  const headers = signatureHeaders({ ...message, at: new Date(), secret })
  expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body))
})

it('is what the standard says, digit for digit', () => {
  // The example of the standard; this signature was computed with another implementation too.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const at = new Date(1_614_265_330_999)
  expect(signatureHeaders({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', at, secret })).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('verifies under no other secret, id, time or body', () => {
  const secret = secretOf(32)
  const headers = signatureHeaders({ ...message, at: new Date(), secret })
  const other = { ...headers, 'webhook-id': 'msg_2' }
  const later = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }
  expect(() => new Webhook(secretOf(33)).verify(message.body, headers)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(message.body, other)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(message.body, later)).toThrow('No matching signature')
  expect(() => new Webhook(secret).verify(`${message.body} `, headers)).toThrow('No matching signature')
})
