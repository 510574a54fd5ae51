import { ApiError, UnreachableError } from '../../api/api-error.ts'
import { errorKindOf } from './error-kind.ts'

const answer = (status: number, code: string | null = null, more: object = {}) =>
  new ApiError('A sentence.', { status, code, param: null, details: {}, requestId: 'req_1', retryAfter: null, ...more })

it.each([
  [402, 'insufficient_balance', 'wallet'],
  [403, 'insufficient_permissions', 'not-permitted'],
  [404, 'not_found', 'not-found'],
  [409, 'logging_disabled', 'logging-off'],
  [409, 'conflict', 'other'],
  [412, 'version_conflict', 'changed-meanwhile'],
  [429, 'rate_limit_exceeded', 'too-many'],
  [502, null, 'busy'],
  [503, 'service_unavailable', 'busy'],
  [500, 'internal_error', 'other'],
])('%s %s is shown as %s', (status, code, kind) => {
  expect(errorKindOf(answer(status, code)).kind).toBe(kind)
})

it('shows the checks of a refused precondition', () => {
  const details = { checks: [{ name: 'win_rate', detail: 'The win rate is not proven.' }, 'Too few samples.'], n: 3 }
  expect(errorKindOf(answer(412, 'precondition_failed', { details }))).toEqual({
    kind: 'checks',
    checks: ['The win rate is not proven.', 'Too few samples.'],
  })
})

it('counts down what the answer says', () => {
  expect(errorKindOf(answer(429, 'abuse_guard', { retryAfter: 17 }))).toEqual({ kind: 'too-many', seconds: 17 })
})

it('knows a network that is down, and anything else', () => {
  expect(errorKindOf(new UnreachableError()).kind).toBe('unreachable')
  expect(errorKindOf(new Error('A bug.')).kind).toBe('other')
})
