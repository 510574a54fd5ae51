import { ErrorEnvelope } from '@ratchet/contracts/errors'
import { asServiceError, ServiceError, toEnvelope } from './service-error.ts'

it('becomes the envelope, with the wrong field and details', () => {
  const error = new ServiceError('conflict', 'In use.', { param: 'name', details: { by: ['a'] } })

  const envelope = toEnvelope(error, 'r1')

  expect(envelope).toEqual({
    error: {
      message: 'In use.',
      type: 'invalid_request_error',
      code: 'conflict',
      param: 'name',
      request_id: 'r1',
      details: { by: ['a'] },
    },
  })
  expect(ErrorEnvelope.parse(envelope)).toEqual(envelope)
})

it('contains the request id in the message of a server error', () => {
  const { error } = toEnvelope(new ServiceError('upstream_error', 'The provider failed.'), 'r1')

  expect(error).toMatchObject({ message: 'The provider failed. (request id r1)', code: null, type: 'upstream_error' })
})

it('answers with Retry-After when a retry may succeed', () => {
  const error = new ServiceError('service_unavailable', 'Later.', { retryAfterSeconds: 2, headers: { 'x-a': '1' } })

  expect([error.status, error.headers]).toEqual([503, { 'retry-after': '2', 'x-a': '1' }])
})

it.each([new Error('password hush'), 'hush', { secret: 'hush' }, null, undefined])(
  'hides an unexpected error: %p',
  (thrown) => {
    const error = asServiceError(thrown)

    expect(error).toMatchObject({ code: 'internal_error', status: 500, cause: thrown })
    expect(JSON.stringify(toEnvelope(error, 'r1'))).not.toContain('hush')
  },
)

it('does not use the status of a provider', () => {
  expect(asServiceError(Object.assign(new Error('hush'), { status: 400 })).code).toBe('internal_error')
})

it('does not change a ServiceError', () => {
  const error = new ServiceError('not_found', 'No.')

  expect(asServiceError(error)).toBe(error)
})
