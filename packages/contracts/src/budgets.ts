import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const budgetScopes = ['workspace', 'key', 'user', 'tag'] as const
export const budgetPeriods = ['day', 'week', 'month', 'total'] as const

/** Nano-dollars as the digits of an integer, because a JSON number cannot hold every one. */
const Nano = z.string().regex(/^\d{1,19}$/)

export const BudgetSpend = z.object({
  subject: z.string().describe('Whose it is, where the budget is of each one; else empty.'),
  amount_nano: Nano.describe('The budget at the last request that it covered.'),
  spent_nano: Nano.describe('Charged for requests that were held in this window.'),
  held_nano: Nano.describe('By requests that run.'),
})

export const Budget = z.object({
  id: z.uuid(),
  scope: z.enum(budgetScopes),
  subject: z
    .string()
    .describe('The id of the key, the end user, or the tag; `*`: each one for itself; empty for the workspace.'),
  period: z.enum(budgetPeriods).describe('From midnight (UTC), from Monday, from the first of the month, or in all.'),
  amount_nano: Nano,
  fallback_model: z
    .string()
    .nullable()
    .describe('The model or alias that answers while its maximum cost fits; null: the request is refused.'),
  warn_at_nano: Nano.nullable().describe('Spent and held, from which on people are told; null: never.'),
  window_start: z.iso.datetime().describe('Of the present window.'),
  spend: z.array(BudgetSpend).describe('In the present window; of each one at most the largest 100.'),
})
export type Budget = z.infer<typeof Budget>

export const readBudgets = endpoint({
  method: 'get',
  path: '/session/budgets',
  summary: 'List the budgets, and what was spent under them.',
  description:
    'A request counts in the window in which it was held, with what it costs. Budgets count calls of models, also those of judges and evals, and not training, dedicated endpoints and the minutes of voice calls.',
  service: 'inference',
  audience: 'session',
  permission: 'owner_admin',
  reply: z.object({ object: z.literal('list'), data: z.array(Budget) }),
})

export const budgetEndpoints = [readBudgets]
