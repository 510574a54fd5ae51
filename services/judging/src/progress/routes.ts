import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import type { CalibrationStore } from '../calibration/calibration-store.ts'
import type { CriterionStore } from '../criteria/criterion.ts'
import type { LabelStore } from '../labels/label-store.ts'
import type { ProgressReads } from './progress-reads.ts'
import { setupProgress } from './setup-progress.ts'

export interface ProgressRouteDeps {
  readonly criteria: Pick<CriterionStore, 'list'>
  readonly calibrations: Pick<CalibrationStore, 'evidence'>
  readonly labels: Pick<LabelStore, 'countGradedItems'>
  readonly progress: ProgressReads
}

/** What the setup status asks; the edge has no way to it. */
export function progressRoutes(router: Router, deps: ProgressRouteDeps): void {
  const { criteria, calibrations, labels, progress } = deps
  mount(router, judgingProgress, async ({ identity: { workspaceId } }) => {
    const judges = await criteria.list({ workspaceId, status: 'draft' })
    const [evidence, graded, wholeExchanges, gradedItems] = await Promise.all([
      calibrations.evidence(judges.map(({ id }) => id)),
      progress.gradedForJudges(workspaceId),
      progress.gradedAsWhole(workspaceId),
      labels.countGradedItems(workspaceId),
    ])
    return setupProgress({
      gradedItems,
      wholeExchanges,
      judges: judges.map(({ id }) => ({
        graded: graded.get(id) ?? { fails: 0, passes: 0 },
        measures: evidence.get(id)?.measures ?? null,
      })),
    })
  })
}
