import { aliasesText, auditText, isInPool, servedText, versionTitle, winRateText } from './version-words.ts'

const nothing = {
  eval_id: null,
  baseline_model: null,
  win_rate: null,
  win_rate_ci: null,
  proof_uses: null,
  guard_verdict: null,
  audit: null,
  independent: null,
}

it('names a version by the word of its user, or by its base', () => {
  expect(versionTitle({ name: 'support', base_model: 'sim/small' })).toBe('support, from sim/small')
  expect(versionTitle({ name: null, base_model: 'sim/small' })).toBe('from sim/small')
})

it('says which aliases send requests to it', () => {
  expect(aliasesText({ aliases: [{ name: 'bot', arm: 'canary', percent: 10 }] })).toBe('bot 10 %')
  expect(aliasesText({ aliases: [] })).toBe('–')
})

it('says what is known, and that nothing is', () => {
  expect(winRateText(nothing)).toBe('no result')
  expect(winRateText({ ...nothing, win_rate: 0.6, win_rate_ci: [0.51, 0.68] })).toBe('60 % (51 % to 68 %)')
  expect(auditText(nothing)).toBe('nobody has graded')
  expect(auditText({ audit: { graded: 30, false_pass: 1, upper: 0.15 } })).toBe(
    '30 graded, 1 false passes, at most 15 %',
  )
})

it.each([
  [{ pool: 'none', pool_error: null, provider: null }, 'are refused: nothing serves it'],
  [{ pool: 'none', pool_error: null, provider: 'sim/better' }, 'are answered by sim/better'],
  [{ pool: 'loading', pool_error: null, provider: null }, 'The pool loads it. Until then they are refused.'],
  [{ pool: 'ready', pool_error: null, provider: 'sim/better' }, 'are answered by the pool'],
  [
    { pool: 'failed', pool_error: 'An engine could not load it.', provider: 'sim/better' },
    'The pool cannot serve it: An engine could not load it. Until then sim/better answers.',
  ],
] as const)('says what happens to requests that name it: %j', (serving, text) => {
  expect(servedText(serving)).toBe(text)
  expect(isInPool({ serving })).toBe(serving.pool === 'loading' || serving.pool === 'ready')
})
