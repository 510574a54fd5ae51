import { failureOfAnswer } from './anthropic-error.ts'

const answer = (type: string, message: string) =>
  Buffer.from(JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' }))

describe('failureOfAnswer', () => {
  it.each([
    [400, 'invalid_request_error', 'refused'],
    [401, 'authentication_error', 'misconfigured'],
    [402, 'billing_error', 'misconfigured'],
    [403, 'permission_error', 'misconfigured'],
    [404, 'not_found_error', 'misconfigured'],
    [413, 'request_too_large', 'refused'],
    [429, 'rate_limit_error', 'throttled'],
    [500, 'api_error', 'unavailable'],
    [504, 'timeout_error', 'unavailable'],
    [529, 'overloaded_error', 'unavailable'],
  ])('%d %s is %s', (status, type, kind) => {
    expect(failureOfAnswer(status, {}, answer(type, 'Words.')).kind).toBe(kind)
  })

  it('passes on Anthropic`s message when the request is wrong', () => {
    const failure = failureOfAnswer(400, {}, answer('invalid_request_error', 'messages.0: all wrong'))
    expect(failure).toMatchObject({ kind: 'refused', message: 'messages.0: all wrong' })
  })

  it('reports a prompt that is too long with the code that OpenAI`s clients expect', () => {
    const message = 'prompt is too long: 210000 tokens > 200000 maximum'
    expect(failureOfAnswer(400, {}, answer('invalid_request_error', message)).code).toBe('context_length_exceeded')
  })

  it('does not blame the client for an account without credit, nor mention it', () => {
    const message = 'Your credit balance is too low to access the Anthropic API.'
    const failure = failureOfAnswer(400, {}, answer('invalid_request_error', message))
    expect(failure.kind).toBe('misconfigured')
    expect(failure.message).not.toContain('credit')
  })

  it('reads Retry-After', () => {
    expect(failureOfAnswer(529, { 'retry-after': '3' }, answer('overloaded_error', 'x')).retryAfterMs).toBe(3_000)
  })
})
