import { attemptSettings } from './attempt.fixture.ts'
import { endsAtMaximum } from './ends-at-maximum.ts'

const plan = { total_steps: 100, total_tokens: 1_000_000, servable_steps: [50, 100], save_every_steps: 20 }
const settings = attemptSettings({ plan: { ...plan, save_every_seconds: 300 } })
/** One US cent per 10,000 tokens, so that 10,000 tokens are a step. */
const priceNanoPerMtok = 1_000_000_000n
const attempt = (maxUsd: number | null) => ({
  settings,
  method: 'supervised' as const,
  priceNanoPerMtok,
  maxCostNano: maxUsd === null ? null : BigInt(Math.round(maxUsd * 1e9)),
})

it.each([
  ['without a maximum', null, 20, false],
  ['with enough for the next save', 0.4, 20, false],
  ['with too little for the next save', 0.39, 20, true],
  ['with enough for a customer to see a nearer checkpoint', 0.5, 40, false],
  ['with too little for it', 0.49, 40, true],
  ['at the last step', 0.5, 100, false],
])('says whether a job goes on: %s', (_what, maxUsd, step, isLast) => {
  expect(endsAtMaximum(attempt(maxUsd), { step, trainedTokens: step * 10_000 })).toBe(isLast)
})
