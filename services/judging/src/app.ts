import type { RunScript } from '@ratchet/judge-kit/checks/script'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import type { OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { assistRoutes } from './assist/routes.ts'
import type { CalibrationStore } from './calibration/pg-calibrations.ts'
import { calibrationRoutes } from './calibration/routes.ts'
import type { CascadeStore } from './cascades/pg-cascades.ts'
import { cascadeRoutes } from './cascades/routes.ts'
import { auditRoutes } from './criteria/audit-routes.ts'
import type { CheckKindDeps } from './criteria/check-kind.ts'
import type { GatesOf } from './criteria/create-gates-of.ts'
import type { RunsOf } from './criteria/create-runs-of.ts'
import type { CriterionStore } from './criteria/criterion.ts'
import type { CriterionEvents } from './criteria/pg-criterion-events.ts'
import { criteriaRoutes } from './criteria/routes.ts'
import type { GateReads } from './gates/pg-gate-reads.ts'
import { gateRoutes } from './gates/routes.ts'
import type { JudgementStore } from './judgements/judgement.ts'
import { logVerdictRoutes } from './judgements/log-verdict-routes.ts'
import type { VerdictReads } from './judgements/pg-verdicts.ts'
import { judgeOneRoutes } from './judgements/routes.ts'
import type { GradeRollout } from './labels/grade-rollout.ts'
import type { GradeWork } from './labels/grade-work.ts'
import { gradingRoutes } from './labels/grading-routes.ts'
import type { GradeReader } from './labels/pg-grades.ts'
import type { GradingFrameStore } from './labels/pg-grading-frames.ts'
import type { ReadGradingPace } from './labels/pg-grading-pace.ts'
import type { LabelStore } from './labels/pg-labels.ts'
import type { Redact } from './labels/redact.ts'
import { labelRoutes } from './labels/routes.ts'
import { type SessionLabelDeps, sessionLabelRoutes } from './labels/session-routes.ts'
import type { ProgressReads } from './progress/pg-progress.ts'
import { progressRoutes } from './progress/routes.ts'
import { type ReviewStores, reviewRoutes } from './review/routes.ts'
import type { RunStore } from './runs/judge-run.ts'
import type { ReadLatestScans } from './scans/pg-latest-scans.ts'
import { scanRoutes } from './scans/routes.ts'

export interface JudgingDeps extends Callee, OnceDeps, Pick<SessionLabelDeps, 'readMarks'>, ReviewStores {
  readonly criteria: CriterionStore
  readonly calibrations: CalibrationStore
  readonly cascades: CascadeStore
  readonly runs: RunStore
  readonly judgements: JudgementStore
  readonly verdicts: VerdictReads
  readonly latestScans: ReadLatestScans
  readonly gates: GateReads
  readonly grades: GradeReader
  readonly labels: LabelStore
  readonly gradeWork: GradeWork
  readonly frames: GradingFrameStore
  readonly readPace: ReadGradingPace
  readonly events: CriterionEvents
  readonly progress: ProgressReads
  readonly log: LogReader
  readonly models: ModelCatalog
  readonly redact: Redact
  readonly judgeExchange: JudgeExchange
  readonly schemas: CheckKindDeps['schemas']
  readonly slicedWork: CheckKindDeps['slicedWork']
  readonly runScript: RunScript
  readonly gatesOf: GatesOf
  readonly runsOf: RunsOf
  readonly gradeRollout: GradeRollout
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
  readonly now: () => Date
  readonly newId: () => string
}

export function createApp(deps: JudgingDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'judging', keys: deps.identityKeys }))
      // Before criteriaRoutes, whose routes would take `suggest` for an id.
      assistRoutes(router, deps)
      criteriaRoutes(router, deps)
      calibrationRoutes(router, deps)
      scanRoutes(router, deps)
      cascadeRoutes(router, deps)
      gradingRoutes(router, deps)
      judgeOneRoutes(router, deps)
      labelRoutes(router, deps)
      sessionLabelRoutes(router, deps)
      reviewRoutes(router, deps)
      auditRoutes(router, deps)
      progressRoutes(router, deps)
      gateRoutes(router, deps)
      logVerdictRoutes(router, deps)
    },
  })
}
