import { readLogVerdicts } from '@ratchet/contracts/internal-judging'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { Router } from 'express'
import type { CriterionStore } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { requireRequestUnit } from '../criteria/require-request-unit.ts'
import type { VerdictReads } from './pg-verdicts.ts'

interface LogVerdictDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly verdicts: Pick<VerdictReads, 'ofLogs'>
}

/** Verdicts by log entry, for datasets. The edge does not expose them. */
export function logVerdictRoutes(router: Router, { criteria, verdicts }: LogVerdictDeps): void {
  mountJson(router, readLogVerdicts, async ({ body, identity }) => {
    const criterion = await requireCriterion(criteria, identity, body.criterion_id, 'criterion_id')
    requireRequestUnit(criterion)
    const logIds = body.log_ids.flatMap((id) => uuidOf('log', id) ?? [])
    const found = await verdicts.ofLogs({ workspaceId: criterion.workspaceId, criterionId: criterion.id }, logIds)
    return { reply: { data: found.map(({ logId, verdict }) => ({ log_id: publicId('log', logId), verdict })) } }
  })
}
