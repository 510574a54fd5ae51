import type { Router } from 'express'
import { type InternalGrpoDeps, internalGrpoRoutes } from './progress/internal-routes.ts'
import { type RunProgressDeps, runProgressRoutes } from './progress/routes.ts'
import { type RewardTestDeps, rewardTestRoutes } from './rewards/test-routes.ts'
import { type RunRouteDeps, runRoutes } from './runs/routes.ts'

export interface GrpoDeps extends RunRouteDeps, RewardTestDeps, RunProgressDeps, InternalGrpoDeps {
  readonly runs: RunRouteDeps['runs']
  readonly toolCalls: RunRouteDeps['toolCalls'] & RewardTestDeps['toolCalls']
  readonly runProgress: RunProgressDeps['runProgress']
}

/** The endpoints of GRPO runs. */
export function grpoRoutes(router: Router, deps: GrpoDeps): void {
  runRoutes(router, deps)
  rewardTestRoutes(router, deps)
  runProgressRoutes(router, deps)
  internalGrpoRoutes(router, deps)
}
