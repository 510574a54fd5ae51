import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { publicId } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import type { EvalStore } from '../runs/eval-run.ts'

export interface EvidenceRouteDeps {
  readonly evals: Pick<EvalStore, 'evidence'>
}

/** What evals have proven of two models, for whoever moves traffic from one to the other; the edge has no way to it. */
export function evidenceRoutes(router: Router, { evals }: EvidenceRouteDeps): void {
  mount(router, evalEvidence, async ({ query, identity: { workspaceId } }) => {
    const { baseline_model: baselineModel, candidate_model: candidateModel, since } = query
    const found = await evals.evidence({ workspaceId, baselineModel, candidateModel, since })
    const data = found.map(({ id, candidate, report, finishedAt }) => {
      const figures = report?.candidates[candidate]
      return {
        eval_id: publicId('eval', id),
        win_rate: figures?.win_rate ?? null,
        win_rate_ci: figures?.win_rate_ci ?? null,
        savings_pct: figures?.savings_pct ?? null,
        finished_at: finishedAt.toISOString(),
      }
    })
    return { data }
  })
}
