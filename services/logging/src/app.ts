import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { type CaptureRouteDeps, captureRoutes } from './capture/routes.ts'
import { buildingRoutes } from './datasets/building-routes.ts'
import { type CreateDatasetDeps, createDatasetRoutes } from './datasets/create-routes.ts'
import { type DatasetRouteDeps, datasetRoutes } from './datasets/routes.ts'
import { type FeedbackRouteDeps, feedbackRoutes } from './feedback/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { type ImportRouteDeps, importRoutes } from './imports/routes.ts'
import { type LogRouteDeps, logRoutes } from './logs/routes.ts'
import { type OverviewRouteDeps, overviewRoutes } from './overview/routes.ts'
import { type PickRouteDeps, pickRoutes } from './picks/routes.ts'
import type { Redactor } from './redaction/redactor.ts'
import { redactionRoutes } from './redaction/routes.ts'
import type { FindSegmentDeps } from './segments/find-segment.ts'
import { findSegmentRoutes } from './segments/internal-routes.ts'
import { type SegmentRouteDeps, segmentRoutes } from './segments/routes.ts'
import { type SetupRouteDeps, setupRoutes } from './setup/routes.ts'
import { droppedSignalRoutes, type OtlpRouteDeps, otlpRoutes } from './traces/otlp/routes.ts'
import { type TraceRouteDeps, traceRoutes } from './traces/routes.ts'

export interface LoggingDeps
  extends CaptureRouteDeps,
    OtlpRouteDeps,
    SegmentRouteDeps,
    FindSegmentDeps,
    LogRouteDeps,
    OverviewRouteDeps,
    TraceRouteDeps,
    FeedbackRouteDeps,
    SetupRouteDeps,
    PickRouteDeps,
    CreateDatasetDeps,
    ImportRouteDeps,
    DatasetRouteDeps,
    Callee {
  readonly redactor: Redactor
  readonly uploads: ImportRouteDeps['uploads']
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
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
      droppedSignalRoutes(router)
      importRoutes(router, deps)
      // Before the log routes, because `/v1/logs/segments` also matches `/v1/logs/:id`.
      segmentRoutes(router, deps)
      findSegmentRoutes(router, deps)
      logRoutes(router, deps)
      overviewRoutes(router, deps)
      feedbackRoutes(router, deps)
      traceRoutes(router, deps)
      setupRoutes(router, deps)
      pickRoutes(router, deps)
      redactionRoutes(router, deps)
      createDatasetRoutes(router, deps)
      datasetRoutes(router, deps)
      buildingRoutes(router, deps)
      fileRoutes(router, deps)
    },
  })
}
