import { type GateRefusal, gateEval } from '@ratchet/contracts/eval-gate'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { publicId } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { cannotActReasonOf } from '../runs/eval-run.ts'
import type { EvalStore } from '../runs/eval-store.ts'
import { requireEval } from '../runs/require-eval.ts'
import { checkGate, type GateResult } from './check-gate.ts'
import { evidenceLows, evidenceOfRun, readEvidence } from './evidence-of-run.ts'
import type { EvalResult, EvidenceStore } from './pg-evidence.ts'
import { weighEvidence } from './weigh-evidence.ts'
import { weighPeople } from './weigh-people.ts'

export interface GateRouteDeps {
  readonly evals: Pick<EvalStore, 'get'>
  readonly evidence: EvidenceStore
}

export function gateRoutes(router: Router, { evals, evidence }: GateRouteDeps): void {
  /** The status code says whether a candidate passes the requested checks, so a deployment pipeline can stop on it. */
  mount(router, gateEval, async ({ params, query, identity }) => {
    const run = await requireEval(evals, identity, params.id)
    const { id, status, report, request, judge } = run
    const result = checkGate({
      status,
      report,
      candidateModels: request.candidate_models,
      judgeTrust: judge.trust,
      cannotActReason: cannotActReasonOf(judge),
      isPicked: judge.isPicked ?? false,
      evidenceLows: query.min_evidence_lower === undefined ? {} : evidenceLows(await evidenceOfRun(evidence, run)),
      query,
    })
    const { candidate, checks } = result
    if (result.kind === 'refused') {
      const details: GateRefusal = { eval_status: status, candidate, checks: [...checks] }
      throw new ServiceError('precondition_failed', refusalMessage(status, result), { details })
    }
    return {
      object: 'eval.gate' as const,
      eval_id: publicId('eval', id),
      candidate,
      passed: true as const,
      checks: [...checks],
    }
  })
  /** Internal: the edge does not expose it. The alias service reads the evidence before it moves traffic. */
  mount(router, evalEvidence, async ({ query, identity: { workspaceId } }) => {
    const { baseline_model: baselineModel, candidate_model: candidateModel, since } = query
    const found = await evidence.find({ workspaceId, baselineModel, candidateModel, since })
    const data = []
    // One after the other, because each reads the samples of an eval.
    for (const each of found) data.push(await evidenceReply(evidence, workspaceId, each))
    return { data }
  })
}

async function evidenceReply(store: EvidenceStore, workspaceId: string, found: EvalResult) {
  const { id, candidate, request, report, judge, finishedAt } = found
  const figures = report?.candidates[candidate]
  const { judged, people } = await readEvidence(store, workspaceId, found)
  return {
    eval_id: publicId('eval', id),
    win_rate: figures?.win_rate ?? null,
    win_rate_ci: figures?.win_rate_ci ?? null,
    savings_pct: figures?.savings_pct ?? null,
    savings_low: figures?.savings_ci?.[0] ?? null,
    criterion_id: judge.criterionId === null ? null : publicId('criterion', judge.criterionId),
    finished_at: finishedAt.toISOString(),
    evidence: {
      ...weighEvidence(judged),
      people: weighPeople(people),
      sample_count: request.sample_count,
      seed: request.seed,
    },
  }
}

function refusalMessage(status: string, result: Extract<GateResult, { kind: 'refused' }>): string {
  if (result.reason === 'not_done') return `The eval is ${status}. The gate needs an eval that is DONE.`
  const failed = result.checks.filter(({ passed }) => !passed).map(({ name }) => name)
  return `Not proven: ${failed.join(', ')}.`
}
