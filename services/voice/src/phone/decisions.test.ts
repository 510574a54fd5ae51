import type { SipTrunk } from '@ratchet/sip/agent/trunks'
import type { StoredNumber } from '../numbers/number.ts'
import { dialEndOf } from './dial-end.ts'
import { callerNumber, findNumber } from './find-number.ts'
import { transferTarget } from './phone-context.ts'

const ids = ['019aa5f0-8a07-7000-8000-000000000001', '019aa5f0-8a07-7000-8000-000000000002'] as const
const number = (id: string, direction: StoredNumber['direction'] = 'both') =>
  ({ id, e164: '+493012345678', direction }) as StoredNumber

it.each([
  ['sip:num_019aa5f08a0770008000000000000001@1.2.3.4', ids[0]],
  ['sip:+493012345678@voice.example.com', ids[0]],
  ['sip:493012345678@voice.example.com;user=phone', ids[0]],
  ['sip:00493012345678@voice.example.com', ids[0]],
  ['sip:+493012345679@voice.example.com', null],
  ['sip:num_019aa5f08a0770008000000000000002@1.2.3.4', null],
  ['tel:+493012345678', null],
])('finds who is called by %s', (to, id) => {
  expect(findNumber([number(ids[0])], { to, isFrom: () => true })?.id ?? null).toBe(id)
})

it('finds nobody for a number of two workspaces, of another trunk, or that takes no calls', () => {
  const to = 'sip:+493012345678@voice.example.com'
  const both = [number(ids[0]), number(ids[1])]
  expect(findNumber(both, { to, isFrom: () => true })).toBeNull()
  expect(findNumber(both, { to, isFrom: ({ id }) => id === ids[1] })?.id).toBe(ids[1])
  expect(findNumber([number(ids[0], 'outbound')], { to, isFrom: () => true })).toBeNull()
  expect(findNumber(both, { to: 'sip:num_019aa5f08a0770008000000000000002@x', isFrom: () => true })?.id).toBe(ids[1])
})

it.each([
  ['sip:+4930123@1.2.3.4', '+4930123'],
  ['sip:anonymous@anonymous.invalid', null],
  ['sip:alice@1.2.3.4', null],
])('reads the number of the caller from %s', (from, expected) => {
  expect(callerNumber(from)).toBe(expected)
})

it.each([
  [486, 'busy', 'busy'],
  [600, 'busy', 'busy'],
  [487, 'no_answer', 'no_answer'],
  [480, 'no_answer', 'no_answer'],
  [404, 'failed', 'invalid_number'],
  [603, 'failed', 'rejected'],
  [503, 'failed', 'carrier_unavailable'],
  [502, 'failed', 'carrier_error'],
])('ends a call that is refused with %d as %s, %s', (status, expected, reason) => {
  expect(dialEndOf({ status, hasRung: true, stoppedBy: null })).toMatchObject({ status: expected, reason })
})

it('tells a trunk that does not answer from a telephone that nobody answers', () => {
  const silent = { status: 408, stoppedBy: null }
  expect(dialEndOf({ ...silent, hasRung: false }).reason).toBe('carrier_unavailable')
  expect(dialEndOf({ ...silent, hasRung: true }).reason).toBe('no_answer')
  expect(dialEndOf({ ...silent, hasRung: true, stoppedBy: 'api' })).toMatchObject({ status: 'canceled', by: 'api' })
  expect(dialEndOf({ ...silent, hasRung: true, stoppedBy: 'worker' })).toMatchObject({ reason: 'worker_lost' })
})

const trunk = { id: ids[0], target: { host: '1.2.3.4', port: 5060, transport: 'udp' } } as unknown as SipTrunk
const phone = {
  direction: 'inbound',
  provider: 'sip',
  numberId: ids[0],
  toNumber: '+493012345678',
  fromNumber: null,
  carrier: null,
} as const
const ofGermany = { ...number(ids[0]), settings: { allowed_countries: ['DE'] } } as unknown as StoredNumber
const targetOf = (to: string) => transferTarget({ numbersNow: [ofGermany] }, { call: { phone }, trunk, to })

it.each([
  ['+493012345679', 'sip:+493012345679@1.2.3.4:5060'],
  ['sip:+493012345679@trunk.example', 'sip:+493012345679@trunk.example'],
  ['sip:desk@pbx.example', 'sip:desk@pbx.example'],
  ['sip:204@pbx.example', 'sip:204@pbx.example'],
  ['sip:desk.1234567@pbx.example', 'sip:desk.1234567@pbx.example'],
])('transfers a caller to %s', (to, target) => {
  expect(targetOf(to)).toBe(target)
})

it.each([
  ['a country that the number may not call', '+12125550123'],
  ['the same as an address', 'sip:+12125550123@trunk.example'],
  ['a number with an extra charge', 'sip:+499001234567@trunk.example'],
  ['one of a satellite', 'sip:+881612345678@trunk.example'],
  ['one with the prefix of other countries', 'sip:00881612345678@trunk.example'],
  ['one with parameters', 'sips:+881612345678;phone-context=x@trunk.example'],
  ['one in other spellings', 'sip:%2B88-16(1)234.5678@trunk.example'],
])('transfers nobody to %s', (_, to) => {
  expect(targetOf(to)).toBeNull()
})
