import { isDeepStrictEqual } from 'node:util'
import { type CreateEval, cancelEval, createEval, estimateEval, getEval, listEvals } from '@ratchet/contracts/evals'
import { evalProgress } from '@ratchet/contracts/internal-eval'
import { usdToNano } from '@ratchet/contracts/money'
import { createIdempotently } from '@ratchet/service-kit/create-idempotently'
import { mount } from '@ratchet/service-kit/mount'
import { mountJson } from '@ratchet/service-kit/mount-json'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import { minPrompts, type PromptSurvey } from '../prompts/prompt-source.ts'
import { checkOrder, estimateReply, type OrderEvalDeps, requireCovered } from './check-order.ts'
import { evalReply } from './eval-reply.ts'
import type { EvalRun, EvalStore } from './eval-run.ts'
import { requireEval } from './require-eval.ts'

export interface EvalRouteDeps extends OrderEvalDeps {
  readonly evals: Pick<EvalStore, 'create' | 'get' | 'list' | 'progress' | 'countDone' | 'cancel'>
  /** Tells workers of an eval. Never fails. */
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly now: () => Date
  readonly newId: () => string
}

const maxBodyBytes = 1024 * 1024

export function evalRoutes(router: Router, deps: EvalRouteDeps): void {
  const { evals } = deps
  createRoutes(router, deps)
  mount(router, listEvals, async ({ query, identity: { workspaceId } }) => {
    const { status, baseline_model: baselineModel, candidate_model: candidateModel, limit, offset } = query
    const { total, runs } = await evals.list({ workspaceId, status, baselineModel, candidateModel, limit, offset })
    const progress = await evals.progress(runs.map(({ id }) => id))
    const data = runs.map((run) => evalReply(run, progress.get(run.id)))
    return { object: 'list' as const, data, total, limit, offset, has_more: offset + data.length < total }
  })
  mount(router, getEval, async ({ params, identity }) =>
    withProgress(evals, await requireEval(evals, identity, params.id)),
  )
  mount(router, cancelEval, async ({ params, identity }) => {
    const { workspaceId, id } = await requireEval(evals, identity, params.id)
    const cancelled = await evals.cancel({ workspaceId, id }, deps.now())
    if (cancelled !== null) {
      await deps.enqueueRuns([id])
      return withProgress(evals, cancelled)
    }
    const over = await requireEval(evals, identity, params.id)
    // Asked again, a cancelled eval is as cancelled as before.
    if (over.status === 'CANCELLED') return withProgress(evals, over)
    throw new ServiceError('conflict', `The eval is ${over.status}: there is nothing to cancel.`)
  })
  mount(router, evalProgress, async ({ identity }) => ({ evals: await evals.countDone(identity.workspaceId) }))
}

function createRoutes(router: Router, deps: EvalRouteDeps): void {
  const { evals, inference, now, newId, enqueueRuns } = deps
  mountJson(router, estimateEval, {
    maxBodyBytes,
    handle: async ({ body: request, identity }) => ({
      reply: estimateReply(await checkOrder(deps, { identity, request })),
    }),
  })
  mountJson(router, createEval, {
    maxBodyBytes,
    handle: async ({ body, identity, request }) => {
      const { workspaceId, userId: createdBy } = identity
      const wanted: unknown = JSON.parse(JSON.stringify(body))
      const order = {
        request,
        scope: ['eval', workspaceId],
        newId,
        find: (id: string) => evals.get({ workspaceId, id }),
        isSame: (run: EvalRun) => isDeepStrictEqual(run.request, wanted),
      }
      const { started, headers } = await createIdempotently(order, async (id) => {
        const { judge, survey, cost } = await checkOrder(deps, { identity, request: body })
        requirePrompts(body, survey)
        await requireCovered(inference, { identity, request: body, cost })
        const maxCostNano = body.max_cost_usd == null ? null : usdToNano(body.max_cost_usd)
        return evals.create({ id, workspaceId, request: body, judge, maxCostNano, createdBy, createdAt: now() })
      })
      await enqueueRuns([started.id])
      return { headers, reply: await withProgress(evals, started) }
    },
  })
}

function requirePrompts({ sample_filters: filters, sample_count: count }: CreateEval, survey: PromptSurvey): void {
  const { distinct, eligible } = survey
  if (distinct >= minPrompts) return
  if (filters.trace_replay === true && eligible >= minPrompts) {
    const message = `Runs are taken whole, and those that were drawn first have more than ${count} steps: raise it.`
    throw new ServiceError('invalid_request', message, { param: 'sample_count' })
  }
  const message = `An eval takes at least ${minPrompts} distinct prompts; the filters leave ${distinct}.`
  throw new ServiceError('invalid_request', message, { param: 'sample_filters' })
}

async function withProgress(evals: Pick<EvalStore, 'progress'>, run: EvalRun) {
  const progress = await evals.progress([run.id])
  return evalReply(run, progress.get(run.id))
}
