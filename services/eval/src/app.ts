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
import { type GateRouteDeps, gateRoutes } from './gate/routes.ts'
import { type PreferenceRouteDeps, preferenceRoutes } from './preferences/routes.ts'
import { type EvalRouteDeps, evalRoutes } from './runs/routes.ts'
import { type SampleRouteDeps, sampleRoutes } from './samples/routes.ts'

export interface EvalDeps
  extends EvalRouteDeps,
    GateRouteDeps,
    SampleRouteDeps,
    PreferenceRouteDeps,
    BatchRouteDeps,
    Callee {
  readonly evals: EvalRouteDeps['evals']
  readonly samples: EvalRouteDeps['samples'] & SampleRouteDeps['samples']
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
}

export function createApp(deps: EvalDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'eval', keys: deps.identityKeys }))
      evalRoutes(router, deps)
      sampleRoutes(router, deps)
      gateRoutes(router, deps)
      preferenceRoutes(router, deps)
      batchRoutes(router, deps)
    },
  })
}
