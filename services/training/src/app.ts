import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import type { HealthOptions } from '@ratchet/service-kit/http/health'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { artifactRoutes } from './artifacts/routes.ts'
import type { PathSigner } from './artifacts/signed-path.ts'
import { type AttemptRouteDeps, attemptRoutes } from './attempts/routes.ts'
import { gradeRoutes } from './audits/routes.ts'
import { type DedicatedRouteDeps, dedicatedRoutes } from './dedicated/routes.ts'
import { type DistillRouteDeps, distillRoutes } from './distill/routes.ts'
import { environmentToolRoutes, type ToolRouteDeps } from './environment-tools/routes.ts'
import { type GrpoDeps, grpoRoutes } from './grpo/app.ts'
import { type StepRouteDeps, stepRoutes } from './grpo/steps/routes.ts'
import { type ProgressRouteDeps, progressRoutes } from './jobs/progress-routes.ts'
import { readerRoutes } from './jobs/reader-routes.ts'
import { type JobRouteDeps, jobRoutes } from './jobs/routes.ts'
import { type RoundRouteDeps, raftRoutes } from './raft/routes.ts'
import { type ModelRouteDeps, modelRoutes } from './trainable-models/routes.ts'
import { type VersionRouteDeps, versionRoutes } from './versions/routes.ts'

export interface TrainingDeps extends JobRouteDeps, ProgressRouteDeps, ModelRouteDeps, AttemptRouteDeps, Callee {
  readonly jobs: JobRouteDeps['jobs']
  readonly progress: JobRouteDeps['progress'] & ProgressRouteDeps['progress']
  /** Null when trainers reach the store of artifacts themselves. */
  readonly signer: PathSigner | null
  readonly tools: ToolRouteDeps
  readonly distill: DistillRouteDeps
  readonly raft: RoundRouteDeps
  readonly modelVersions: VersionRouteDeps
  readonly grpo: GrpoDeps
  readonly dedicated: DedicatedRouteDeps
  readonly steps: StepRouteDeps
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly changes: ChangeRecording
}

export function createApp(deps: TrainingDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: forwardedId(deps.now),
    routes: (router) => {
      const { signer } = deps
      // Trainers have a token or a signed URL instead of an identity.
      if (signer !== null) artifactRoutes(router, { ...deps, signer })
      attemptRoutes(router, deps)
      stepRoutes(router, deps.steps)
      router.use(requireIdentity({ ...deps, audience: 'training', keys: deps.identityKeys }))
      modelRoutes(router, deps)
      jobRoutes(router, deps)
      progressRoutes(router, deps)
      readerRoutes(router, deps)
      environmentToolRoutes(router, deps.tools)
      distillRoutes(router, deps.distill)
      raftRoutes(router, deps.raft)
      versionRoutes(router, deps.modelVersions)
      grpoRoutes(router, deps.grpo)
      dedicatedRoutes(router, deps.dedicated)
      gradeRoutes(router, { gradeStores: [deps.grpo.runProgress, deps.raft.audits], newId: deps.newId })
    },
  })
}
