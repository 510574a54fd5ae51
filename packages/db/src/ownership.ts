import type { PrismaClient } from './generated/client.ts'

/** Models of identity that the operator's commands may use, until the dashboard owns them. */
export type IdentityDb = Pick<
  PrismaClient,
  | 'user'
  | 'workspace'
  | 'membership'
  | 'apiKey'
  | 'apiKeyUse'
  | 'edgeLease'
  | 'keyTimeline'
  | '$queryRaw'
  | '$transaction'
  | '$disconnect'
>

/** Models of settings that they may use. */
export type SettingsDb = Pick<
  PrismaClient,
  | 'workspaceSettings'
  | 'providerKey'
  | 'apiKey'
  | 'budget'
  | 'auditEvent'
  | 'personErasure'
  | 'erasurePart'
  | '$transaction'
>
