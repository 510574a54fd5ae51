import type { Brand } from '@ratchet/contracts/brand'
import { requestIdHeader } from '@ratchet/contracts/identity'
import { errorBodyAt } from '@ratchet/contracts/messages'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express, Request } from 'express'
import type { Logger } from 'pino'
import type { PrepareResponseDeps } from './exchange/prepare-response.ts'
import type { ServeDeps } from './exchange/serve-surface.ts'
import { inferenceRoutes } from './routes/inference.ts'
import { modelRoutes } from './routes/models.ts'
import { responseRoutes, type StoredResponseDeps } from './routes/responses.ts'

export interface InferenceDeps extends ServeDeps, PrepareResponseDeps, StoredResponseDeps {
  readonly identityKeys: readonly NamedKey[]
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly brand: Brand
  readonly now: () => Date
}

export function createApp(deps: InferenceDeps): Express {
  return createHttpApp({
    ...deps,
    errorBody: errorBodyAt,
    requestId: (request) => passedOn(request) ?? uuidV7(deps.now().getTime()),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'inference', keys: deps.identityKeys }))
      inferenceRoutes(router, deps)
      responseRoutes(router, deps)
      modelRoutes(router, deps)
    },
  })
}

/** The id that the edge gave the request; a caller that comes past the edge may have sent none. */
function passedOn(request: Request): string | null {
  const id = request.get(requestIdHeader) ?? ''
  return id === '' ? null : id
}
