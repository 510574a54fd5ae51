import { readGraders } from '@ratchet/contracts/review-people'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { CriterionStore } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { LabelStore } from '../labels/pg-labels.ts'
import { describeGraders } from './describe-graders.ts'
import type { GraderReads } from './pg-graders.ts'

export interface GraderRouteDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly labels: Pick<LabelStore, 'countedFor'>
  readonly graderReads: GraderReads
  readonly gradeWork: GradeWork
}

export function graderRoutes(router: Router, { criteria, labels, graderReads, gradeWork }: GraderRouteDeps): void {
  mount(router, readGraders, async ({ query, identity: { workspaceId, userId: viewerId } }) => {
    const criterion = await requireCriterion(criteria, { workspaceId }, query.criterion_id, 'criterion_id')
    return gradeWork.places.run(workspaceId, async () => {
      const grades = await labels.countedFor(criterion)
      const figures = await graderReads.figures(workspaceId, criterion.id)
      return gradeWork.sliced.run(describeGraders({ criterionId: criterion.id, viewerId, grades, figures }))
    })
  })
}
