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
  const needs = needsOf(criteria, [alias('rolled_back'), alias('collecting'), alias(null)])
  expect(needs.map(({ id, state }) => [id, state])).toEqual([
    ['drift:crit_1', 'wrong'],
    ['aliases/support', 'wrong'],
    ['grades:crit_1', 'open'],
  ])
  expect(needs[2]?.text).toContain('12 grades of failing answers')
})

it('is empty when all is well', () => {
  expect(needsOf([judge({})], [alias('healthy')])).toEqual([])
})
