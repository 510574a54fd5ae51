import { z } from 'zod'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { PersonName, WorkspaceParams } from './values.ts'

const perMinute = z.int().min(1).max(1_000_000_000).nullable()

const Logging = z.strictObject({
  enabled: z.boolean(),
  retention_days: z.union([z.literal(7), z.literal(30), z.literal(90)]),
  responses: z.boolean().describe('Whether exchanges of the Responses API are logged too, while logging is on.'),
})
const Limits = z.strictObject({ requests_per_minute: perMinute, tokens_per_minute: perMinute })

const fields = {
  name: PersonName,
  logging: Logging,
  response_cache: z.boolean().describe('Whether answers may come from the cache, unless the request states it.'),
  fallback_models: z.array(z.string().min(1).max(200)).max(8).describe('Called in this order when the model fails.'),
  limits: Limits.describe('Of all keys of the workspace together; null for no limit.'),
  evidence_policy: z.enum(['off', 'enforce']).describe('Whether changing the target of an alias requires evidence.'),
}

export const WorkspaceSettings = z.object({ object: z.literal('settings'), slug: z.string(), ...fields })
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>

/** Fields that are absent remain as they are. */
export const ChangeSettings = z
  .strictObject({
    ...fields,
    logging: Logging.partial(),
    limits: Limits.partial(),
  })
  .partial()
export type ChangeSettings = z.infer<typeof ChangeSettings>

export const readSettings = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/settings',
  summary: 'Read the settings of a workspace.',
  permission: 'any',
  params: WorkspaceParams,
  reply: WorkspaceSettings,
})

export const changeSettings = dashboardEndpoint({
  method: 'patch',
  path: '/api/w/:slug/settings',
  summary:
    'Change settings of a workspace. The name is the owners’ to change, and so is the evidence policy where it is switched off, which needs a fresh sign-in.',
  permission: 'owner_admin',
  params: WorkspaceParams,
  body: ChangeSettings,
  reply: WorkspaceSettings,
})
