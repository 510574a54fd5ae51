import { formatDuration, rateLimitHeaders } from './rate-limit-headers.ts'

it.each([
  [0, '0s'],
  [0.2, '1ms'],
  [1, '1ms'],
  [120, '120ms'],
  [999.5, '1s'],
  [1_000, '1s'],
  [1_500, '1.5s'],
  [8_640, '8.64s'],
  [59_999, '59.999s'],
  [60_000, '1m0s'],
  [360_000, '6m0s'],
  [61_001, '1m1.001s'],
  [3_600_000, '1h0m0s'],
  [90_061_000, '25h1m1s'],
])('writes %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

it('states what is limited in the headers of OpenAI', () => {
  const states = {
    requests: { limit: 60, remaining: 59, resetMs: 1_000 },
    tokens: { limit: 150_000, remaining: 149_984, resetMs: 6 },
  }

  expect(rateLimitHeaders(states)).toEqual({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-limit-tokens': '150000',
    'x-ratelimit-remaining-tokens': '149984',
    'x-ratelimit-reset-tokens': '6ms',
  })
})

it('has no header for what is not limited', () => {
  expect(rateLimitHeaders({ requests: null, tokens: null })).toEqual({})
})
