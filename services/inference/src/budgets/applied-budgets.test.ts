import { windowStartOf } from '@ratchet/contracts/budget-window'
import { appliedBudgets } from './applied-budgets.ts'
import type { Budget } from './budget.ts'

const at = new Date('2026-11-29T13:14:15.016Z')

it.each([
  ['day', '2026-11-29T00:00:00.000Z'],
  ['week', '2026-11-23T00:00:00.000Z'],
  ['month', '2026-11-01T00:00:00.000Z'],
  ['total', '1970-01-01T00:00:00.000Z'],
] as const)('a window of a %s begins in UTC', (period, start) => {
  expect(windowStartOf(period, at).toISOString()).toBe(start)
})

it('a week begins on Monday, also on a Monday and over the end of a year', () => {
  expect(windowStartOf('week', new Date('2026-11-30T00:00:00Z')).toISOString()).toBe('2026-11-30T00:00:00.000Z')
  expect(windowStartOf('week', new Date('2027-01-01T00:00:00Z')).toISOString()).toBe('2026-12-28T00:00:00.000Z')
})

const budget = (scope: Budget['scope'], subject: string): Budget => ({
  id: `${scope} ${subject}`,
  scope,
  subject,
  period: 'day',
  amountNano: 5n,
  fallbackModel: null,
})
const all = [
  budget('workspace', ''),
  budget('key', 'k1'),
  budget('key', 'k2'),
  budget('key', '*'),
  budget('user', 'ann'),
  budget('user', '*'),
  budget('tag', 'chat'),
]

const applied = (spender: Partial<Parameters<typeof appliedBudgets>[1]>) =>
  appliedBudgets(all, { keyId: null, user: null, tag: null, ...spender }, at).map(({ window }) => [
    window.id,
    window.subject,
  ])

it('counts a request for whoever spends, and each one of all for itself', () => {
  expect(applied({})).toEqual([['workspace ', '']])
  expect(applied({ keyId: 'k1', user: { id: 'u2', name: 'bob' }, tag: 'chat' })).toEqual([
    ['workspace ', ''],
    ['key k1', ''],
    ['key *', 'k1'],
    ['user *', 'u2'],
    ['tag chat', ''],
  ])
  expect(applied({ user: { id: 'u1', name: 'ann' }, tag: '' })).toEqual([
    ['workspace ', ''],
    ['user ann', ''],
    ['user *', 'u1'],
  ])
})
