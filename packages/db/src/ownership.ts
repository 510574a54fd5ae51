import type { PrismaClient } from './generated/client.ts'

/** What the operator's commands may touch of identity until the dashboard owns it. */
export type IdentityDb = Pick<
  PrismaClient,
  'user' | 'workspace' | 'membership' | 'apiKey' | '$transaction' | '$disconnect'
>

/** What they may touch of a workspace's choices. */
export type SettingsDb = Pick<PrismaClient, 'workspaceSettings' | 'providerKey' | 'apiKey' | '$transaction'>
