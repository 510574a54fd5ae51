import { recordingLogger } from '@ratchet/testing/recording-logger'
import { logFailure } from './log-failure.ts'
import { asServiceError, ServiceError } from './service-error.ts'

function logged(error: ServiceError) {
  const { logger, lines } = recordingLogger()
  logFailure(logger, error, 'req-1')
  return lines
}

it('logs an outage with its causes in one line, without a stack', () => {
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
  const cause = new Error('the pool has no connection', { cause: refused })

  expect(logged(new ServiceError('service_unavailable', 'Not now.', { cause }))).toEqual([
    {
      level: 50,
      code: 'service_unavailable',
      cause: 'the pool has no connection: ECONNREFUSED',
      requestId: 'req-1',
      msg: 'Not now.',
    },
  ])
})

it('adds a code that is not in the message, and repeats none', () => {
  const causes = [
    Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    Object.assign(new Error('connect ECONNREFUSED ::1:80'), { code: 'ECONNREFUSED' }),
    'lost',
    undefined,
  ]

  expect(causes.map((cause) => logged(new ServiceError('upstream_error', 'No.', { cause }))[0]?.cause)).toEqual([
    'UND_ERR_SOCKET: other side closed',
    'connect ECONNREFUSED ::1:80',
    'lost',
    undefined,
  ])
})

it('ends for a cause that is its own cause', () => {
  const cause = new Error('round')
  cause.cause = cause

  expect(logged(new ServiceError('upstream_error', 'No.', { cause }))[0]?.cause).toMatch(/^round/)
})

it.each([
  ['an internal error', asServiceError(new Error('hush'))],
  ['a bug that looks like an outage', new ServiceError('service_unavailable', 'No.', { cause: new TypeError('x') })],
])('logs the stack of %s', (_name, error) => {
  const [line] = logged(error)

  expect(JSON.stringify(line?.err)).toMatch(/log-failure\.test\.ts/)
  expect(line?.requestId).toBe('req-1')
})
