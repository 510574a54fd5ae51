import { z } from 'zod'
import { Role } from '../identity.ts'
import { CorrectionNano, CreditNano } from '../internal-credits.ts'
import { pageLimit, pageOf, pageOffset } from '../page.ts'
import { WorkspaceLimits } from './admin-limits.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { SentLink, WorkspaceParams } from './values.ts'

const search = z.string().max(100).describe('Part of a name or an address.').optional()
const query = z.strictObject({ search, limit: pageLimit, offset: pageOffset })
const ofOperators = { permission: 'operator', needsFreshSignIn: true } as const
const userParams = z.strictObject({ id: z.uuid() })

export const AdminWorkspace = z.object({
  slug: z.string(),
  name: z.string(),
  created_at: z.iso.datetime(),
  ledger: z.string(),
  owners: z.array(z.string()).describe('E-mail addresses.'),
  members: z.int(),
  active_keys: z.int(),
  disabled_at: z.iso.datetime().nullable(),
  limits: WorkspaceLimits,
})

export const listAllWorkspaces = dashboardEndpoint({
  method: 'get',
  path: '/api/admin/workspaces',
  summary: 'List the workspaces of the installation, newest first.',
  ...ofOperators,
  query,
  reply: pageOf(AdminWorkspace),
})

export const changeWorkspace = dashboardEndpoint({
  method: 'patch',
  path: '/api/admin/workspaces/:slug',
  summary:
    'Disable a workspace, or enable it again. While it is disabled, its keys are invalid and its members do not find it; what its workers have begun ends.',
  ...ofOperators,
  params: WorkspaceParams,
  body: z.strictObject({ disabled: z.boolean() }),
  reply: z.object({ object: z.literal('workspace'), slug: z.string(), disabled_at: z.iso.datetime().nullable() }),
  errors: ['not_found', 'service_unavailable'],
})

const oneLine = z
  .string()
  .trim()
  .min(1)
  .regex(/^[^\p{Cc}]+$/u, 'This must be one line of text.')

export const creditWorkspace = dashboardEndpoint({
  method: 'post',
  path: '/api/admin/workspaces/:slug/credits',
  summary:
    'Credit the wallet of a workspace. A repeated reference is credited once; the audit of the workspace names the operator.',
  ...ofOperators,
  status: 201,
  params: WorkspaceParams,
  body: z.strictObject({
    amount_nano: CreditNano,
    reference: oneLine.max(200).describe('Of the payment, such as inv-17; unique over all workspaces.'),
    reason: oneLine.max(500).describe('For the ledger.'),
  }),
  reply: z.object({
    object: z.literal('credit'),
    credited: z.boolean().describe('False when this credit was already made.'),
    balance_nano: z.string(),
  }),
  errors: ['not_found', 'conflict'],
})

export const correctWorkspaceWallet = dashboardEndpoint({
  method: 'post',
  path: '/api/admin/workspaces/:slug/corrections',
  summary:
    'Correct the wallet of a workspace: give what was charged wrongly, or take what was credited wrongly, as far as it is free. A repeated reference is posted once; the audit of the workspace names the operator.',
  ...ofOperators,
  status: 201,
  params: WorkspaceParams,
  body: z.strictObject({
    amount_nano: CorrectionNano.describe('Negative: taken from the wallet.'),
    reference: oneLine.max(200).describe('Such as a ticket; unique over all workspaces, with those of credits.'),
    reason: oneLine.max(500).describe('For the ledger.'),
  }),
  reply: z.object({
    object: z.literal('correction'),
    corrected: z.boolean().describe('False when this correction was already made.'),
    balance_nano: z.string(),
  }),
  errors: ['not_found', 'conflict'],
})

export const AdminUser = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  operator: z.boolean(),
  disabled_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  workspaces: z.array(z.object({ slug: z.string(), role: Role })),
})

export const listAllUsers = dashboardEndpoint({
  method: 'get',
  path: '/api/admin/users',
  summary: 'List the users of the installation, newest first.',
  ...ofOperators,
  query,
  reply: pageOf(AdminUser),
})

export const changeUser = dashboardEndpoint({
  method: 'patch',
  path: '/api/admin/users/:id',
  summary:
    'Make a user an operator, or disable them, or end either. A disabled user is signed out and their keys are invalid. One operator who is not disabled must remain.',
  ...ofOperators,
  params: userParams,
  body: z.strictObject({ operator: z.boolean().optional(), disabled: z.boolean().optional() }),
  reply: AdminUser,
  errors: ['not_found', 'conflict', 'service_unavailable'],
})

export const createResetLink = dashboardEndpoint({
  method: 'post',
  path: '/api/admin/users/:id/reset_link',
  summary:
    'Create a link with which a user who lost the password chooses another one. It is mailed to the user; where that is not possible, the reply has it. It is valid for a day, and once.',
  ...ofOperators,
  status: 201,
  params: userParams,
  reply: z.object({ object: z.literal('reset_link'), ...SentLink.shape }),
  errors: ['not_found'],
})
