import type { PrismaClient } from './generated/client.ts'

/** What the operator's commands may touch until the dashboard owns it: identity, nothing else. */
export type IdentityDb = Pick<
  PrismaClient,
  'user' | 'workspace' | 'membership' | 'apiKey' | '$transaction' | '$disconnect'
>
