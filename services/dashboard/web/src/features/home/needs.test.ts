import type { Alias } from '@ratchet/contracts/aliases'
import type { Criterion } from '@ratchet/contracts/criteria'
import { needsOf } from './needs.ts'

const judge = (fields: Partial<Criterion>) =>
  ({ id: 'crit_1', name: 'Sound', drift_status: 'ok', trust: 'trustworthy', ...fields }) as Criterion
const alias = (gate_state: Alias['gate_state']) => ({ name: 'support', gate_state }) as Alias

it('names drift before canaries, and canaries before grades', () => {
  const criteria = [
    judge({ trust: 'under-measured', fail_grades_needed: 12, pass_grades_needed: null }),
    judge({ drift_status: 'flagged', drift_signal: 'quality_drop', drift_reason: null }),
  ]
  const needs = needsOf(criteria, [alias('rolled_back'), alias('collecting'), alias(null)], null)
  expect(needs.map(({ id, state }) => [id, state])).toEqual([
    ['drift:crit_1', 'wrong'],
    ['aliases/support', 'wrong'],
    ['grades:crit_1', 'open'],
  ])
  expect(needs[2]?.text).toContain('12 grades of failing answers')
})

it('is empty when all is well', () => {
  expect(needsOf([judge({})], [alias('healthy')], null)).toEqual([])
})

it.each([
  ['an empty wallet', { availableNano: '0', thresholdNano: null, spentNano: null }, 'wrong', 'refused'],
  ['one below its alert', { availableNano: '4', thresholdNano: '5', spentNano: null }, 'wrong', 'alert'],
  ['one that lasts six days', { availableNano: '6', thresholdNano: '5', spentNano: '7' }, 'open', '6 days'],
])('names %s first', (_what, wallet, state, text) => {
  const flagged = judge({ drift_status: 'flagged', drift_signal: 'quality_drop', drift_reason: null })
  const [need, next] = needsOf([flagged], [], wallet)
  expect(need).toMatchObject({ id: 'billing', path: 'billing', state, text: expect.stringContaining(text) })
  expect(next?.id).toBe('drift:crit_1')
})

it('does not name a wallet that lasts, nor one whose pace or balance a person may not read', () => {
  const above = { availableNano: '7', thresholdNano: '5' }
  for (const wallet of [
    { ...above, spentNano: '7' },
    { ...above, spentNano: '0' },
    { ...above, spentNano: null },
    null,
  ])
    expect(needsOf([], [], wallet)).toEqual([])
})
