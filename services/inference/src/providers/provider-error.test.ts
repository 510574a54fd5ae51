import { failureOfCall, failureOfStatus } from './provider-error.ts'

const body = Buffer.from('{"error":{"message":"Invalid schema for tool search."}}')

describe('failureOfStatus', () => {
  it.each([
    [400, 'refused'],
    [401, 'misconfigured'],
    [403, 'misconfigured'],
    [404, 'misconfigured'],
    [408, 'unavailable'],
    [413, 'refused'],
    [422, 'refused'],
    [429, 'throttled'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [302, 'misconfigured'],
    [402, 'misconfigured'],
    [418, 'misconfigured'],
  ])('%d is %s', (status, kind) => {
    expect(failureOfStatus(status, {}, body).kind).toBe(kind)
  })

  it('passes on the provider`s message only when the request is wrong', () => {
    expect(failureOfStatus(400, {}, body).message).toBe('Invalid schema for tool search.')
    expect(failureOfStatus(401, {}, Buffer.from('{"error":{"message":"Bad key sk-123"}}')).message).not.toContain('sk-')
  })

  it.each([404, 429])('says that the provider answered %d', (status) => {
    expect(failureOfStatus(status, {}, body)).toMatchObject({ status, message: expect.stringContaining(`(${status})`) })
  })

  it('passes on the wrong field and the provider`s code', () => {
    const named = Buffer.from('{"error":{"message":"Too long.","param":"messages","code":"context_length_exceeded"}}')
    expect(failureOfStatus(400, {}, named)).toMatchObject({ param: 'messages', code: 'context_length_exceeded' })
  })

  it.each([
    '{"error":"Too many documents."}',
    '{"id":"1","message":"Too many documents."}',
    '{"detail":"Too many documents."}',
  ])('finds the message in %s', (text) => {
    expect(failureOfStatus(400, {}, Buffer.from(text)).message).toBe('Too many documents.')
  })

  it('accepts a body that is not JSON and limits a large one', () => {
    expect(failureOfStatus(400, {}, Buffer.from('<html>')).message).toMatch(/refused/)
    const huge = Buffer.from(JSON.stringify({ error: { message: 'x'.repeat(100_000) } }))
    expect(failureOfStatus(400, {}, huge).message.length).toBeLessThanOrEqual(1_000)
  })

  it.each([
    ['2', 2_000],
    ['0', 0],
    ['soon', null],
    [undefined, null],
  ])('reads Retry-After %s as %d ms', (header, retryAfterMs) => {
    expect(failureOfStatus(429, header === undefined ? {} : { 'retry-after': header }, body)).toMatchObject({
      retryAfterMs,
    })
  })

  it.each([
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': 'Sun, 22 Nov 2026 10:00:05 GMT', date: 'Sun, 22 Nov 2026 10:00:00 GMT' }, 5_000],
    [{ 'retry-after': 'Sun, 22 Nov 2026 10:00:05 GMT' }, null],
    [{ 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT', date: 'Sun, 22 Nov 2026 10:00:00 GMT' }, null],
  ])('reads the wait in %j as %p ms', (headers, retryAfterMs) => {
    expect(failureOfStatus(429, headers, body)).toMatchObject({ retryAfterMs })
  })
})

describe('failureOfCall', () => {
  it.each([
    ['connect', false, 'unavailable'],
    ['cut', false, 'unavailable'],
    ['cut', true, 'broken'],
    ['first_byte_timeout', false, 'timed_out'],
    ['idle_timeout', true, 'timed_out'],
    ['total_timeout', true, 'timed_out'],
    ['aborted', true, 'aborted'],
  ] as const)('%s, answer begun %s, is %s', (kind, hadBegun, expected) => {
    expect(failureOfCall({ kind, cause: undefined }, hadBegun).kind).toBe(expected)
  })
})
