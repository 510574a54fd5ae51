import { forwardedId } from '@ratchet/service-kit/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { type AssistRouteDeps, assistRoutes } from './assist/routes.ts'
import { type CalibrationRouteDeps, calibrationRoutes } from './calibration/routes.ts'
import { type CriterionRouteDeps, criteriaRoutes } from './criteria/routes.ts'
import { type GateRouteDeps, gateRoutes } from './gates/routes.ts'
import { type JudgeOneDeps, judgeOneRoutes } from './judgements/routes.ts'
import { type GradingRouteDeps, gradingRoutes } from './labels/grading-routes.ts'
import { type LabelRouteDeps, labelRoutes } from './labels/routes.ts'
import { type ProgressRouteDeps, progressRoutes } from './progress/routes.ts'
import { type ScanRouteDeps, scanRoutes } from './scans/routes.ts'

export interface JudgingDeps
  extends AssistRouteDeps,
    CalibrationRouteDeps,
    CriterionRouteDeps,
    GateRouteDeps,
    GradingRouteDeps,
    JudgeOneDeps,
    LabelRouteDeps,
    ProgressRouteDeps,
    ScanRouteDeps {
  readonly criteria: CriterionRouteDeps['criteria']
  readonly runs: ScanRouteDeps['runs']
  readonly judgements: ScanRouteDeps['judgements'] & GateRouteDeps['judgements']
  readonly log: ScanRouteDeps['log'] & JudgeOneDeps['log']
  readonly labels: LabelRouteDeps['labels'] & ProgressRouteDeps['labels']
  readonly verdicts: ScanRouteDeps['verdicts'] & GradingRouteDeps['verdicts']
  readonly grades: CalibrationRouteDeps['grades']
  readonly calibrations: CalibrationRouteDeps['calibrations']
  readonly identityKeys: readonly NamedKey[]
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly now: () => Date
  readonly newId: () => string
}

export function createApp(deps: JudgingDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'judging', keys: deps.identityKeys }))
      // Before the routes with an id in the place of `suggest`.
      assistRoutes(router, deps)
      criteriaRoutes(router, deps)
      calibrationRoutes(router, deps)
      scanRoutes(router, deps)
      gradingRoutes(router, deps)
      judgeOneRoutes(router, deps)
      labelRoutes(router, deps)
      progressRoutes(router, deps)
      gateRoutes(router, deps)
    },
  })
}
