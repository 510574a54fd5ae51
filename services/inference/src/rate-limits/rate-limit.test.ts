import type { RateLimits } from '../workspace-settings/workspace-settings.ts'
import { admissionOf, correctionOf, drawingOf, type RateQuestion } from './rate-limit.ts'

const none: RateLimits = { requestsPerMinute: null, tokensPerMinute: null }
const question = (changes: Partial<RateQuestion>): RateQuestion => ({
  workspaceId: 'w',
  keyId: 'k',
  limits: none,
  keyLimits: undefined,
  tokens: 100,
  ...changes,
})

it('draws nothing when nothing is limited', () => {
  expect(drawingOf(question({}))).toBeNull()
  expect(drawingOf(question({ keyLimits: none }))).toBeNull()
})

it('draws from every bucket, with all buckets of a workspace under one hash tag', () => {
  const limits = { requestsPerMinute: 60, tokensPerMinute: 1_000 }
  const keyLimits = { requestsPerMinute: 6, tokensPerMinute: null }

  expect(drawingOf(question({ limits, keyLimits }))?.draws).toEqual([
    { key: 'ratchet:rate:{w}:workspace:requests', limit: 60, cost: 1 },
    { key: 'ratchet:rate:{w}:workspace:tokens', limit: 1_000, cost: 100 },
    { key: 'ratchet:rate:{w}:key:k:requests', limit: 6, cost: 1 },
  ])
})

it.each([
  [Number.NaN, 0],
  [-5, 0],
  [1.2, 2],
  [1e300, 1_000_000_000],
  [Number.POSITIVE_INFINITY, 0],
])('counts an estimate of %d tokens as %d', (tokens, cost) => {
  const drawing = drawingOf(question({ tokens, limits: { ...none, tokensPerMinute: 10 } }))

  expect(drawing?.draws[0]?.cost).toBe(cost)
})

it('states the scope with the least remaining, separately for requests and tokens', () => {
  const both = { requestsPerMinute: 60, tokensPerMinute: 6_000 }
  const drawing = drawingOf(question({ limits: both, keyLimits: { requestsPerMinute: 6, tokensPerMinute: 60_000 } }))
  const parts = [30 * 60_000, 10 * 60_000, 5 * 60_000, 50_000 * 60_000]

  expect(admissionOf(drawing!, { waitMs: 0, parts }, 'shared')).toMatchObject({
    ok: true,
    requests: { limit: 6, remaining: 5, resetMs: 10_000 },
    tokens: { limit: 6_000, remaining: 10, resetMs: 59_900 },
  })
})

it('states a debt as nothing remaining and a later reset', () => {
  const drawing = drawingOf(question({ limits: { ...none, tokensPerMinute: 60 } }))

  expect(admissionOf(drawing!, { waitMs: 61_000, parts: [-60 * 60_000] }, 'shared')).toEqual({
    ok: false,
    scope: 'workspace',
    requests: null,
    tokens: { limit: 60, remaining: 0, resetMs: 120_000 },
    retryAfterMs: 61_000,
  })
})

it('corrects only the tokens, by the difference to the estimate', () => {
  const drawing = drawingOf(question({ limits: { requestsPerMinute: 5, tokensPerMinute: 1_000 } }))
  const admission = admissionOf(drawing!, { waitMs: 0, parts: [0, 0] }, 'shared')
  const estimate = admission.ok ? admission.estimate : { draws: [], from: 'local' as const }
  const key = 'ratchet:rate:{w}:workspace:tokens'

  expect(correctionOf(estimate, 30)).toEqual({ kind: 'correct', draws: [{ key, limit: 1_000, cost: -70 }] })
  expect(correctionOf(estimate, 250)).toEqual({ kind: 'correct', draws: [{ key, limit: 1_000, cost: 150 }] })
  expect(correctionOf(estimate, 100)).toBeNull()
})
