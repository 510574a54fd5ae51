import { argumentsOf, coverageState, exampleArguments, matchText, statsText, testText } from './tool-words.ts'

it.each([
  [{ calls: 0, errors: 0 }, 'not called yet'],
  [{ calls: 1_000, errors: 0 }, '1,000, none failed'],
  [{ calls: 200, errors: 50 }, '200, 25 % failed'],
])('says of %j: %s', (stats, text) => {
  expect(statsText(stats).replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ')).toBe(text)
})

it('marks a tool that would pause a run', () => {
  expect([null, 0.49, 0.5].map(coverageState)).toEqual(['none', 'wrong', 'proven'])
})

it('says what is compared', () => {
  const recorded = { tool_name: 'a', on_miss: 'error', recordings: 1, coverage_on_holdout: null } as const
  const match = { match: 'normalized', key_arguments: [], ignore_arguments: ['session'] } as const
  expect(matchText({ ...recorded, ...match, key_arguments: [], ignore_arguments: ['session'] })).toBe(
    'equal arguments, without regard to case and spaces; without session',
  )
})

it('says what a call came to', () => {
  const answer = { ok: false, result: '', truncated: false, done: false, reward: null, recorded_hit: false }
  const error = { code: 'no_recording', message: '' } as const
  expect(testText({ ...answer, error, status: null, duration_ms: 3 })).toBe(
    'Failed: no_recording · 3 ms · no recording',
  )
})

it.each([
  ['', { value: {} }],
  ['{"a":1}', { value: { a: 1 } }],
  ['[1]', { problem: 'The arguments must be a JSON object.' }],
  ['{', { problem: 'This is not JSON.' }],
])('reads %j', (text, read) => {
  expect(argumentsOf(text)).toEqual(read)
})

it('begins with the required arguments', () => {
  const parameters = { properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city', 'days'] }
  expect(JSON.parse(exampleArguments({ parameters }))).toEqual({ city: '', days: null })
  expect(exampleArguments({ parameters: {} })).toBe('{}')
})
