import type { Budget } from '@ratchet/contracts/budgets'
import { budgetPeriods, budgetScopes } from '@ratchet/contracts/budgets'
import { maxSubjectLength, type SetBudget } from '@ratchet/contracts/dashboard/budgets'
import { z } from 'zod'
import { nanoOfDollars } from '../../../kit/dollars.ts'

const amountMessage = 'This must be an amount such as 25.'
const isAmount = (text: string) => nanoOfDollars(text) !== null

/** What a person chooses of a budget. */
export const BudgetValues = z
  .object({
    scope: z.enum(budgetScopes),
    /** Of a budget of the workspace it does not count. */
    subject: z.string().max(maxSubjectLength),
    period: z.enum(budgetPeriods),
    amount: z.string().refine(isAmount, amountMessage),
    fallback: z.string().max(200),
    warn: z.string().refine((text) => text === '' || isAmount(text), 'This must be an amount such as 20, or empty.'),
  })
  .refine(({ scope, subject }) => scope === 'workspace' || subject.trim() !== '', {
    path: ['subject'],
    message: 'This must say whose budget it is, or * for each one.',
  })
export type BudgetValues = z.infer<typeof BudgetValues>

export const newBudget: BudgetValues = {
  scope: 'workspace',
  subject: '',
  period: 'month',
  amount: '',
  fallback: '',
  warn: '',
}

/** The values as the body of the endpoint. */
export function budgetBody({ scope, subject, period, amount, fallback, warn }: BudgetValues): SetBudget {
  return {
    scope,
    subject: scope === 'workspace' ? '' : subject.trim(),
    period,
    amount_nano: nanoOfDollars(amount) ?? '',
    fallback_model: fallback.trim() === '' ? null : fallback.trim(),
    warn_at_nano: nanoOfDollars(warn),
  }
}

export function budgetValues({ scope, subject, period, ...budget }: Budget): BudgetValues {
  return {
    scope,
    subject,
    period,
    amount: dollarsOf(budget.amount_nano),
    fallback: budget.fallback_model ?? '',
    warn: budget.warn_at_nano === null ? '' : dollarsOf(budget.warn_at_nano),
  }
}

/** Every digit, as a person would type it. */
function dollarsOf(nano: string): string {
  const digits = nano.padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  const whole = digits.slice(0, -9)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
