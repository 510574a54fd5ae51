import type { Brand } from '@ratchet/contracts/brand'
import { errorBodyAt } from '@ratchet/contracts/messages'
import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { type BatchRouteDeps, batchRoutes } from './batches/routes.ts'
import { type BillingRouteDeps, billingRoutes } from './billing/routes.ts'
import { type BudgetRouteDeps, budgetRoutes } from './budgets/routes.ts'
import { type CallHoldRouteDeps, callHoldRoutes } from './call-money/routes.ts'
import { modelRoutes } from './catalog/routes.ts'
import { type WalletRouteDeps, walletRoutes } from './ledger/routes.ts'
import { type FailureRouteDeps, failureRoutes } from './outcomes/routes.ts'
import { createPromptCounter } from './prompt-counts/create-prompt-counter.ts'
import { promptCountRoutes } from './prompt-counts/routes.ts'
import { type InstalledProviderDeps, installedProviderRoutes } from './provider-keys/operator-routes.ts'
import { providerKeyRoutes } from './provider-keys/routes.ts'
import { geminiRoutes } from './request/gemini-routes.ts'
import { inferenceRoutes } from './request/routes.ts'
import type { ServeDeps } from './request/serve-surface.ts'
import { responseRoutes, type StoredResponseDeps } from './stored-responses/routes.ts'
import { type JobHoldRouteDeps, jobHoldRoutes } from './training-money/routes.ts'

export interface InferenceDeps
  extends ServeDeps,
    StoredResponseDeps,
    WalletRouteDeps,
    JobHoldRouteDeps,
    CallHoldRouteDeps,
    BatchRouteDeps,
    BillingRouteDeps,
    BudgetRouteDeps,
    FailureRouteDeps,
    InstalledProviderDeps,
    Callee {
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
  readonly brand: Brand
  readonly now: () => Date
}

export function createApp(deps: InferenceDeps): Express {
  return createHttpApp({
    ...deps,
    errorBody: errorBodyAt,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'inference', keys: deps.identityKeys }))
      inferenceRoutes(router, deps)
      responseRoutes(router, deps)
      const countPrompt = createPromptCounter(deps)
      promptCountRoutes(router, { ...deps, countPrompt })
      geminiRoutes(router, { ...deps, countPrompt })
      modelRoutes(router, deps)
      walletRoutes(router, deps)
      jobHoldRoutes(router, deps)
      callHoldRoutes(router, deps)
      batchRoutes(router, deps)
      billingRoutes(router, deps)
      budgetRoutes(router, deps)
      failureRoutes(router, deps)
      providerKeyRoutes(router, deps)
      installedProviderRoutes(router, deps)
    },
  })
}
