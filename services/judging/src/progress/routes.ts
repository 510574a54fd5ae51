import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { CalibrationStore } from '../calibration/pg-calibrations.ts'
import type { CriterionStore } from '../criteria/criterion.ts'
import { isFlagged } from '../criteria/criterion-reply.ts'
import { type VerdictCostDeps, verdictCost } from '../gates/verdict-cost.ts'
import type { ReadGradingPace } from '../labels/pg-grading-pace.ts'
import type { LabelStore } from '../labels/pg-labels.ts'
import { gradingWork } from './grading-work.ts'
import { nearestToAct, neededToAct } from './needed-to-act.ts'
import type { ProgressReads } from './pg-progress.ts'
import { setupProgress } from './setup-progress.ts'

interface ProgressRouteDeps extends VerdictCostDeps {
  readonly criteria: CriterionStore
  readonly calibrations: CalibrationStore
  readonly labels: LabelStore
  readonly progress: ProgressReads
  readonly readPace: ReadGradingPace
}

const noGrades = { fails: 0, passes: 0 }

/** Progress figures for the setup status. The edge does not expose them. */
export function progressRoutes(router: Router, deps: ProgressRouteDeps): void {
  const { criteria, calibrations, labels, progress } = deps
  mount(router, judgingProgress, async ({ identity }) => {
    const { workspaceId } = identity
    const inUse = await criteria.list({ workspaceId, status: 'draft' })
    const [evidence, graded, forEveryJudge, gradedItems, pace] = await Promise.all([
      calibrations.evidence(inUse.map(({ id }) => id)),
      progress.gradedForJudges(workspaceId),
      progress.gradedAsWhole(workspaceId),
      labels.countGradedItems(workspaceId),
      deps.readPace(workspaceId),
    ])
    const judges = inUse.map((criterion) => ({
      criterion,
      graded: graded.get(criterion.id) ?? noGrades,
      measures: evidence.get(criterion.id)?.measures ?? null,
      isFlagged: isFlagged(criterion, evidence.get(criterion.id) ?? null),
    }))
    const nearest = nearestToAct(judges.map((judge) => ({ ...neededToAct(judge), judge })))?.judge ?? null
    const cost = nearest === null ? null : await verdictCost(deps, { criterion: nearest.criterion, identity })
    return {
      ...setupProgress({ gradedItems, forEveryJudge, judges }),
      work: gradingWork({ graded: nearest?.graded ?? noGrades, pace, usdPerVerdict: cost?.usd ?? null }),
    }
  })
}
