import { requestIdHeader } from '@ratchet/contracts/identity'
import { createHttpApp, type HttpAppOptions } from '@ratchet/service-kit/http/http-app'
import type { Express, Request } from 'express'
import { type AccountDeps, accountRoutes } from './account/routes.ts'
import { type LedgerDeps, ledgerRoutes } from './admin/ledger-routes.ts'
import { type LimitDeps, limitRoutes } from './admin/limit-routes.ts'
import { type AdminDeps, adminRoutes } from './admin/routes.ts'
import { type ApiDeps, apiRoutes } from './api/routes.ts'
import { type AuditDeps, auditRoutes } from './audit/routes.ts'
import { type BudgetDeps, budgetRoutes } from './budgets/routes.ts'
import { type ErasureDeps, erasureRoutes } from './erasure/routes.ts'
import { type EventDeps, eventRoutes } from './events/routes.ts'
import { type KeyDeps, keyRoutes } from './keys/routes.ts'
import { type LiveDeps, liveRoutes } from './live/routes.ts'
import { type InvitationDeps, invitationRoutes } from './members/invitation-routes.ts'
import { type MemberDeps, memberRoutes } from './members/routes.ts'
import { securityHeaders } from './pages/page-headers.ts'
import { type PageDeps, pageRoutes } from './pages/routes.ts'
import { type PaymentDeps, paymentRoutes } from './payments/routes.ts'
import { type ProviderKeyDeps, providerKeyRoutes } from './provider-keys/routes.ts'
import { type SettingsDeps, settingsRoutes } from './settings/routes.ts'
import { type SignInDeps, signInRoutes } from './sign-in/routes.ts'
import { type ViewDeps, viewRoutes } from './views/routes.ts'

export interface DashboardDeps
  extends Pick<HttpAppOptions, 'logger' | 'metrics' | 'health'>,
    Omit<AccountDeps, 'people' | 'logger'>,
    Omit<SignInDeps, 'accounts' | 'people'>,
    Omit<ApiDeps, 'logger' | 'people'>,
    Omit<AdminDeps, 'people' | 'logger'>,
    Omit<LedgerDeps, 'people' | 'admin'>,
    Omit<LimitDeps, 'people' | 'admin'>,
    Omit<AuditDeps, 'people'>,
    Omit<KeyDeps, 'people'>,
    Omit<LiveDeps, 'people'>,
    Omit<InvitationDeps, 'people' | 'logger'>,
    Omit<MemberDeps, 'people'>,
    Omit<BudgetDeps, 'people'>,
    Omit<ErasureDeps, 'people'>,
    Omit<ProviderKeyDeps, 'people'>,
    Omit<SettingsDeps, 'people'>,
    Omit<ViewDeps, 'people'>,
    Omit<EventDeps, 'people'>,
    PaymentDeps,
    PageDeps {
  readonly people: AccountDeps['people']
}

/** Its port never serves metrics, because the edge forwards browsers to it. */
export function createApp(deps: DashboardDeps): Express {
  const headers = securityHeaders(deps.auth.origin)
  return createHttpApp({
    ...deps,
    serveMetrics: false,
    requestId: requestIdOf(deps.newId),
    guard: (_request, response, next) => {
      response.set(headers)
      next()
    },
    routes: (router) => {
      signInRoutes(router, deps)
      accountRoutes(router, deps)
      settingsRoutes(router, deps)
      keyRoutes(router, deps)
      budgetRoutes(router, deps)
      erasureRoutes(router, deps)
      providerKeyRoutes(router, deps)
      memberRoutes(router, deps)
      invitationRoutes(router, deps)
      adminRoutes(router, deps)
      ledgerRoutes(router, deps)
      limitRoutes(router, deps)
      auditRoutes(router, deps)
      liveRoutes(router, deps)
      viewRoutes(router, deps)
      eventRoutes(router, deps)
      paymentRoutes(router, deps)
      apiRoutes(router, deps)
      pageRoutes(router, deps)
    },
  })
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id that the edge created. Where browsers reach this port without the edge, they could send any text. */
function requestIdOf(newId: () => string): (request: Request) => string {
  return ({ headers }) => {
    const id = headers[requestIdHeader]?.toString() ?? ''
    return uuid.test(id) ? id : newId()
  }
}
