import { type GateRefusal, gateEval } from '@ratchet/contracts/eval-gate'
import { publicId } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/mount'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import type { EvalStore } from '../runs/eval-run.ts'
import { requireEval } from '../runs/require-eval.ts'
import { checkGate } from './check-gate.ts'

export interface GateRouteDeps {
  readonly evals: Pick<EvalStore, 'get'>
}

/** Whether a candidate is proven: what a deploy waits for. */
export function gateRoutes(router: Router, { evals }: GateRouteDeps): void {
  mount(router, gateEval, async ({ params, query, identity }) => {
    const { id, status, report, request, judge } = await requireEval(evals, identity, params.id)
    const result = checkGate({
      status,
      report,
      candidateModels: request.candidate_models,
      judgeTrust: judge.trust,
      query,
    })
    const { candidate } = result
    const checks = [...result.checks]
    if (result.kind === 'passed') {
      return {
        object: 'eval.gate' as const,
        eval_id: publicId('eval', id),
        candidate,
        passed: true as const,
        checks,
      }
    }
    const details: GateRefusal = { eval_status: status, candidate, checks }
    const failed = checks.filter(({ passed }) => !passed).map(({ name }) => name)
    const message =
      result.reason === 'not_done'
        ? `The eval is ${status}; only one that is DONE proves anything.`
        : `Not proven: ${failed.join(', ')}.`
    throw new ServiceError('precondition_failed', message, { details })
  })
}
