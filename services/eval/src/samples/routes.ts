import { listEvalSamples } from '@ratchet/contracts/evals'
import { pageReply } from '@ratchet/contracts/page'
import { mount } from '@ratchet/service-kit/http/mount'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { judgeModelsOf } from '../runs/eval-run.ts'
import type { EvalStore } from '../runs/eval-store.ts'
import { requireEval } from '../runs/require-eval.ts'
import type { SampleStore } from './sample.ts'
import { sampleReply } from './sample-reply.ts'

export interface SampleRouteDeps {
  readonly evals: Pick<EvalStore, 'get'>
  readonly samples: Pick<SampleStore, 'list'>
}

export function sampleRoutes(router: Router, { evals, samples }: SampleRouteDeps): void {
  mount(router, listEvalSamples, async ({ params, query, identity }) => {
    const run = await requireEval(evals, identity, params.id)
    const { candidate, outcome, disputed, inconsistent, limit, offset } = query
    const candidateIndex = candidate === undefined ? undefined : indexOf(run.request.candidate_models, candidate)
    const { total, samples: page } = await samples.list({
      runId: run.id,
      outcome,
      candidateIndex,
      disputed,
      inconsistent,
      limit,
      offset,
    })
    const data = page.map((sample) =>
      sampleReply(sample, { request: run.request, judges: judgeModelsOf(run.judge), candidateIndex }),
    )
    return pageReply(data, total, { limit, offset })
  })
}

/** Index of a candidate, from 1. */
function indexOf(candidates: readonly string[], candidate: string): number {
  const index = candidates.indexOf(candidate)
  if (index >= 0) return index + 1
  const message = `The eval has no candidate ${JSON.stringify(candidate)}. It has: ${candidates.join(', ')}.`
  throw new ServiceError('invalid_request', message, { param: 'candidate' })
}
