import { isAllowed } from './allowed-models.ts'

it.each([
  ['openai/gpt-5', 'openai/gpt-5', true],
  ['openai/gpt-5', 'openai/gpt-5-mini', false],
  ['openai/*', 'openai/gpt-5', true],
  ['openai/*', 'azure-openai/gpt-5', false],
  ['*', '', true],
  ['*-mini', 'openai/gpt-5-mini', true],
  ['*-mini', 'openai/gpt-5-mini-2', false],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'ac', false],
  ['ab*bc', 'abc', false],
  ['a*a', 'a', false],
  ['support.bot', 'supportxbot', false],
])('%s and %s: %s', (glob, name, expected) => {
  expect(isAllowed([glob], name)).toBe(expected)
})

it('takes no longer for many stars', () => {
  const startedAt = performance.now()
  expect(isAllowed([`${'a*'.repeat(50)}b`], 'a'.repeat(10_000))).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(200)
})
