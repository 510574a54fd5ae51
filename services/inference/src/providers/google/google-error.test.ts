import { failureOfAnswer } from './google-error.ts'

describe('failureOfAnswer', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'refused'],
    [400, 'FAILED_PRECONDITION', 'misconfigured'],
    [401, 'UNAUTHENTICATED', 'misconfigured'],
    [400, 'PERMISSION_DENIED', 'misconfigured'],
    [403, 'PERMISSION_DENIED', 'misconfigured'],
    [404, 'NOT_FOUND', 'misconfigured'],
    [429, 'RESOURCE_EXHAUSTED', 'throttled'],
    [499, 'CANCELLED', 'unavailable'],
    [500, 'INTERNAL', 'unavailable'],
    [503, 'UNAVAILABLE', 'unavailable'],
    [504, 'DEADLINE_EXCEEDED', 'unavailable'],
  ])('reads %d %s as %s', (code, status, kind) => {
    expect(failureOf({ code, status, message: 'No.' }).kind).toBe(kind)
  })

  it('reports an invalid key as misconfigured, without the message of Google', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const failure = failureOf({ code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid: AIza', details })
    expect(failure).toEqual({
      kind: 'misconfigured',
      message: 'The provider answered 400.',
      retryAfterMs: null,
      status: 400,
    })
  })

  it('passes on the message about a wrong request', () => {
    const message = 'Thinking level MINIMAL is not supported for this model.'
    expect(failureOf({ code: 400, status: 'INVALID_ARGUMENT', message })).toMatchObject({ kind: 'refused', message })
  })

  it('reports a prompt that is too long as OpenAI does', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    expect(failureOf({ code: 400, status: 'INVALID_ARGUMENT', message })).toMatchObject({
      code: 'context_length_exceeded',
      param: 'messages',
    })
  })

  it.each([
    ['34.4s', 34_400],
    ['0s', 0],
    ['soon', null],
    [7, null],
  ])('reads a delay of %j as %j ms', (retryDelay, expected) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' }, { retryDelay }]
    expect(failureOf({ code: 429, status: 'RESOURCE_EXHAUSTED', details }).retryAfterMs).toBe(expected)
  })

  it('reads the error of a stream, which is in a list', () => {
    const body = Buffer.from('[{"error":{"code":400,"message":"Bad part.","status":"INVALID_ARGUMENT"}}\n]')
    expect(failureOfAnswer(400, {}, body)).toMatchObject({ kind: 'refused', message: 'Bad part.' })
  })

  it.each([
    '',
    '<html>',
    '[]',
    '[1]',
    'null',
    '{"error":[]}',
    '{"error":{"details":{}}}',
    '{"error":{"details":[null]}}',
  ])('accepts a body of %j', (body) => {
    expect(failureOfAnswer(400, {}, Buffer.from(body)).kind).toBe('refused')
  })
})

function failureOf(error: { readonly code: number; readonly [more: string]: unknown }) {
  return failureOfAnswer(error.code, {}, Buffer.from(JSON.stringify({ error })))
}
