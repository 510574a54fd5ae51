import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { type InternalRouteDeps, internalRoutes } from './aliases/internal-routes.ts'
import { type AliasRouteDeps, aliasRoutes } from './aliases/routes.ts'
import { type GateRouteDeps, gateRoutes } from './gate/routes.ts'
import { type WebhookRouteDeps, webhookRoutes } from './webhooks/routes.ts'

export interface AliasDeps
  extends Omit<AliasRouteDeps, 'canary'>,
    Pick<InternalRouteDeps, 'traffic' | 'rules'>,
    Pick<GateRouteDeps, 'looks'>,
    Callee {
  readonly canary: AliasRouteDeps['canary'] & GateRouteDeps['canary']
  readonly webhooks: WebhookRouteDeps
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
}

export function createApp(deps: AliasDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'alias', keys: deps.identityKeys }))
      aliasRoutes(router, deps)
      gateRoutes(router, deps)
      internalRoutes(router, deps)
      webhookRoutes(router, deps.webhooks)
    },
  })
}
