import type { Router } from 'express'
import { type AdjudicationRouteDeps, adjudicationRoutes } from './adjudication-routes.ts'
import { type GradeRouteDeps, gradeRoutes } from './grade-routes.ts'
import { type GraderRouteDeps, graderRoutes } from './grader-routes.ts'
import { type RoundRouteDeps, roundRoutes } from './round-routes.ts'

type ReviewDeps = RoundRouteDeps & GradeRouteDeps & AdjudicationRouteDeps & GraderRouteDeps

/** What only the routes of review use. */
export type ReviewStores = Pick<
  ReviewDeps,
  'rounds' | 'roundSteps' | 'claims' | 'batches' | 'reviewGrades' | 'decisions' | 'graderReads' | 'notifyRound'
>

/** Review by people who signed in. */
export function reviewRoutes(router: Router, deps: ReviewDeps): void {
  roundRoutes(router, deps)
  gradeRoutes(router, deps)
  adjudicationRoutes(router, deps)
  graderRoutes(router, deps)
}
