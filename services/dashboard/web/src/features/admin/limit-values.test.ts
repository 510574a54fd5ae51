import { LimitValues, limitChanges, limitValues } from './limit-values.ts'

const shown = { requests_per_minute: 60, tokens_per_minute: null, guarded_calls_per_minute: 5 }
const errorsOf = (values: object) => LimitValues.safeParse(values).error?.issues.map(({ path }) => path)

it('sends only the limits that differ from those that were shown, and an empty one as none', () => {
  expect(limitChanges(shown, limitValues(shown))).toEqual({})
  const values = { ...limitValues(shown), requests_per_minute: '' as const, tokens_per_minute: 9 }
  expect(limitChanges(shown, values)).toEqual({ requests_per_minute: null, tokens_per_minute: 9 })
})

it('takes no text that is no number as an empty field', () => {
  expect(errorsOf(limitValues(shown))).toBeUndefined()
  for (const text of ['-', '99999999999999999999', 0, 1.5, 2_147_483_648]) {
    expect(errorsOf({ ...limitValues(shown), tokens_per_minute: text })).toEqual([['tokens_per_minute']])
  }
})
