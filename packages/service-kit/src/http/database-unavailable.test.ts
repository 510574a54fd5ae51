import { isDatabaseUnavailable } from './database-unavailable.ts'
import { asServiceError } from './service-error.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })

it.each([
  withCode('ECONNREFUSED'),
  withCode('57014'),
  withCode('53300'),
  withCode('08006'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
])('is a 503 with Retry-After: %s', (error) => {
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(asServiceError(error)).toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '1' } })
})

it.each([withCode('23505'), withCode('42P01'), new Error('timeout'), 'ECONNREFUSED', null])(
  'is no fault of the database: %s',
  (thrown) => {
    expect(asServiceError(thrown).code).toBe('internal_error')
  },
)
