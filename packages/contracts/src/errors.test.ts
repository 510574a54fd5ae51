import { type ErrorCode, ErrorEnvelope, errorCatalog, wireCode } from './errors.ts'

const codes = Object.entries(errorCatalog) as [ErrorCode, { status: number; type: string }][]

it.each(codes)('%s has the type that SDKs expect of its status', (_, { status, type }) => {
  const expected: Record<number, string> = {
    402: 'insufficient_quota',
    408: 'api_error',
    429: 'rate_limit_error',
    500: 'api_error',
    502: 'upstream_error',
    503: 'api_error',
  }

  expect(type).toBe(expected[status] ?? 'invalid_request_error')
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
})

it('sends every code unchanged, except that of a failed provider, which has none', () => {
  expect(codes.filter(([code]) => wireCode(code) !== code)).toEqual([
    ['upstream_error', { status: 502, type: 'upstream_error' }],
  ])
  expect(wireCode('upstream_error')).toBeNull()
})

it('has an envelope for errors with and without a code, a parameter and details', () => {
  const full = {
    error: {
      message: 'No model of that name.',
      type: 'invalid_request_error',
      code: 'model_not_found',
      param: 'model',
      request_id: 'r1',
      details: { checks: [] },
    },
  }
  const { details: _, ...bare } = { ...full.error, code: null, param: null }

  expect(ErrorEnvelope.parse(full)).toEqual(full)
  expect(ErrorEnvelope.parse({ error: bare })).toEqual({ error: bare })
})

it.each(['message', 'type', 'code', 'param', 'request_id'])('requires %s in the envelope', (name) => {
  const error = { message: 'm', type: 't', code: null, param: null, request_id: 'r', [name]: undefined }

  expect(ErrorEnvelope.safeParse({ error }).success).toBe(false)
})
