import { bedrockFailure } from './bedrock-error.ts'

const failure = (status: number, type: string | undefined, body: object | string = { message: 'said' }) =>
  bedrockFailure(
    status,
    type === undefined ? {} : { 'x-amzn-errortype': type },
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  )

describe('bedrockFailure', () => {
  it.each([
    [429, 'ThrottlingException', 'throttled'],
    [400, 'ServiceQuotaExceededException', 'throttled'],
    [429, 'ModelNotReadyException', 'unavailable'],
    [503, 'ServiceUnavailableException', 'unavailable'],
    [500, 'InternalServerException', 'unavailable'],
    [424, 'ModelErrorException', 'unavailable'],
    [408, 'ModelTimeoutException', 'unavailable'],
    [400, 'ValidationException', 'refused'],
    [403, 'AccessDeniedException', 'misconfigured'],
    [403, 'ExpiredTokenException', 'misconfigured'],
    [400, 'ExpiredTokenException', 'misconfigured'],
    [403, 'InvalidSignatureException', 'misconfigured'],
    [403, 'UnrecognizedClientException', 'misconfigured'],
    [404, 'ResourceNotFoundException', 'misconfigured'],
  ])('%i %s is %s', (status, type, kind) => {
    expect(failure(status, `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`).kind).toBe(kind)
    expect(failure(status, undefined, { __type: `com.amazon#${type}` }).kind).toBe(kind)
  })

  it("passes the provider's message to the client only when the request is wrong", () => {
    expect(failure(400, 'ValidationException').message).toBe('said')
    expect(failure(400, 'ValidationException', { Message: 'x'.repeat(5_000) }).message).toHaveLength(1_000)
    expect(failure(403, 'AccessDeniedException').message).not.toContain('said')
  })

  it.each([
    'The provided model identifier is invalid.',
    'Invocation of model ID a.b with on-demand throughput isn’t supported.',
  ])('reports an unknown model name as a fault of the catalog: %s', (message) => {
    expect(failure(400, 'ValidationException', { message })).toMatchObject({ kind: 'misconfigured' })
  })

  it.each([
    'Input is too long for requested model.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000',
    'Too many input tokens. Max input tokens: 300000, request input token count: 310042',
    "This model's maximum context length is 131072 tokens. Please reduce the length of the prompt",
  ])('reports a prompt that is too long as OpenAI does: %s', (message) => {
    expect(failure(400, 'ValidationException', { message })).toMatchObject({
      kind: 'refused',
      code: 'context_length_exceeded',
      param: 'messages',
      message,
    })
    expect(failure(400, 'ValidationException')).not.toHaveProperty('code')
  })

  it('uses the status when the name of the exception is unknown', () => {
    expect(failure(502, undefined, '<html>').kind).toBe('unavailable')
    expect(failure(413, undefined, { message: 'too long' })).toMatchObject({ kind: 'refused', message: 'too long' })
    expect(failure(403, 'constructor').kind).toBe('misconfigured')
  })

  it('reads Retry-After', () => {
    const headers = { 'x-amzn-errortype': 'ThrottlingException', 'retry-after': '2' }
    expect(bedrockFailure(429, headers, Buffer.from('{}')).retryAfterMs).toBe(2_000)
  })
})
