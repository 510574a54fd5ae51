import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from './connect-pool.ts'
import { PrismaClient } from './generated/client.ts'

/** Models of the dashboard. Those of other services are not among them, and its role has no rights on them. */
type DashboardModel =
  | 'user'
  | 'workspace'
  | 'membership'
  | 'apiKey'
  | 'apiKeyUse'
  | 'workspaceSettings'
  | 'providerKey'
  | 'budget'
  | 'personErasure'
  | 'erasurePart'
  | 'edgeLease'
  | 'keyTimeline'
  | 'authSession'
  | 'authAccount'
  | 'authVerification'
  | 'authPasskey'
  | 'invitation'
  | 'auditEvent'
  | 'savedView'
  | 'userPreference'

/**
 * Prisma's client with the tables of the dashboard. It is not restricted to a workspace, because people belong to several:
 * each query names its workspace.
 */
export type DashboardDb = Pick<PrismaClient, DashboardModel | '$queryRaw' | '$transaction' | '$disconnect'>

/** The client inside a transaction. */
export type DashboardTransaction = Pick<PrismaClient, DashboardModel>

/** Creates the client with the dashboard's own pool and the rights of that pool's role. */
export function createDashboardDb(pool: Pool): DashboardDb {
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) })
}
