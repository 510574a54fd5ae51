import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { CalibrationStore } from '../calibration/pg-calibrations.ts'
import type { CriterionStore } from '../criteria/criterion.ts'
import { isFlagged } from '../criteria/criterion-reply.ts'
import type { LabelStore } from '../labels/pg-labels.ts'
import type { ProgressReads } from './pg-progress.ts'
import { setupProgress } from './setup-progress.ts'

interface ProgressRouteDeps {
  readonly criteria: CriterionStore
  readonly calibrations: CalibrationStore
  readonly labels: LabelStore
  readonly progress: ProgressReads
}

/** Progress figures for the setup status. The edge does not expose them. */
export function progressRoutes(router: Router, deps: ProgressRouteDeps): void {
  const { criteria, calibrations, labels, progress } = deps
  mount(router, judgingProgress, async ({ identity: { workspaceId } }) => {
    const judges = await criteria.list({ workspaceId, status: 'draft' })
    const [evidence, graded, forEveryJudge, gradedItems] = await Promise.all([
      calibrations.evidence(judges.map(({ id }) => id)),
      progress.gradedForJudges(workspaceId),
      progress.gradedAsWhole(workspaceId),
      labels.countGradedItems(workspaceId),
    ])
    return setupProgress({
      gradedItems,
      forEveryJudge,
      judges: judges.map((judge) => ({
        graded: graded.get(judge.id) ?? { fails: 0, passes: 0 },
        measures: evidence.get(judge.id)?.measures ?? null,
        isFlagged: isFlagged(judge, evidence.get(judge.id) ?? null),
      })),
    })
  })
}
