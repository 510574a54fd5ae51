import { z } from 'zod'
import { InstalledProvider } from '../internal-providers.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { listReplyOf, Slug, WorkspaceParams } from './values.ts'

const ofOperators = { permission: 'operator', needsFreshSignIn: true } as const
/** As large as on the command line, so that every stored limit can be shown. */
const perMinute = z.int().min(1).max(2_147_483_647).nullable()

/** Limits of a workspace; null for none, or for the default of the abuse guard. */
export const WorkspaceLimits = z.strictObject({
  requests_per_minute: perMinute.describe('Of all keys together. Owners and admins can change it too.'),
  tokens_per_minute: perMinute.describe('Of all keys together. Owners and admins can change it too.'),
  guarded_calls_per_minute: perMinute.describe('Calls that create paid work or files. Only operators change it.'),
})
export type WorkspaceLimits = z.infer<typeof WorkspaceLimits>

/** Fields that are absent remain as they are. */
export const ChangeLimits = WorkspaceLimits.partial()
export type ChangeLimits = z.infer<typeof ChangeLimits>

export const changeWorkspaceLimits = dashboardEndpoint({
  method: 'patch',
  path: '/api/admin/workspaces/:slug/limits',
  summary: 'Change limits of a workspace. Fields that are absent remain as they are. Its audit names the operator.',
  ...ofOperators,
  params: WorkspaceParams,
  body: ChangeLimits,
  reply: z.object({ object: z.literal('limits'), slug: Slug, ...WorkspaceLimits.shape }),
  errors: ['not_found'],
})

export const listAllProviders = dashboardEndpoint({
  method: 'get',
  path: '/api/admin/providers',
  summary: 'List the providers of the installation: keys, models, places that are ejected, and how their calls ended.',
  ...ofOperators,
  reply: listReplyOf(InstalledProvider),
  errors: ['service_unavailable'],
})
