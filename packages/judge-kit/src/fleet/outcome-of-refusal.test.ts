import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { outcomeOfRefusal, storableMessage } from './outcome-of-refusal.ts'

const wait = (delayMs: number) => ({ kind: 'wait', delayMs })

it.each<[number, string | null, object]>([
  [0, null, { kind: 'unavailable' }],
  [429, 'rate_limit_exceeded', { kind: 'unavailable' }],
  [429, 'abuse_guard', { kind: 'unavailable' }],
  [503, 'service_unavailable', { kind: 'unavailable' }],
  [402, 'insufficient_balance', wait(60_000)],
  [409, 'conflict', wait(1_000)],
  [402, 'spend_cap_reached', { kind: 'over_cap' }],
  [500, 'internal_error', { kind: 'retry' }],
  [502, null, { kind: 'retry' }],
  [504, null, { kind: 'retry' }],
  [408, 'request_timeout', { kind: 'retry' }],
  [401, 'invalid_api_key', { kind: 'retry' }],
  [403, 'insufficient_permissions', { kind: 'retry' }],
  [400, 'context_length_exceeded', { kind: 'too_large' }],
  [413, 'request_too_large', { kind: 'too_large' }],
  [400, 'invalid_request', { kind: 'refused' }],
  [400, null, { kind: 'refused' }],
  [404, 'model_not_found', { kind: 'refused' }],
  [409, 'idempotency_conflict', { kind: 'refused' }],
  [422, null, { kind: 'refused' }],
])('%d %s leads to %j', (status, code, outcome) => {
  expect(outcomeOfRefusal(new FleetCallError('x', { status, code }))).toEqual(outcome)
})

it('makes the message of a refusal storable', () => {
  const refusal = new FleetCallError(`No\0 \ud800${'x'.repeat(2_000)}`, { status: 400 })
  expect(storableMessage(refusal)).toBe(`No \ufffd${'x'.repeat(996)}`)
})
