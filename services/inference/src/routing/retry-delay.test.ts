import { retryDelayMs } from './retry-delay.ts'

describe('retryDelayMs', () => {
  it.each([
    ['no jitter, no wait', { retries: 0, retryAfterMs: null, unit: 0 }, 0],
    ['a quarter second at most the first time', { retries: 0, retryAfterMs: null, unit: 1 }, 250],
    ['twice that the second time', { retries: 1, retryAfterMs: null, unit: 1 }, 500],
    ['never less than the provider requests', { retries: 0, retryAfterMs: 2_000, unit: 0 }, 2_000],
    ['not at all past two retries', { retries: 2, retryAfterMs: null, unit: 0 }, null],
    ['no retry when the provider requests more than ten seconds', { retries: 0, retryAfterMs: 10_001, unit: 0 }, null],
  ])('%s', (_name, question, delay) => {
    expect(retryDelayMs(question)).toBe(delay)
  })
})
