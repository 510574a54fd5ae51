import type { Pool } from '@ratchet/db/connect-pool'
import { createPgAdjudications } from './pg-adjudications.ts'
import { createPgBatches } from './pg-batches.ts'
import { createPgClaims } from './pg-claims.ts'
import { createPgGraders } from './pg-graders.ts'
import { createPgReviewGrades } from './pg-review-grades.ts'
import { createPgRoundSteps } from './pg-round-steps.ts'
import { createPgRounds } from './pg-rounds.ts'

/** The stores of review. */
export function createPgReview(pool: Pool) {
  return {
    rounds: createPgRounds(pool),
    roundSteps: createPgRoundSteps(pool),
    claims: createPgClaims(pool),
    batches: createPgBatches(pool),
    reviewGrades: createPgReviewGrades(pool),
    decisions: createPgAdjudications(pool),
    graderReads: createPgGraders(pool),
  }
}
