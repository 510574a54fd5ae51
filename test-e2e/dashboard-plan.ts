import { randomBytes } from 'node:crypto'
import { buildWeb } from '@ratchet/infra/bundle/build-web'
import type { DashboardContext, ServiceContext } from '@ratchet/infra/fleet/service-context'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'

/** How the processes of a fleet know its dashboard. */
export interface DashboardPlan {
  /** Of the first edge, to which the dashboard connects. */
  readonly context: Pick<ServiceContext, 'dashboard'>
  /** Where browsers open it. */
  readonly env: Readonly<Record<string, string>>
  /** For another edge, which has a listener of its own. */
  another(): Promise<Pick<ServiceContext, 'dashboard'>>
}

const none: DashboardPlan = { context: {}, env: {}, another: async () => ({}) }

/** @param edgePort of the first edge */
export async function planDashboard(isPart: boolean, edgePort: number): Promise<DashboardPlan> {
  if (!isPart) return none
  const common = { authSecret: randomBytes(32).toString('hex'), webFolder: await buildWeb() }
  const another = async (): Promise<{ readonly dashboard: DashboardContext }> => ({
    dashboard: { ...common, sessionUrl: `http://127.0.0.1:${await anyFreePort()}` },
  })
  return { context: await another(), another, env: { DASHBOARD_ORIGIN: `http://localhost:${edgePort}` } }
}
