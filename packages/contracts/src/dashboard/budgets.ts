import { z } from 'zod'
import { budgetPeriods, budgetScopes } from '../budgets.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { Done, WorkspaceItemParams, WorkspaceParams } from './values.ts'

const Nano = z.string().regex(/^[1-9]\d{0,17}$/, 'This must be nano-dollars, 1 to 999999999999999999.')

/** Budgets of one workspace. */
export const maxBudgets = 200

/** The longest name of a subject. */
export const maxSubjectLength = 128

export const SetBudget = z.strictObject({
  scope: z.enum(budgetScopes),
  subject: z
    .string()
    .max(maxSubjectLength)
    .describe('The id of the key, the end user, or the tag; `*`: each one for itself; empty for the workspace.'),
  period: z.enum(budgetPeriods),
  amount_nano: Nano,
  fallback_model: z.string().min(1).max(200).nullable().default(null),
  warn_at_nano: Nano.nullable().default(null),
})
export type SetBudget = z.infer<typeof SetBudget>

export const setBudget = dashboardEndpoint({
  method: 'put',
  path: '/api/w/:slug/budgets',
  summary:
    'Set the budget of somebody for a period, in place of the one that there was. It applies within seconds. A workspace may have 200.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  params: WorkspaceParams,
  body: SetBudget,
  reply: z.object({ id: z.uuid() }),
  errors: ['not_found', 'quota_exceeded'],
})

export const removeBudget = dashboardEndpoint({
  method: 'delete',
  path: '/api/w/:slug/budgets/:id',
  summary: 'Remove a budget. What was spent under it remains in the ledger.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  params: WorkspaceItemParams,
  reply: Done,
  errors: ['not_found'],
})
