import { fitEffort } from './fit-effort.ts'

const lowToHigh = ['none', 'minimal', 'low', 'medium', 'high']
const fitted = (effort: unknown, known: readonly string[], dropsParameters = false) => {
  const leniency = { dropsParameters, dropped: new Set<string>() }
  const { reasoning_effort: sent } = fitEffort({ reasoning_effort: effort }, known, leniency)
  return [sent, [...leniency.dropped]]
}

it.each([
  ['medium', lowToHigh, 'medium', []],
  ['xhigh', lowToHigh, 'high', ['reasoning_effort:xhigh']],
  ['max', lowToHigh, 'high', ['reasoning_effort:max']],
  ['minimal', ['low', 'high'], 'low', ['reasoning_effort:minimal']],
  ['medium', [], undefined, ['reasoning_effort:medium']],
  ['none', [], undefined, ['reasoning_effort:none']],
  ['none', ['low', 'high'], 'low', ['reasoning_effort:none']],
  ['much', lowToHigh, 'much', []],
  [null, lowToHigh, null, []],
])('%j of a model with %j becomes %j', (effort, known, sent, dropped) => {
  expect(fitted(effort, known)).toEqual([sent, dropped])
})

it('changes nothing without leniency', () => {
  const body = { reasoning_effort: 'max' }
  expect(fitEffort(body, [], undefined)).toBe(body)
})
