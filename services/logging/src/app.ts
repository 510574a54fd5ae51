import { forwardedId } from '@ratchet/service-kit/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import type { Redactor } from './domain/redactor.ts'
import { type CaptureRouteDeps, captureRoutes } from './routes/captures.ts'
import { type CreateDatasetDeps, createDatasetRoutes } from './routes/create-datasets.ts'
import { type DatasetRouteDeps, datasetRoutes } from './routes/datasets.ts'
import { fileRoutes } from './routes/files.ts'
import { type ImportRouteDeps, importRoutes } from './routes/import-logs.ts'
import { type OtlpRouteDeps, otlpRoutes } from './routes/otlp.ts'
import { type PickRouteDeps, pickRoutes } from './routes/picks.ts'
import { type ReadRouteDeps, readRoutes } from './routes/reads.ts'
import { redactionRoutes } from './routes/redactions.ts'

export interface LoggingDeps
  extends CaptureRouteDeps,
    OtlpRouteDeps,
    ReadRouteDeps,
    PickRouteDeps,
    CreateDatasetDeps,
    ImportRouteDeps,
    DatasetRouteDeps {
  readonly redactor: Redactor
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
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'logging', keys: deps.identityKeys }))
      captureRoutes(router, deps)
      otlpRoutes(router, deps)
      importRoutes(router, deps)
      readRoutes(router, deps)
      pickRoutes(router, deps)
      redactionRoutes(router, deps)
      createDatasetRoutes(router, deps)
      datasetRoutes(router, deps)
      fileRoutes(router, deps)
    },
  })
}
