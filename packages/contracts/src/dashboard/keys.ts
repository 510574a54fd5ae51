import { z } from 'zod'
import { Role } from '../identity.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { listReplyOf, PersonName, WorkspaceItemParams, WorkspaceParams } from './values.ts'

const perMinute = z.int().min(1).max(1_000_000_000).nullable()
const limits = { requests_per_minute: perMinute, tokens_per_minute: perMinute }

const ModelGlobs = z
  .array(z.string().trim().min(1).max(200))
  .max(50)
  .describe('Globs over names of aliases and ids of the catalog, with `*` for anything; empty for all models.')
const rules = {
  expires_at: z.iso.datetime().nullable().describe('From then on the key is refused; null: never.'),
  allowed_models: ModelGlobs,
}

export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  display: z.string().describe('Its first characters.'),
  created_by: z.object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    role: Role.nullable().describe('The role that the key has now; null when the user left the workspace.'),
  }),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  ...limits,
  ...rules,
})
export type ApiKey = z.infer<typeof ApiKey>

export const listApiKeys = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/keys',
  summary:
    'List the API keys of a workspace, newest first: those in force, and the ones that were revoked last. Members get their own.',
  permission: 'any',
  params: WorkspaceParams,
  reply: listReplyOf(ApiKey),
})

export const createApiKey = dashboardEndpoint({
  method: 'post',
  path: '/api/w/:slug/keys',
  summary:
    'Create an API key, which has the role of its user. The reply alone has the key itself. A person may have 100, a workspace 1,000.',
  permission: 'any',
  needsFreshSignIn: true,
  status: 201,
  params: WorkspaceParams,
  body: z.strictObject({
    name: PersonName,
    requests_per_minute: perMinute.default(null),
    tokens_per_minute: perMinute.default(null),
    expires_at: rules.expires_at.default(null),
    allowed_models: ModelGlobs.default([]),
  }),
  reply: ApiKey.extend({ key: z.string() }),
  errors: ['quota_exceeded'],
})

export const changeApiKey = dashboardEndpoint({
  method: 'patch',
  path: '/api/w/:slug/keys/:id',
  summary:
    'Change the name, the limits, the models or the expiry of a key. Members change the name of their own. An expiry applies to every request that begins after the answer, and models within seconds.',
  permission: 'any',
  needsFreshSignIn: true,
  params: WorkspaceItemParams,
  body: z.strictObject({ name: PersonName, ...limits, ...rules }).partial(),
  reply: ApiKey,
  errors: ['not_found', 'service_unavailable'],
})

export const revokeApiKey = dashboardEndpoint({
  method: 'post',
  path: '/api/w/:slug/keys/:id/revoke',
  summary: 'Revoke a key. Every request that begins after the answer is refused. Members revoke their own.',
  permission: 'any',
  needsFreshSignIn: true,
  params: WorkspaceItemParams,
  reply: ApiKey,
  errors: ['not_found', 'service_unavailable'],
})
