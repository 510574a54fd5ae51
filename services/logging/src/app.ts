import { requestIdHeader } from '@ratchet/contracts/identity'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express, Request } from 'express'
import type { Logger } from 'pino'
import { type CaptureRouteDeps, captureRoutes } from './routes/captures.ts'
import { type CreateDatasetDeps, createDatasetRoutes } from './routes/create-datasets.ts'
import { type DatasetRouteDeps, datasetRoutes } from './routes/datasets.ts'
import { fileRoutes } from './routes/files.ts'
import { type OtlpRouteDeps, otlpRoutes } from './routes/otlp.ts'
import { type ReadRouteDeps, readRoutes } from './routes/reads.ts'

export interface LoggingDeps
  extends CaptureRouteDeps,
    OtlpRouteDeps,
    ReadRouteDeps,
    CreateDatasetDeps,
    DatasetRouteDeps {
  readonly identityKeys: readonly NamedKey[]
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly now: () => Date
}

export function createApp(deps: LoggingDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: (request) => passedOn(request) ?? uuidV7(deps.now().getTime()),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'logging', keys: deps.identityKeys }))
      captureRoutes(router, deps)
      otlpRoutes(router, deps)
      readRoutes(router, deps)
      createDatasetRoutes(router, deps)
      datasetRoutes(router, deps)
      fileRoutes(router, deps)
    },
  })
}

/** The id that the edge gave the request; a caller that comes past the edge may have sent none. */
function passedOn(request: Request): string | null {
  const id = request.get(requestIdHeader) ?? ''
  return id === '' ? null : id
}
