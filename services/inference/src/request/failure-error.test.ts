import { errorOfFailure } from './failure-error.ts'

it.each([
  ['misconfigured', 404],
  ['throttled', 429],
  ['unavailable', 503],
] as const)(
  'a provider that is %s is a 502, with its own status %d for whoever looks for the cause',
  (kind, status) => {
    const error = errorOfFailure({ kind, message: 'No.', status, retryAfterMs: 2_000 })
    expect(error).toMatchObject({ status: 502, code: 'upstream_error', details: { provider_status: status } })
  },
)

it('has no status of a provider that did not answer', () => {
  expect(errorOfFailure({ kind: 'unavailable', message: 'No.', retryAfterMs: null }).details).toBeUndefined()
})
