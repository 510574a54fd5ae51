import { questionBefore } from './logging-change.ts'

const on = { enabled: true, retention_days: 30, responses: false } as const

it.each([
  [{ enabled: true }, false],
  [{ enabled: false }, true],
  [{ retention_days: 90 }, false],
  [{ retention_days: 30 }, false],
  [{ retention_days: 7 }, true],
  [{ responses: true }, false],
  [{ responses: false }, false],
] as const)('%o asks first: %s', (change, asks) => {
  expect(questionBefore(on, change) !== null).toBe(asks)
})

it('does not ask before logging is turned on', () => {
  expect(questionBefore({ ...on, enabled: false }, { enabled: true })).toBeNull()
})
