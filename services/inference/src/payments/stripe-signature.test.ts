import { signed, webhookSecret } from './stripe.fixture.ts'
import { isSignedByStripe } from './stripe-signature.ts'

const now = new Date('2026-11-24T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
const message = signed('{"id":"evt_1"}', now)
const check = (changes: Partial<typeof message>, at = now) =>
  isSignedByStripe({ ...message, ...changes }, webhookSecret, at)

it('accepts a message for five minutes, also among signatures of other secrets', () => {
  expect(check({})).toBe(true)
  expect(check({}, later(300))).toBe(true)
  const [time, own] = message.signature.split(',')
  expect(check({ signature: `${time},v1=${'ab'.repeat(32)},${own}` })).toBe(true)
})

it.each([
  ['another body', { payload: '{"id":"evt_2"}' }],
  ['another secret', signed(message.payload, now, 'whsec_other')],
  ['another time', { signature: message.signature.replace(/t=\d+/, `t=${Math.floor(later(1).getTime() / 1_000)}`) }],
  ['no time', { signature: message.signature.replace(/t=\d+,/, '') }],
  ['no signature', { signature: 't=1' }],
  ['an empty one', { signature: '' }],
  ['an older scheme', { signature: message.signature.replace('v1=', 'v0=') }],
  ['half a signature', { signature: message.signature.replace(/v1=(.{32}).{32}/, 'v1=$1') }],
  ['thousands of signatures', { signature: `t=1,${'v1=00,'.repeat(2_000)}` }],
])('refuses %s', (_what, changes) => {
  expect(check(changes)).toBe(false)
})

it.each([301, -301, 10 ** 9])('refuses a copy that is %d seconds old', (seconds) => {
  expect(check({}, later(seconds))).toBe(false)
})
