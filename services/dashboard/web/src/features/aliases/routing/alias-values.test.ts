import { PutAlias } from '@ratchet/contracts/aliases'
import { changedFields } from './alias-fields.ts'
import { bodyOf, usualSettings, valuesOf } from './alias-values.ts'

const settings = {
  ...usualSettings,
  name: 'support',
  target_model: 'sim/large',
  canary_model: 'sim/small',
  canary_percent: 10,
  gate_criterion_id: 'crit_1',
  gate_mode: 'auto',
  gate_rollback_threshold: 0.07,
  gate_guard: { max_error_rate_increase: 0.035, max_latency_ratio: 1.5, max_cost_ratio: null },
  require_evidence: false,
  family_rules: [
    { segment: 'none', model: 'sim/large' },
    { segment: '*', model: null },
  ],
} as const satisfies typeof usualSettings

const words = { judge: (id: string) => `judge ${id}`, family: (segment: string) => `family ${segment}` }

it('sends every setting back as it was', () => {
  const { force: _force, reason: _reason, ...sent } = PutAlias.parse(bodyOf(valuesOf(settings)))
  expect(sent).toEqual(settings)
})

it('has the defaults of the contract for a new alias', () => {
  const { force: _force, reason: _reason, ...sent } = PutAlias.parse({ name: 'abc', target_model: 'm' })
  expect({ ...usualSettings, name: 'abc', target_model: 'm' }).toEqual({ ...sent, family_rules: [] })
})

it('names what differs, with units and names', () => {
  const before = valuesOf(settings)
  expect(changedFields(before, { ...before, canary_percent: '10' }, words)).toEqual([])
  const after = { ...before, canary_percent: 50, gate_mode: '' as const, latency_ratio: '', family_rules: [] }
  expect(changedFields(before, after, words).map((each) => [each.label, each.before, each.after])).toEqual([
    ['Share of the canary', '10 %', '50 %'],
    ['Prompt families', 'family none: sim/large; family *: in the split', 'none'],
    ['Gate', 'acts by itself', 'none'],
    ['Guard: slower', '1.5 times', 'none'],
  ])
})
