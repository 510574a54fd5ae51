import { BudgetValues, budgetBody, budgetValues, newBudget } from './budget-values.ts'

const stored = {
  id: '00000000-0000-7000-8000-0000000000b1',
  scope: 'user',
  subject: '*',
  period: 'day',
  amount_nano: '1500000001',
  fallback_model: 'cheap',
  warn_at_nano: '1000000000',
  window_start: '2026-11-30T00:00:00.000Z',
  spend: [],
} as const

it('sends what was stored, digit by digit', () => {
  const { id: _, window_start: __, spend: ___, ...body } = stored
  expect(budgetValues({ ...stored, spend: [] })).toMatchObject({ amount: '1.500000001', warn: '1' })
  expect(budgetBody(budgetValues({ ...stored, spend: [] }))).toEqual(body)
})

it('sends empty fields as nothing, and no subject of the workspace', () => {
  expect(budgetBody({ ...newBudget, subject: 'left from before', amount: '25' })).toEqual({
    scope: 'workspace',
    subject: '',
    period: 'month',
    amount_nano: '25000000000',
    fallback_model: null,
    warn_at_nano: null,
  })
})

it.each([
  ['amount', { amount: 'much' }],
  ['amount', { amount: '0' }],
  ['warn', { amount: '1', warn: '-1' }],
  ['subject', { amount: '1', scope: 'tag', subject: ' ' }],
])('says at %s what it may be', (field, wrong) => {
  expect(BudgetValues.safeParse({ ...newBudget, ...wrong }).error?.issues[0]).toMatchObject({ path: [field] })
})
