import { z } from 'zod'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { Done, listReplyOf, Slug, WorkspaceParams } from './values.ts'

export const ProviderKey = z.object({
  provider: z.string(),
  display: z.string().describe('Its last characters.'),
  base_url: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type ProviderKey = z.infer<typeof ProviderKey>

const params = z.strictObject({ slug: Slug, provider: z.string().regex(/^[a-z0-9-]{1,40}$/) })

export const listProviderKeys = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/provider_keys',
  summary: 'List for which providers the workspace has a key of its own. No answer has a key.',
  permission: 'any',
  params: WorkspaceParams,
  reply: listReplyOf(ProviderKey),
})

export const saveProviderKey = dashboardEndpoint({
  method: 'put',
  path: '/api/w/:slug/provider_keys/:provider',
  summary: 'Save or replace the key for a provider. It is stored encrypted and never read back.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  params,
  body: z.strictObject({
    key: z.string().trim().min(8).max(4_096),
    base_url: z.string().max(500).nullable().default(null),
  }),
  reply: ProviderKey,
})

export const removeProviderKey = dashboardEndpoint({
  method: 'delete',
  path: '/api/w/:slug/provider_keys/:provider',
  summary: 'Remove the key for a provider.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  params,
  reply: Done,
  errors: ['not_found'],
})
